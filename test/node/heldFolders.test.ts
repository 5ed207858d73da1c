/** Open folders: a place is reached through no link, or not at all. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PlaceMoved } from '../../src/core/patch/placedChange.ts';
import { type DiskFolders, holdFolders } from '../../src/node/apply/heldFolders.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

function withFolders<Result>(platform: NodeJS.Platform, act: (folders: DiskFolders) => Result): Result {
  const folders = holdFolders(platform);
  try {
    return act(folders);
  } finally {
    folders.dispose();
  }
}

function furnished(): TempFolder {
  const folder = tempFolder();
  mkdirSync(folder.at('d/inner'), { recursive: true });
  mkdirSync(folder.at('other/inner'), { recursive: true });
  writeFileSync(folder.at('d/inner/a'), 'mine');
  writeFileSync(folder.at('other/inner/a'), 'theirs');
  return folder;
}

function swap(folder: TempFolder): void {
  renameSync(folder.at('d'), folder.at('aside'));
  symlinkSync('other', folder.at('d'));
}

// Other systems use the second implementation only, which also runs here.
describe.each(['linux', 'darwin'] as const)('the implementation for %s', (platform) => {
  test('reaches a place, and reports a missing one as missing', () => {
    using folder = furnished();
    withFolders(platform, (folders) => {
      expect(readFileSync(folders.at(folder.at('d/inner/a')), 'utf8')).toBe('mine');
      expect(() => folders.at(folder.at('d/missing/a'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
      expect(() => readFileSync(folders.at(folder.at('d/inner/missing')))).toThrow(
        expect.objectContaining({ code: 'ENOENT' }),
      );
    });
  });

  test.each(['d', 'd/inner'])('does not follow a link that has replaced %s', (name) => {
    using folder = furnished();
    renameSync(folder.at(name), folder.at('aside'));
    symlinkSync(folder.at('other', name === 'd' ? '' : 'inner'), folder.at(name));
    withFolders(platform, (folders) => {
      expect(() => folders.at(folder.at('d/inner/a'))).toThrow(PlaceMoved);
    });
  });
});

describe.skipIf(process.platform !== 'linux')('an open folder', () => {
  test('stays the same folder when a link replaces it', () => {
    using folder = furnished();
    withFolders('linux', (folders) => {
      folders.at(folder.at('d/inner/a'));
      expect(folders.moved()).toEqual([]);
      swap(folder);
      expect(readFileSync(folders.at(folder.at('d/inner/a')), 'utf8')).toBe('mine');
      expect(folders.moved()).toEqual([folder.at('d'), folder.at('d/inner')]);
    });
  });

  test('is another one when it was created again', () => {
    using folder = furnished();
    withFolders('linux', (folders) => {
      mkdirSync(folder.at('new'));
      folders.at(folder.at('new/a'));
      rmdirSync(folder.at('new'));
      mkdirSync(folder.at('new'));
      expect(folders.moved()).toEqual([folder.at('new')]);
      folders.forget(folder.at('new'));
      writeFileSync(folders.at(folder.at('new/a')), 'here');
      expect(readFileSync(folder.at('new/a'), 'utf8')).toBe('here');
    });
  });

  test('cannot be opened where its name is a file', () => {
    using folder = furnished();
    withFolders('linux', (folders) => {
      expect(() => folders.at(folder.at('d/inner/a/b'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
    });
  });

  test('is closed in the end, and earlier when there are many', () => {
    using folder = tempFolder();
    const ours = () => readdirSync('/proc/self/fd').length;
    const before = ours();
    const most = withFolders('linux', (folders) => {
      for (let index = 0; index < 1200; index++) {
        mkdirSync(folder.at(`d${index}`));
        closeSync(openSync(folders.at(folder.at(`d${index}`, 'a')), 'w'));
      }
      return ours() - before;
    });
    // Other tests of this process open files, too.
    expect(most).toBeLessThan(1000);
    expect(ours()).toBeLessThan(before + 400);
    expect(readdirSync(folder.path, { recursive: true }).length).toBe(2400);
  });
});
