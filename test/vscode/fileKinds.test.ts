/** Files with several names, files outside the workspace, files with two writers, files in an editor. */
import assert from 'node:assert/strict';
import { linkSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { inPlace, pause, until } from './support/editorPlace.ts';

const saved = (result: { type: string; files?: readonly { saved: boolean }[] }) =>
  result.type === 'applied' ? result.files?.map((file) => file.saved) : result;

suite('a file with several names', () => {
  test(
    'that is open by its link is deleted itself, and the link stays',
    inPlace({ 'real.txt': 'r\n' }, async (here) => {
      symlinkSync('real.txt', here.at('link.txt'));
      await here.open('link.txt');
      assert.deepEqual(saved(await here.apply([here.remove('real.txt', 'r\n')])), [true]);
      assert.deepEqual(here.tree(), { 'link.txt': '-> real.txt' });
    }),
  );

  test(
    'that is open by its link is moved where it is, and the link stays',
    inPlace({ 'real.txt': 'r\n' }, async (here) => {
      symlinkSync('real.txt', here.at('link.txt'));
      await here.open('link.txt');
      assert.deepEqual(saved(await here.apply([here.move('real.txt', 'moved.txt', 'r\n', 'R\n')])), [true]);
      assert.deepEqual(here.tree(), { 'link.txt': '-> real.txt', 'moved.txt': 'R\n' });
    }),
  );

  test(
    'that is open by its own name stays when its link is deleted',
    inPlace({ 'real.txt': 'r\n' }, async (here) => {
      symlinkSync('real.txt', here.at('link.txt'));
      await here.open('real.txt');
      assert.deepEqual(saved(await here.apply([here.remove('link.txt', 'r\n')], { turnId: 't', itemId: 'i' })), [true]);
      assert.deepEqual(here.tree(), { 'real.txt': 'r\n' });
      await here.undo.undo('i');
      assert.deepEqual(here.tree(), { 'real.txt': 'r\n', 'link.txt': '-> real.txt' });
    }),
  );

  for (const isOpen of [false, true]) {
    test(
      `keeps both of them (hard link, ${isOpen ? 'open' : 'closed'})`,
      inPlace({ 'one.txt': 'a\n' }, async (here) => {
        linkSync(here.at('one.txt'), here.at('two.txt'));
        if (isOpen) await here.open('one.txt');
        assert.deepEqual(saved(await here.apply([here.update('one.txt', 'a\n', 'A\n')])), [true]);
        assert.deepEqual(here.tree(), { 'one.txt': 'A\n', 'two.txt': 'A\n' });
        assert.equal(statSync(here.at('one.txt')).nlink, 2);
      }),
    );
  }

  test(
    'is the same one by a path with ..',
    inPlace({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' }, async (here) => {
      await here.type('a.txt', 'mine ');
      const round = `${here.root}/sub/../a.txt`;
      const change = { ...here.update('a.txt', 'mine a\n', 'mine A\n'), path: round };
      assert.deepEqual(saved(await here.apply([change])), [false]);
      assert.equal(here.document('a.txt')?.getText(), 'mine A\n');
    }),
  );
});

suite('a file outside every root', () => {
  test(
    'is patched when the policy allows it, and leaves no tab',
    inPlace({}, async (here) => {
      const folder = mkdtempSync(join(tmpdir(), 'tiller-outside-'));
      const file = join(folder, 'a.txt');
      try {
        writeFileSync(file, 'a\r\n');
        const change = { ...here.update('a.txt', 'a\r\n', 'A\r\n'), path: file };
        assert.deepEqual(saved(await here.apply([change])), [true]);
        assert.equal(readFileSync(file, 'utf8'), 'A\r\n');
        assert.deepEqual(here.tabs(), []);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
  );
});

suite('a file changed on disk while it holds unsaved edits', () => {
  test(
    'gets the patch beside the unsaved edits; the text on disk stays',
    inPlace({ 'a.txt': '1\n2\n3\n' }, async (here) => {
      await here.type('a.txt', 'mine ');
      here.write('a.txt', 'another program\n');
      const { text } = await here.workspace.read(here.at('a.txt'));
      assert.equal(text, 'mine 1\n2\n3\n');
      assert.deepEqual(saved(await here.apply([here.update('a.txt', text, 'mine 1\n2\nthree\n')])), [false]);
      assert.equal(here.document('a.txt')?.getText(), 'mine 1\n2\nthree\n');
      assert.equal(here.disk('a.txt'), 'another program\n');
    }),
  );
});

suite('an editor that shows a file', () => {
  const before = Array.from({ length: 200 }, (_nothing, index) =>
    index % 10 === 0 ? `block ${index}\n` : `  line ${index}\n`,
  ).join('');

  test(
    'keeps its scroll position',
    inPlace({ 'seen.txt': before }, async (here) => {
      const editor = await here.open('seen.txt');
      editor.revealRange(new vscode.Range(120, 0, 120, 0), vscode.TextEditorRevealType.AtTop);
      await until(() => (editor.visibleRanges[0]?.start.line ?? 0) > 100);
      await pause(300);
      const top = editor.visibleRanges[0]?.start.line;
      const after = before.replace('  line 5\n', '  LINE 5\n').replace('  line 199', '  more\n  LAST');
      assert.deepEqual(saved(await here.apply([here.update('seen.txt', before, after)])), [true]);
      await pause(300);
      assert.equal(editor.visibleRanges[0]?.start.line, top);
    }),
  );

  for (const isActive of [true, false]) {
    test(
      `keeps its folds, its cursor and its breakpoints (${isActive ? 'active' : 'beside the active one'})`,
      inPlace({ 'seen.txt': before, 'other.txt': 'x\n' }, async (here) => {
        const editor = await here.open('seen.txt');
        editor.selection = new vscode.Selection(101, 2, 101, 6);
        await vscode.commands.executeCommand('editor.fold', { selectionLines: [100] });
        await until(() => editor.visibleRanges.length > 1);
        const point = new vscode.SourceBreakpoint(
          new vscode.Location(here.uri('seen.txt'), new vscode.Position(150, 0)),
        );
        vscode.debug.addBreakpoints([point]);
        // VS Code attaches it to the text a moment later, without an event.
        await pause(1000);
        try {
          if (!isActive) {
            await vscode.window.showTextDocument(here.uri('other.txt'), { viewColumn: vscode.ViewColumn.Beside });
          }
          const active = vscode.window.activeTextEditor;
          const after = before.replace('  line 5\n', '  line 5\n  new\n  lines\n').replace('  line 199', '  LAST');
          assert.deepEqual(saved(await here.apply([here.update('seen.txt', before, after)])), [true]);
          assert.equal(vscode.window.activeTextEditor, active);
          const shown = vscode.window.visibleTextEditors.find(({ document }) => document === editor.document);
          assert.ok(shown);
          await until(() => shown.visibleRanges.length > 1);
          const isFolded = shown.visibleRanges.every((range) => range.start.line > 111 || range.end.line < 104);
          assert.ok(isFolded, JSON.stringify(shown.visibleRanges));
          await until(() => {
            const kept = vscode.debug.breakpoints.find(({ id }) => id === point.id);
            return kept instanceof vscode.SourceBreakpoint && kept.location.range.start.line === 152;
          });
        } finally {
          vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
        }
      }),
    );
  }
});
