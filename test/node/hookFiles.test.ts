/** The files in which other products keep their hooks. */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readHookFiles } from '../../src/node/customizations/hookFiles.ts';
import { tempFolder } from '../support/tempFolder.ts';

const none = { homeDirectory: '/nowhere', environment: {} };

it('a sentence names each file of hooks that is left out: those beyond the limit, long ones, and those that cannot be read', async () => {
  using root = tempFolder();
  expect(await readHookFiles([root.path], none)).toEqual({ files: [], problems: [] });
  const folder = root.at('.github/hooks');
  mkdirSync(folder, { recursive: true });
  const name = (index: number) => path.join(folder, `${String(index).padStart(3, '0')}.json`);
  for (let index = 0; index < 53; index++) writeFileSync(name(index), '{}');
  truncateSync(name(1), 1024 * 1024 + 1);
  const { files, problems } = await readHookFiles([root.path], none);
  expect(files).toHaveLength(49);
  expect(files.map(({ source }) => source)).not.toContain(name(50));
  expect(problems).toEqual([
    `${folder}: only its first 50 files by name are read, and 3 are left out.`,
    `${name(1)}: it is longer than 1 MiB, and its hooks are left out.`,
  ]);
});
