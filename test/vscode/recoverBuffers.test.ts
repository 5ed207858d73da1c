import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { recoverBuffers } from '../../src/vscode/apply/recoverBuffers.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';

const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));

/** Recovers as the extension does: the buffers, then the rest on disk, then the buffers again. */
async function recover(here: EditorPlace, files: Readonly<Record<string, [from: string | null, to: string | null]>>) {
  const texts = Object.entries(files).map(([name, [from, to]]) => {
    return { path: here.at(name), from: bytes(from), to: bytes(to), staysUnsaved: false };
  });
  const { unsaved, leftAlone, readDisk } = await recoverBuffers(texts, here.deps);
  for (const [name, [from, to]] of Object.entries(files)) {
    if (leftAlone.includes(here.at(name)) || unsaved.includes(here.at(name))) continue;
    if (to === null) rmSync(here.at(name));
    else if (here.disk(name) === from) here.write(name, to);
  }
  await readDisk();
  return { unsaved, leftAlone };
}

suite('a completed recovery', () => {
  test(
    'leaves no open document with the old text, also where the disk is not watched, and no new tab',
    // VS Code does not watch the objects of git.
    inPlace(
      { 'a.txt': 'a\nold\n', '.git/objects/b': 'b\nold\n', 'hidden.txt': 'h\nold\n', 'c.txt': 'c\n' },
      async (here) => {
        await here.open('a.txt');
        await here.open('.git/objects/b');
        const hidden = await vscode.workspace.openTextDocument(here.uri('hidden.txt'));
        await here.open('c.txt');
        const done = await recover(here, {
          'a.txt': ['a\nold\n', 'a\nnew\n'],
          '.git/objects/b': ['b\nold\n', 'b\nnew\n'],
          'hidden.txt': ['h\nold\n', 'h\nnew\n'],
        });
        assert.equal(here.document('a.txt')?.getText(), 'a\nnew\n');
        assert.equal(here.document('.git/objects/b')?.getText(), 'b\nnew\n');
        assert.equal(hidden.getText(), 'h\nnew\n');
        assert.deepEqual(here.dirty(), []);
        assert.deepEqual(done, { unsaved: [], leftAlone: [] });
        assert.deepEqual(here.tabs(), ['a.txt', 'b', 'c.txt']);
        assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, here.at('c.txt'));
        assert.equal(here.disk('.git/objects/b'), 'b\nnew\n');
      },
    ),
  );

  test(
    'does not overwrite a file that is newer than VS Code knows: it was saved already',
    inPlace({ 'back.txt': 'a\nold\n', 'there.txt': 'a\nold\n' }, async (here) => {
      for (const name of ['back.txt', 'there.txt']) {
        const editor = await here.open(name);
        await editor.edit((builder) => builder.replace(new vscode.Range(1, 0, 1, 3), 'new'));
        // The file of a window that was killed between its save and its record of the save.
        here.write(name, 'a\nnew\n');
        assert.equal(editor.document.isDirty, true);
      }
      const saves: string[] = [];
      const listener = vscode.workspace.onWillSaveTextDocument(({ document }) => saves.push(document.uri.fsPath));
      const done = await recover(here, {
        'back.txt': ['a\nnew\n', 'a\nold\n'],
        'there.txt': ['a\nold\n', 'a\nnew\n'],
      });
      listener.dispose();
      assert.deepEqual(done, { unsaved: [], leftAlone: [] });
      assert.deepEqual(saves, []);
      assert.deepEqual(here.dirty(), []);
      assert.equal(here.document('back.txt')?.getText(), 'a\nold\n');
      assert.equal(here.document('there.txt')?.getText(), 'a\nnew\n');
      assert.deepEqual(here.tree(), { 'back.txt': 'a\nold\n', 'there.txt': 'a\nnew\n' });
    }),
  );

  test(
    'leaves what the user typed on the same lines as it is',
    inPlace({ 'a.txt': 'a\nold\n' }, async (here) => {
      const editor = await here.open('a.txt');
      await editor.edit((builder) => builder.replace(new vscode.Range(1, 0, 1, 3), 'mine'));
      const done = await recover(here, { 'a.txt': ['a\nold\n', 'a\nnew\n'] });
      assert.deepEqual(done, { unsaved: [], leftAlone: [here.at('a.txt')] });
      assert.equal(editor.document.getText(), 'a\nmine\n');
      assert.equal(editor.document.isDirty, true);
      assert.equal(here.disk('a.txt'), 'a\nold\n');
    }),
  );

  test(
    'closes what the patch had made, clean or not, and leaves in front what the user looks at',
    inPlace({ 'clean.txt': 'n\n', 'dirty.txt': 'n\n', 'c.txt': 'c\n' }, async (here) => {
      await here.open('clean.txt');
      await here.type('dirty.txt', 'x');
      const editor = await here.open('dirty.txt');
      await editor.edit((builder) => builder.delete(new vscode.Range(0, 0, 0, 1)));
      assert.equal(editor.document.isDirty, true);
      await here.open('c.txt');
      await recover(here, { 'clean.txt': ['n\n', null], 'dirty.txt': ['n\n', null] });
      assert.deepEqual(here.tabs(), ['c.txt']);
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, here.at('c.txt'));
      assert.deepEqual(here.tree(), { 'c.txt': 'c\n' });
    }),
  );
});
