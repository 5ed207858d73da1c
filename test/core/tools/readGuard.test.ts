import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { whyUnreadable } from '../../../src/core/tools/files/readGuard.ts';
import { createDiskWorkspace } from '../../../src/node/apply/diskWorkspace.ts';
import { tempFolder } from '../../support/tempFolder.ts';

test('a file that may not be read is refused by its name, by a link and by its folder', async () => {
  using folder = tempFolder();
  mkdirSync(folder.at('keys'));
  for (const name of ['.env', '.env.test', 'a.txt', 'keys/id']) writeFileSync(folder.at(name), '');
  symlinkSync('.env', folder.at('link'));
  const limits = { cwd: folder.path, unreadable: [folder.at('keys'), '!**/.env.test'], home: folder.at('home') };
  const deps = {
    host: { platform: 'linux' as const, homeDirectory: '/home/u' },
    workspace: createDiskWorkspace({ roots: [folder.path], home: folder.at('home') }),
  };
  const why = (name: string) => whyUnreadable(folder.at(name), limits, deps);
  const clause = (name: string, pattern = '') =>
    `${folder.at(name)} may not be read (sandbox.unreadable${pattern === '' ? '' : `: ${pattern}`})`;
  expect(await why('.env')).toBe(clause('.env', '**/.env'));
  expect(await why('link')).toBe(clause('.env', '**/.env'));
  expect(await why('keys/id')).toBe(clause('keys/id'));
  expect(await why('home/settings.json')).toBe(clause('home/settings.json'));
  expect(await why('sub/.env')).toBe(clause('sub/.env', '**/.env'));
  for (const name of ['.env.test', 'a.txt', 'none.txt']) expect(await why(name)).toBeUndefined();
});
