/** The temporary folder of `npm test`, which is in memory where the system allows it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { keptEntries, reasonForDisk } from '../../scripts/test/temporaryInMemory.mjs';
import { folderOfRun, tempFolder } from '../support/tempFolder.ts';

const root = path.join(import.meta.dirname, '../..');
/** The run of these tests may be in memory itself. */
const OUTSIDE = { ...process.env, TILLER_TEMPORARY_IN_MEMORY: undefined };

test.skipIf(reasonForDisk() !== undefined)(
  'a script runs again with an empty temporary folder, in which stays what the environment names, and its exit code counts',
  () => {
    using temporary = tempFolder();
    for (const name of ['named', 'other']) mkdirSync(temporary.at(name));
    writeFileSync(temporary.at('named', 'a'), '');
    writeFileSync(
      temporary.at('named', 'script.mjs'),
      `import { mkdtempSync, readdirSync } from 'node:fs';
       import { tmpdir } from 'node:os';
       import { runWithTemporaryFolderInMemory } from '${root}/scripts/test/temporaryInMemory.mjs';
       const code = await runWithTemporaryFolderInMemory(process.argv.slice(1));
       if (code !== undefined) process.exit(code);
       mkdtempSync(tmpdir() + '/of the script ');
       console.log(JSON.stringify([readdirSync(tmpdir()), readdirSync(tmpdir() + '/named'), process.argv.slice(2)]));
       process.exit(3);`,
    );
    const ran = spawnSync(process.execPath, [temporary.at('named', 'script.mjs'), 'a word'], {
      encoding: 'utf8',
      env: { ...OUTSIDE, TMPDIR: temporary.path, SOMETHING: `/usr:${temporary.at('named', 'a')}` },
    });
    expect([ran.status, ran.stderr]).toEqual([3, '']);
    expect(JSON.parse(ran.stdout)).toEqual([
      ['named', expect.stringMatching(/^of the script /)],
      ['a', 'script.mjs'],
      ['a word'],
    ]);
    expect(readdirSync(temporary.path)).toEqual(['named', 'other']);
  },
);

test('an entry stays visible when the environment names a place in it', () => {
  const own = folderOfRun();
  const entry = path.basename(own);
  expect(keptEntries({ A: path.join(own, 'a', 'b') })).toContain(entry);
  expect(keptEntries({ A: `${own}${path.delimiter}/usr` })).toContain(entry);
  expect(keptEntries({ A: `${tmpdir()}${path.sep}gone`, B: tmpdir(), C: 'text' })).not.toContain(entry);
  expect(existsSync(own)).toBe(true);
});
