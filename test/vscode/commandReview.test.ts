import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { suite, test } from 'mocha';
import type { FileState, RecordedChange } from '../../src/protocol/baseline.ts';
import { changesToMark } from '../../src/vscode/changeReview/commandChanges.ts';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';

const LONG = 20_000;
const kept = new Map<string, Uint8Array>();

function stateOf(path: string): FileState {
  try {
    const bytes = readFileSync(path);
    const hash = createHash('sha256').update(bytes).digest('hex');
    kept.set(hash, bytes);
    return { type: 'file', hash, size: bytes.length, mode: 0o644 };
  } catch {
    return { type: 'absent' };
  }
}

/** Runs `act` and marks the files that it writes as the changes of a command. */
async function command(
  here: EditorPlace,
  paths: readonly string[],
  act: () => void,
  by: RecordedChange['by'] = 'this',
): Promise<void> {
  const before = paths.map((path) => stateOf(here.at(path)));
  act();
  const changes = paths.map((name, index) => {
    const path = here.at(name);
    return { path, before: before[index] ?? { type: 'absent' as const }, after: stateOf(path), by };
  });
  here.reviews.written(await changesToMark(changes, async (hash) => kept.get(hash)));
}

/** `b.txt deleted 1`: what is pending, with the number of hunks. */
function pending(here: EditorPlace): string[] {
  return here.reviews.pending.map(
    ({ path, story, text }) => `${path.slice(here.root.length + 1)} ${story.type} ${text.hunks.length}`,
  );
}

suite('Review of what a command changed', () => {
  test(
    'marks texts that it changed, added and deleted; Undo restores them',
    inPlace({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n', 'package-lock.json': '{}\n' }, async (here) => {
      await here.open('a.txt');
      await command(here, ['a.txt', 'b.txt', 'new.txt', 'package-lock.json'], () => {
        here.write('a.txt', '1\ntwo\n3\n');
        rmSync(here.at('b.txt'));
        here.write('new.txt', 'new\n');
        here.write('package-lock.json', '{"a":1}\n');
      });
      assert.deepEqual(pending(here), ['a.txt edited 1', 'b.txt deleted 0', 'new.txt added 1']);
      const left = await here.decisions.undo(here.reviews.pending.map((file) => ({ file, hunks: 'all' })));
      assert.deepEqual(left, []);
      assert.deepEqual(here.tree(), { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n', 'package-lock.json': '{"a":1}\n' });
      assert.deepEqual(pending(here), []);
    }),
  );

  test(
    'marks them beside the hunks of a patch in an open file, and each is undone alone',
    inPlace({ 'a.txt': '1\n2\n3\n4\n5\n6\n' }, async (here) => {
      await here.open('a.txt');
      const patched = '1\ntwo\n3\n4\n5\n6\n';
      const origin = { turnId: 't', itemId: 'i', isUnseen: true };
      await here.apply([here.update('a.txt', '1\n2\n3\n4\n5\n6\n', patched)], origin);
      const commanded = patched.replace('6', 'six');
      await command(here, ['a.txt'], () => here.write('a.txt', commanded));
      assert.deepEqual(pending(here), ['a.txt edited 2']);
      // VS Code reloads the document when it has seen the file change.
      await until(() => here.document('a.txt')?.getText() === commanded, LONG);
      const [file] = here.reviews.pending;
      const last = file?.text.hunks.at(-1)?.id;
      assert.ok(file !== undefined && last !== undefined);
      assert.deepEqual(await here.decisions.undo([{ file, hunks: [last] }]), []);
      await until(() => here.disk('a.txt') === patched, LONG);
      assert.deepEqual(pending(here), ['a.txt edited 1']);
    }),
  );

  test(
    'marks nothing that another program may have written, and no file with unsaved edits',
    inPlace({ 'a.txt': '1\n2\n', 'b.txt': 'b\n' }, async (here) => {
      await here.type('b.txt', 'mine ');
      await command(here, ['a.txt'], () => here.write('a.txt', '1\ntwo\n'), 'uncertain');
      await command(here, ['b.txt'], () => here.write('b.txt', 'other\n'));
      assert.deepEqual(pending(here), []);
    }),
  );
});
