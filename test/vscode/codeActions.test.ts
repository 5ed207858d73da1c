import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { editOfDiff, insertIntoTerminal } from '../../src/vscode/chat/codeActions.ts';
import { openNewFile } from '../../src/vscode/chat/editorText.ts';
import { inPlace, until } from './support/editorPlace.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

/** Runs a story with an active terminal that only records what is typed into it. */
async function withTerminal(story: (typed: () => string) => Promise<void>): Promise<void> {
  const printed = new vscode.EventEmitter<string>();
  let typed = '';
  const pty: vscode.Pseudoterminal = {
    onDidWrite: printed.event,
    open: () => {},
    close: () => {},
    handleInput: (data) => void (typed += data),
  };
  const terminal = vscode.window.createTerminal({ name: 'records', pty });
  try {
    terminal.show();
    await until(() => vscode.window.activeTerminal === terminal, 20_000);
    await story(() => typed);
  } finally {
    terminal.dispose();
    printed.dispose();
  }
}

suite('code of an answer goes into the terminal', () => {
  test('unasked when it is a plain line, which is not run', () =>
    withTerminal(async (typed) => {
      await insertIntoTerminal('npm test\n');
      await until(() => typed() !== '', 20_000);
      assert.equal(typed(), 'npm test');
    }));

  for (const text of ['rm -r x\u000f', 'a\u0003b', '\u001b[201~a', 'a\u2028b', 'a\rb', 'a\nb']) {
    test(`only when the user agrees: ${JSON.stringify(text)}`, () =>
      withTerminal(async (typed) => {
        const user = new ScriptedUser();
        try {
          await insertIntoTerminal(text);
          const [question, detail = ''] = user.shown;
          assert.match(question ?? '', /^(?:Run 2 lines|Insert a line with control)/);
          assert.doesNotMatch(detail.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}]/u);
        } finally {
          user.restore();
        }
        // A terminal gets its input in order: had there been any, it would stand before this one.
        await insertIntoTerminal('later');
        await until(() => typed() !== '', 20_000);
        assert.equal(typed(), 'later');
      }));
  }

  test('after the user has agreed', () =>
    withTerminal(async (typed) => {
      const user = new ScriptedUser({ button: 'Insert' });
      try {
        await insertIntoTerminal('a\u202eb');
      } finally {
        user.restore();
      }
      await until(() => typed() !== '', 20_000);
      assert.equal(typed(), 'a\u202eb');
    }));
});

suite('a diff of an answer', () => {
  const root = (place: { uri(name: string): vscode.Uri }) => place.uri('.');
  const diff = (from: string, to: string, ...lines: string[]) =>
    [`--- ${from}`, `+++ ${to}`, '@@ -1,2 +1,2 @@', ...lines, ''].join('\n');
  const RENAMED = ['diff --git a/a.txt b/b.txt', 'similarity index 50%', 'rename from a.txt', 'rename to b.txt'];
  const CHANGED = [' one', '-two', '+three'];

  test(
    'changes, renames, copies and deletes files',
    inPlace(
      { 'a.txt': 'one\ntwo\n', 'c.txt': 'one\ntwo\n', 'd.txt': 'one\ntwo\n', 'e.txt': 'one\ntwo\n' },
      async (place) => {
        const copied = ['diff --git a/e.txt b/f.txt', 'copy from e.txt', 'copy to f.txt'];
        const text = [
          ...RENAMED,
          diff('a/a.txt', 'b/b.txt', ...CHANGED) + diff('c.txt.orig', 'c.txt', ...CHANGED),
          `--- a/d.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two`,
          ...copied,
          diff('a/e.txt', 'b/f.txt', ...CHANGED),
        ].join('\n');
        const edit = await editOfDiff(text, root(place));
        if (typeof edit === 'string') assert.fail(edit);
        assert.ok(await vscode.workspace.applyEdit(edit));
        assert.deepEqual(Object.keys(place.tree()), ['b.txt', 'c.txt', 'e.txt', 'f.txt']);
        const documents = ['b.txt', 'c.txt', 'f.txt'].map((name) => vscode.workspace.openTextDocument(place.uri(name)));
        const texts = (await Promise.all(documents)).map((document) => document.getText());
        assert.deepEqual(texts, ['one\nthree\n', 'one\nthree\n', 'one\nthree\n']);
      },
    ),
  );

  test(
    'is refused with the reason where it does not fit: a deletion of other text, a file that is not there',
    inPlace({ 'a.txt': 'one\nother\n', 'd.txt': 'one\ntwo\nthree\n' }, async (place) => {
      const refused = async (text: string) => editOfDiff(text, root(place));
      const deleted = (name: string) => `--- a/${name}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n`;
      assert.equal(await refused(deleted('a.txt')), 'The diff does not fit a.txt.');
      assert.equal(await refused(deleted('d.txt')), 'The diff does not fit d.txt.');
      const renamed = [...RENAMED, diff('a/a.txt', 'b/b.txt', ' 1', '-2', '+3')].join('\n');
      assert.equal(await refused(renamed), 'The diff does not fit a.txt.');
      assert.equal(await refused(diff('a/x.txt', 'b/x.txt', ...CHANGED)), 'x.txt cannot be opened.');
      const outside = 'The diff names a file outside of the workspace.';
      for (const name of ['a/', '../x', 'a/../../x', '/etc/x']) {
        assert.equal(await refused(diff(name, name, ...CHANGED)), outside, name);
      }
    }),
  );
});

suite('code of an answer opens as a new file', () => {
  for (const [language, id] of [
    ['TS', 'typescript'],
    ['python', 'python'],
    ['no-language', 'plaintext'],
  ] as const) {
    test(`in the language ${id}, named ${language}`, async () => {
      await openNewFile('one\ntwo', language);
      const document = vscode.window.activeTextEditor?.document;
      assert.deepEqual([document?.isUntitled, document?.languageId, document?.getText()], [true, id, 'one\ntwo']);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });
  }
});
