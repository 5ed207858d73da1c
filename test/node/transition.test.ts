import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FileImage } from '../../src/node/apply/fileImage.ts';
import { holdFolders } from '../../src/node/apply/heldFolders.ts';
import { reversed, settleTransition, type Transition } from '../../src/node/apply/transition.ts';
import { tempFolder } from '../support/tempFolder.ts';

const absent: FileImage = { type: 'absent' };
const file = (text: string): FileImage => ({ type: 'file', bytes: Buffer.from(text), mode: null, owner: null });

function settle(transition: Transition) {
  const folders = holdFolders();
  try {
    return settleTransition(transition, folders);
  } finally {
    folders.dispose();
  }
}

/** The file of a writer that empties it before it fills it, as VS Code does, killed at any moment. */
test.each([
  ['a new file', absent, file('new text\n'), ''],
  ['a new file', absent, file('new text\n'), 'new t'],
  ['a changed file', file('the old text\n'), file('new text\n'), ''],
  ['a changed file', file('the old text\n'), file('new text\n'), 'new'],
])('%s that was cut off while it was written (%#) is finished or put back', (_what, before, after, left) => {
  using folder = tempFolder();
  const path = folder.at('a.txt');
  const transition = { path, before, after, temporaryPath: folder.at('.a.tmp') };
  for (const way of [transition, reversed(transition)]) {
    writeFileSync(path, left);
    expect(settle(way)).toBe('done');
    if (way.after.type === 'file') expect(readFileSync(path)).toEqual(way.after.bytes);
    else expect(existsSync(path)).toBe(false);
  }
});

test('a file that has changed since is left alone', () => {
  using folder = tempFolder();
  const path = folder.at('a.txt');
  writeFileSync(path, 'mine\n');
  const transition = { path, before: absent, after: file('new\n'), temporaryPath: folder.at('.tmp') };
  expect(settle(transition)).toBe('left_alone');
  expect(settle(reversed(transition))).toBe('left_alone');
  expect(readFileSync(path, 'utf8')).toBe('mine\n');
});
