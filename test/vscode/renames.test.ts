/** A user renames or deletes the very file that a patch lands in: one waits for the other, and nothing comes back. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { type EditorPlace, inPlace, pause, until } from './support/editorPlace.ts';

const [BEFORE, AFTER] = ['1\n2\n3\n', '1\ntwo\n3\n'];

function renaming(here: EditorPlace, from: string, to: string): Thenable<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(here.uri(from), here.uri(to));
  return vscode.workspace.applyEdit(edit);
}

function deleting(here: EditorPlace, file: string): Thenable<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(here.uri(file), { recursive: true });
  return vscode.workspace.applyEdit(edit);
}

/** The user begins when the patch is on its way; both come to their end. */
async function landDuring(here: EditorPlace, file: string, move: () => Thenable<boolean>): Promise<void> {
  await here.open(file);
  let moved: Thenable<boolean> = Promise.resolve(false);
  here.beforeFirstWrite = async () => {
    moved = move();
    await pause(200);
  };
  const result = await here.apply([here.update(file, BEFORE, AFTER)]);
  assert.equal(result.type, 'applied');
  assert.equal(await moved, true);
}

suite('a file that is renamed or deleted while a patch changes it', () => {
  test(
    'gets the patch under its new name',
    inPlace({ 'old.txt': BEFORE }, async (here) => {
      await landDuring(here, 'old.txt', () => renaming(here, 'old.txt', 'new.txt'));
      assert.deepEqual(here.tree(), { 'new.txt': AFTER });
    }),
  );

  test(
    'is in the log of moves, so that pending patches follow it',
    inPlace({ 'folder/old.txt': BEFORE }, async (here) => {
      const { moves } = here.workspace;
      assert.ok(moves);
      const seen: unknown[] = [];
      const watch = moves.onMove((move) => seen.push(move));
      assert.equal(await renaming(here, 'folder/old.txt', 'folder/new.txt'), true);
      assert.equal(await renaming(here, 'folder', 'other'), true);
      await until(() => seen.length === 2, 20_000);
      watch.dispose();
      const [file, folder] = [
        { from: here.at('folder/old.txt'), to: here.at('folder/new.txt') },
        { from: here.at('folder'), to: here.at('other') },
      ];
      assert.deepEqual(seen, [file, folder]);
      assert.deepEqual(moves.since(moves.count - 1), [folder]);
    }),
  );

  test(
    'gets it in a folder that is renamed',
    inPlace({ 'folder/deep/a.txt': BEFORE }, async (here) => {
      await landDuring(here, 'folder/deep/a.txt', () => renaming(here, 'folder', 'other'));
      assert.deepEqual(here.tree(), { 'other/deep/a.txt': AFTER });
    }),
  );

  test(
    'is not created again when it is deleted',
    inPlace({ 'old.txt': BEFORE }, async (here) => {
      await landDuring(here, 'old.txt', () => deleting(here, 'old.txt'));
      await pause(300);
      assert.deepEqual(here.tree(), {});
    }),
  );

  test(
    'is planned again when its rename had started already',
    inPlace({ 'old.txt': BEFORE }, async (here) => {
      await here.open('old.txt');
      let goOn: (() => void) | undefined;
      const slow = vscode.workspace.onWillRenameFiles((event) => {
        event.waitUntil(new Promise<void>((resolve) => (goOn = resolve)));
      });
      try {
        const renamed = renaming(here, 'old.txt', 'new.txt');
        await until(() => goOn !== undefined, 20_000);
        const applied = here.apply([here.update('old.txt', BEFORE, AFTER)]);
        assert.equal(await Promise.race([applied, pause(300)]), undefined);
        goOn?.();
        assert.equal(await renamed, true);
        assert.deepEqual(await applied, { type: 'stale', paths: [here.at('old.txt')] });
        assert.deepEqual(here.tree(), { 'new.txt': BEFORE });
      } finally {
        slow.dispose();
      }
    }),
  );

  test(
    'moves at once when it is the patch that moves it',
    inPlace({ 'old.txt': BEFORE, 'gone.txt': 'g\n' }, async (here) => {
      for (const name of ['old.txt', 'gone.txt']) await here.open(name);
      const started = performance.now();
      const result = await here.apply([here.move('old.txt', 'new.txt', BEFORE, AFTER), here.remove('gone.txt', 'g\n')]);
      assert.equal(result.type, 'applied');
      assert.ok(performance.now() - started < 9_000, 'it waited for itself');
      assert.deepEqual(here.tree(), { 'new.txt': AFTER });
    }),
  );
});

const ROUNDS = rounds(12, 150);
/** Patches that have to be applied. */
const ENOUGH = ROUNDS / 3;
const LINES = 10;
const TEXT = Array.from({ length: LINES }, (_nothing, index) => `mine ${index}:\nagent ${index}:\n`).join('');

suite('a file that is renamed repeatedly', function () {
  this.retries(0);

  test(
    'has one name at the end, and the edits of both',
    inPlace({ 'old.txt': TEXT, 'folder/other.txt': '' }, renameStorm),
  ).timeout(60_000 + ROUNDS * 6000);
});

/**
 * Renames without auto-save: VS Code 1.139 restores the old name when it saves by itself and is asked to rename at the
 * same moment (4 of 4 storms of plain edits by an extension without Tiller).
 */
async function renameStorm(here: EditorPlace): Promise<void> {
  const random = randomOf('renames');
  let name = 'old.txt';
  let text = TEXT;
  let typed = 0;
  const over = new AbortController();
  /**
   * The number of times that a patch was stale since the last one that was applied. On a slow machine the user, too, is
   * slower.
   */
  let staleInRow = 0;
  const type = async () => {
    const { document, edit } = await here.open(name);
    const line = `mine ${random.below(LINES)}:`;
    const word = `<${++typed}>`;
    const isIn = await edit((builder) =>
      builder.insert(document.positionAt(document.getText().indexOf(line) + line.length), word),
    );
    if (isIn) text = text.replace(line, line + word);
  };
  const person = async () => {
    while (!over.signal.aborted) {
      const dice = random.below(8);
      const other = name === 'old.txt' ? 'folder/new.txt' : 'old.txt';
      if (dice === 0 && (await renaming(here, name, other))) name = other;
      else if (dice === 1) await here.document(name)?.save();
      else await type();
      await pause(random.below(30) + staleInRow * 50);
    }
  };
  const typing = person();
  let applied = 0;
  // On a busy machine many patches are stale: more are tried until enough were applied.
  for (let round = 0; round < ROUNDS || (applied < ENOUGH && round < 10 * ROUNDS); round++) {
    const line = new RegExp(`^agent ${random.below(LINES)}:`, 'm');
    const place = name;
    const before = await here.workspace.read(here.at(place)).catch(() => undefined);
    if (before === undefined) {
      await pause(10);
      continue;
    }
    const put = (whole: string) => whole.replace(line, (found) => `${found} ${round}`);
    const result = await here.apply([here.update(place, before.text, put(before.text))]);
    if (result.type === 'applied') {
      text = put(text);
      applied++;
    }
    staleInRow = result.type === 'applied' ? 0 : staleInRow + 1;
    await pause(random.below(60));
  }
  over.abort();
  await typing;
  await vscode.workspace.saveAll(false);
  assert.deepEqual(here.tree(), { 'folder/other.txt': '', [name]: text });
  assert.deepEqual(here.journals(), []);
  assert.ok(applied >= ENOUGH, `${applied} patches were applied`);
}
