import assert from 'node:assert/strict';
import { chmodSync, statSync, symlinkSync } from 'node:fs';
import { suite, test } from 'mocha';
import { inPlace, withSetting } from './support/editorPlace.ts';
import * as vscode from 'vscode';

const origin = (itemId: string, turnId = 'turn') => ({ turnId, itemId });

suite('Undo Patch', () => {
  test(
    'restores every file, byte for byte, and redo applies the patch again',
    inPlace(
      {
        'update.txt': '\uFEFFone\r\n',
        'mixed.txt': 'a\nb\r\n',
        'move.sh': 'way\n',
        'gone.txt': '\uFEFFgone\r\n',
        'binary.bin': new Uint8Array([0, 255, 1]),
        'over.txt': 'over\n',
      },
      async (here) => {
        chmodSync(here.at('move.sh'), 0o755);
        chmodSync(here.at('gone.txt'), 0o600);
        const before = here.tree();
        await here.apply(
          [
            here.update('update.txt', 'one\r\n', 'two\r\n'),
            here.update('mixed.txt', 'a\nb\r\n', 'a\nB\r\n'),
            here.move('move.sh', 'over.txt', 'way\n', 'Way\n', 'over\n'),
            here.remove('gone.txt', 'gone\r\n'),
            here.remove('binary.bin', null),
            here.add('new/file.txt', 'new\n'),
          ],
          origin('item'),
        );
        const after = here.tree();
        assert.deepEqual(here.undo.latest, origin('item'));
        const report = await here.undo.undo('item');
        assert.deepEqual(report.leftAlone, []);
        assert.equal(report.restored.length, 6);
        assert.deepEqual(here.tree(), before);
        assert.deepEqual([modeOf(here.at('move.sh')), modeOf(here.at('gone.txt'))], ['755', '600']);
        assert.equal(here.undo.canUndo('item'), false);

        assert.deepEqual((await here.undo.redo()).leftAlone, []);
        assert.deepEqual(here.tree(), after);
        assert.deepEqual((await here.undo.undo('item')).leftAlone, []);
        assert.deepEqual(here.tree(), before);
      },
    ),
  );

  test(
    'keeps what the user did since, and says which file it left alone',
    inPlace({ 'beside.txt': '1\n2\n3\n', 'same.txt': '1\n2\n3\n' }, async (here) => {
      await here.apply(
        [
          here.update('beside.txt', '1\n2\n3\n', '1\n2\nthree\n'),
          here.update('same.txt', '1\n2\n3\n', 'one\n2\n3\n'),
          here.add('new.txt', 'new\n'),
        ],
        origin('item'),
      );
      await here.type('beside.txt', 'mine ');
      await here.type('same.txt', 'mine ');
      here.write('new.txt', 'new\nand more\n');
      const report = await here.undo.undo('turn');
      assert.deepEqual(report, {
        restored: [here.at('beside.txt')],
        leftAlone: [
          { path: here.at('new.txt'), reason: 'The same lines were changed since.' },
          { path: here.at('same.txt'), reason: 'The same lines were changed since.' },
        ],
      });
      assert.equal(here.document('beside.txt')?.getText(), 'mine 1\n2\n3\n');
      assert.equal(here.document('beside.txt')?.isDirty, true);
      assert.equal(here.document('same.txt')?.getText(), 'mine one\n2\n3\n');

      // Without the conflict they can be undone after all.
      here.write('new.txt', 'new\n');
      await here.pressUndo('same.txt');
      assert.deepEqual((await here.undo.undo('turn')).leftAlone, []);
      assert.equal(here.document('same.txt')?.getText(), '1\n2\n3\n');
    }),
  );

  test(
    'swaps two files back that had swapped names',
    inPlace({ 'a.txt': 'A\n', 'b.txt': 'B\n' }, async (here) => {
      const swap = [
        here.move('a.txt', 'b.txt', 'A\n', 'A1\n', 'B\n'),
        here.move('b.txt', 'a.txt', 'B\n', 'B1\n', 'A\n'),
      ];
      await here.apply(swap, origin('item'));
      assert.deepEqual(here.tree(), { 'a.txt': 'B1\n', 'b.txt': 'A1\n' });
      assert.deepEqual((await here.undo.undo('item')).leftAlone, []);
      assert.deepEqual(here.tree(), { 'a.txt': 'A\n', 'b.txt': 'B\n' });
    }),
  );

  test(
    'undoes all patches of a turn, the newest first',
    inPlace({ 'a.txt': '0\n' }, async (here) => {
      await here.apply([here.update('a.txt', '0\n', '1\n')], origin('first'));
      await here.apply([here.update('a.txt', '1\n', '2\n')], origin('second'));
      await here.apply([here.update('a.txt', '2\n', '3\n')], origin('third', 'another turn'));
      assert.deepEqual((await here.undo.undo('third')).restored, [here.at('a.txt')]);
      assert.deepEqual((await here.undo.undo('turn')).restored, [here.at('a.txt')]);
      assert.equal(here.disk('a.txt'), '0\n');
      assert.equal((await here.undo.redo()).leftAlone.length, 0);
      assert.equal(here.disk('a.txt'), '2\n');
    }),
  );

  test(
    'is one more step for Ctrl+Z in an open file',
    inPlace({ 'a.txt': 'a\n' }, async (here) => {
      await here.open('a.txt');
      await here.apply([here.update('a.txt', 'a\n', 'b\n')], origin('item'));
      await here.undo.undo('item');
      assert.equal(here.document('a.txt')?.getText(), 'a\n');
      assert.equal(await here.pressUndo('a.txt'), 'b\n');
    }),
  );

  test(
    'restores a link as a link, and a text that a formatter changed as it was',
    inPlace({ 'real.txt': 'r\n', 'a.tillertest': 'a b\n' }, async (here) => {
      symlinkSync('real.txt', here.at('link.txt'));
      await here.apply([here.move('link.txt', 'copy.txt', 'r\n', 'R\n')], origin('link'));
      assert.deepEqual(here.tree(), { 'real.txt': 'r\n', 'copy.txt': 'R\n', 'a.tillertest': 'a b\n' });
      assert.deepEqual((await here.undo.undo('link')).leftAlone, []);
      assert.deepEqual(here.tree(), { 'real.txt': 'r\n', 'link.txt': '-> real.txt', 'a.tillertest': 'a b\n' });

      const shout = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.tillertest' },
        {
          provideDocumentFormattingEdits: (document) => [
            vscode.TextEdit.replace(new vscode.Range(0, 0, 1, 0), document.getText().replace('  ', ' ')),
          ],
        },
      );
      try {
        await withSetting('editor.formatOnSave', true, async () => {
          await here.apply([here.update('a.tillertest', 'a b\n', 'a  c\n')], origin('formatted'));
          assert.equal(here.disk('a.tillertest'), 'a c\n');
          assert.deepEqual((await here.undo.undo('formatted')).leftAlone, []);
          assert.equal(here.disk('a.tillertest'), 'a b\n');
        });
      } finally {
        shout.dispose();
      }
    }),
  );
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
