import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { ApplyRefused } from '../../src/core/patch/placedChange.ts';
import { planFolders } from '../../src/node/apply/folders.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** The reason why no file can be written at this path. */
function refusalOf(file: string, at: (place: string) => string = (place) => place): string | undefined {
  const write = { path: file, before: { type: 'absent' }, after: { type: 'absent' }, seen: 'absent' } as const;
  try {
    planFolders([write], [], { at, dispose() {} });
    return undefined;
  } catch (error) {
    if (error instanceof ApplyRefused) return error.message;
    throw error;
  }
}

test('the refusal of a folder has the reason of the system', () => {
  using folder = tempFolder();
  const inside = folder.at('inside');
  mkdirSync(inside);
  const file = path.join(inside, 'a.txt');
  const failing = (code: string) => () => {
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
  const long = folder.at('x'.repeat(300));
  assert.deepEqual(
    {
      none: refusalOf(file),
      long: refusalOf(path.join(long, 'a.txt')),
      denied: refusalOf(file, failing('EACCES')),
      readOnly: refusalOf(file, failing('EROFS')),
      broken: refusalOf(file, failing('EIO')),
    },
    {
      none: undefined,
      long: `${long} cannot be used: the name is too long.`,
      denied: `${inside} cannot be written to: permission denied.`,
      readOnly: `${inside} is on a read-only file system.`,
      broken: `${inside} failed: EIO: injected`,
    },
  );
});
