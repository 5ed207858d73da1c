import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { WorkspaceError } from '../../src/core/ports.ts';
import { createDiskWorkspace } from '../../src/node/apply/diskWorkspace.ts';
import { tempFolder } from '../support/tempFolder.ts';

const workspaceIn = (path: string) => createDiskWorkspace({ roots: [path], home: `${path}/.home` });

describe('reading', () => {
  test('returns a text without its byte order mark and with its own line endings', async () => {
    using folder = tempFolder();
    writeFileSync(folder.at('a.txt'), '\uFEFFä\r\nb\n');
    symlinkSync('a.txt', folder.at('link'));
    const expected = { text: 'ä\r\nb\n', source: 'disk', dirty: false };
    assert.deepEqual(await workspaceIn(folder.path).read(folder.at('a.txt')), expected);
    assert.deepEqual(await workspaceIn(folder.path).read(folder.at('link')), expected);
  });

  test.skipIf(process.platform !== 'linux')(
    'reads files of the kernel, which report no size, and not without end',
    async () => {
      using folder = tempFolder();
      writeFileSync(folder.at('empty'), '');
      const workspace = workspaceIn(folder.path);
      assert.equal((await workspace.read(folder.at('empty'))).text, '');
      assert.match((await workspace.read('/proc/self/status')).text, /^Name:/);
      const endless = '/proc/self/pagemap';
      for (const read of [() => workspace.read(endless), () => workspace.readBytes(endless)]) {
        await assert.rejects(read, {
          code: 'too_large',
          message: /pagemap reports no size and has more than 1048576 bytes/,
        });
      }
      const place = (await workspace.places([endless])).get(endless);
      if (place === undefined || place instanceof WorkspaceError) throw new Error('It has no place.');
      const places = new Map([[endless, place]]);
      assert.equal((await workspace.readPlaces(places)).get(endless) instanceof WorkspaceError, true);
    },
  );

  test('reports a file that is not text', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    writeFileSync(folder.at('nul'), 'a\0b');
    writeFileSync(folder.at('latin1'), Buffer.from([0x61, 0xe4]));
    writeFileSync(folder.at('utf16'), Buffer.from('\uFEFFab', 'utf16le'));
    writeFileSync(folder.at('large'), 'x');
    truncateSync(folder.at('large'), 50 * 1024 * 1024 + 1);
    mkdirSync(folder.at('folder'));
    execFileSync('mkfifo', [folder.at('pipe')]);
    const codeOf = async (name: string) => {
      const error: unknown = await workspace.read(folder.at(name)).catch((reason: unknown) => reason);
      return error instanceof WorkspaceError ? error.code : error;
    };
    const names = ['nul', 'latin1', 'utf16', 'large', 'folder', 'missing', 'nul/below', 'pipe'];
    assert.deepEqual(await Promise.all(names.map(codeOf)), [
      'not_text',
      'not_text',
      'not_text',
      'too_large',
      'is_directory',
      'not_found',
      'not_found',
      'io',
    ]);
  });

  test('returns bytes unchanged, up to a limit', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    writeFileSync(folder.at('bytes'), Buffer.from([0, 255]));
    assert.deepEqual(await workspace.readBytes(folder.at('bytes')), Buffer.from([0, 255]));
    await assert.rejects(workspace.readBytes(folder.at('bytes'), { maxBytes: 1 }), { code: 'too_large' });
    const signal = AbortSignal.abort(new Error('stop'));
    await assert.rejects(workspace.readBytes(folder.at('bytes'), { signal }), { message: 'stop' });
  });

  test('lists folders by name, follows links and marks them', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    mkdirSync(folder.at('b'));
    writeFileSync(folder.at('c'), 'xyz');
    symlinkSync('c', folder.at('a'));
    symlinkSync('nowhere', folder.at('d'));
    assert.deepEqual(await workspace.list(folder.path), [
      { name: 'a', type: 'symbolic_link' },
      { name: 'b', type: 'directory' },
      { name: 'c', type: 'file' },
      { name: 'd', type: 'symbolic_link' },
    ]);
    const stats = await Promise.all(['a', 'b', 'd', 'e', 'c/x'].map((name) => workspace.stat(folder.at(name))));
    assert.deepEqual(
      stats.map((stat) => stat && [stat.type, stat.symbolicLink]),
      [['file', true], ['directory', false], ['other', true], undefined, undefined],
    );
    assert.equal(await workspace.realPath(folder.at('a')), realpathSync(folder.at('c')));
    await assert.rejects(workspace.realPath(folder.at('d')), { code: 'not_found' });
    await assert.rejects(workspace.list(folder.at('c')), { code: 'not_found' });
  });
});

describe('the place of a path', () => {
  test('is resolved for folders, links and missing files', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    mkdirSync(folder.at('real'));
    symlinkSync('real', folder.at('folder'));
    symlinkSync('../real/b', folder.at('real/link'));
    symlinkSync('circle', folder.at('circle'));
    const paths = ['real/a', 'folder/a', 'folder/new/a', 'folder/link', 'circle'].map((name) => folder.at(name));
    const places = await workspace.places(paths);
    const same = (name: string) => ({ name: folder.at(name), target: folder.at(name) });
    assert.deepEqual(
      paths.slice(0, 4).map((path) => places.get(path)),
      [
        same('real/a'),
        same('real/a'),
        same('real/new/a'),
        { name: folder.at('real/link'), target: folder.at('real/b') },
      ],
    );
    assert.ok(places.get(folder.at('circle')) instanceof WorkspaceError);
    assert.equal(places.size, 5);
  });

  test('is the file that is read, reached through no link', async () => {
    using folder = tempFolder();
    const workspace = workspaceIn(folder.path);
    mkdirSync(folder.at('d'));
    mkdirSync(folder.at('other'));
    for (const name of ['d/a', 'other/a', 'b']) writeFileSync(folder.at(name), name);
    execFileSync('mkfifo', [folder.at('pipe')]);
    const names = ['d/a', 'b', 'pipe', 'd', 'missing', 'd/a/below'];
    const found = await workspace.places(names.map((name) => folder.at(name)));
    const places = new Map(
      [...found].flatMap(([path, place]) => (place instanceof WorkspaceError ? [] : [[path, place] as const])),
    );
    const read = async () =>
      [...(await workspace.readPlaces(places)).values()].map((one) =>
        one instanceof WorkspaceError ? one.code : one.text,
      );
    assert.deepEqual(await read(), ['d/a', 'b', 'io', 'is_directory', 'not_found', 'not_found']);
    renameSync(folder.at('d'), folder.at('aside'));
    symlinkSync('other', folder.at('d'));
    renameSync(folder.at('b'), folder.at('c'));
    symlinkSync('c', folder.at('b'));
    assert.deepEqual(await read(), ['moved', 'moved', 'io', 'moved', 'not_found', 'moved']);
  });
});
