import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readGuard, whyUnreadable } from '../../../src/core/tools/files/readGuard.ts';
import { WorkspaceError } from '../../../src/core/ports.ts';
import { createDiskWorkspace } from '../../../src/node/apply/diskWorkspace.ts';
import { tempFolder } from '../../support/tempFolder.ts';

test('a file that may not be read is refused by its name, by a link, by a hard link and by its folder', async () => {
  using folder = tempFolder();
  mkdirSync(folder.at('keys'));
  for (const name of ['.env', '.env.test', 'a.txt', 'keys/id']) writeFileSync(folder.at(name), '');
  symlinkSync('.env', folder.at('link'));
  for (const [name, link] of [
    ['.env', 'hard'],
    ['keys/id', 'sub/id'],
    ['a.txt', 'b.txt'],
  ] as const) {
    mkdirSync(folder.at('sub'), { recursive: true });
    linkSync(folder.at(name), folder.at(link));
  }
  symlinkSync('hard', folder.at('linkToHard'));
  const limits = { cwd: folder.path, unreadable: [folder.at('keys'), '!**/.env.test'], home: folder.at('home') };
  const deps = {
    host: { platform: 'linux' as const, homeDirectory: '/home/u' },
    workspace: createDiskWorkspace({ roots: [folder.path], home: folder.at('home') }),
  };
  const guard = await readGuard(limits, deps);
  const thread = { id: 't', home: limits.home, unreadable: limits.unreadable };
  const why = async (name: string) => {
    const file = folder.at(name);
    const place = (await deps.workspace.places([file])).get(file);
    if (place === undefined || place instanceof WorkspaceError) throw new Error(`${file} has no place`);
    return whyUnreadable(file, place, guard, { settings: { cwd: folder.path }, thread, ...deps });
  };
  const clause = (name: string, pattern = '') =>
    `${folder.at(name)} may not be read (sandbox.unreadable${pattern === '' ? '' : `: ${pattern}`})`;
  expect(await why('.env')).toBe(clause('.env', '**/.env'));
  expect(await why('link')).toBe(clause('.env', '**/.env'));
  expect(await why('keys/id')).toBe(clause('keys/id'));
  expect(await why('home/settings.json')).toBe(clause('home/settings.json'));
  expect(await why('sub/.env')).toBe(clause('sub/.env', '**/.env'));
  expect(await why('hard')).toBe(`${clause('.env', '**/.env')}, and ${folder.at('hard')} is a hard link to it`);
  expect(await why('linkToHard')).toBe(await why('hard'));
  expect(await why('sub/id')).toBe(`${clause('keys/id')}, and ${folder.at('sub/id')} is a hard link to it`);
  for (const name of ['b.txt', '.env.test', 'a.txt', 'none.txt']) expect(await why(name)).toBeUndefined();
});
