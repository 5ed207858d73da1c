import assert from 'node:assert/strict';
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { decided } from '../support/decided.ts';
import type { RecoveryChoices } from '../../src/node/apply/recoverJournals.ts';
import { PlaceFiles } from '../../src/vscode/apply/placeFiles.ts';
import { inPlace, pause, until, withSetting } from './support/editorPlace.ts';

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

const MANY = Array.from({ length: 20 }, (_, index) => `many${index}.txt`);

suite('changes are applied', () => {
  test(
    'to many files, of which only some are being saved at a time',
    inPlace(Object.fromEntries(MANY.map((name) => [name, 'one\n'])), async (here) => {
      let [saving, most] = [0, 0];
      const slow = vscode.workspace.onWillSaveTextDocument(({ document, waitUntil }) => {
        if (!document.fileName.startsWith(here.root)) return;
        most = Math.max(most, ++saving);
        waitUntil(pause(50).then(() => void saving--));
      });
      try {
        const result = await here.apply(MANY.map((name) => here.update(name, 'one\n', 'two\n')));
        assert.deepEqual(
          result.type === 'applied' && result.files.map(({ saved }) => saved),
          MANY.map(() => true),
        );
      } finally {
        slow.dispose();
      }
      assert.ok(most > 0 && most <= 8, `${most} at a time`);
    }),
  );

  test(
    'of all kinds together, and no tab, no dirty buffer and no journal remains',
    inPlace({ 'update.txt': 'one\n', 'delete.txt': 'gone\n', 'move.txt': 'way\n' }, async (here) => {
      const result = await here.apply([
        here.update('update.txt', 'one\n', 'two\n'),
        here.remove('delete.txt', 'gone\n'),
        here.move('move.txt', 'deep/er/moved.txt', 'way\n', 'way!\n'),
        here.add('new/file.txt', 'new\n'),
      ]);
      assert.deepEqual(result, {
        type: 'applied',
        files: ['update.txt', 'delete.txt', 'deep/er/moved.txt', 'new/file.txt'].map((name) => ({
          path: here.at(name),
          saved: true,
          reformatted: false,
        })),
      });
      assert.deepEqual(here.tree(), { 'update.txt': 'two\n', 'deep/er/moved.txt': 'way!\n', 'new/file.txt': 'new\n' });
      assert.deepEqual(here.journals(), []);
      await pause(1000);
      assert.deepEqual(here.tabs(), []);
    }),
  );

  for (const [name, before] of [
    ['CRLF', 'a\r\nb\r\nc\r\n'],
    ['mixed line endings', 'a\nb\r\nc\rb\n'],
    ['no final newline', 'a\nb'],
    ['a byte order mark', '\uFEFFa\r\nb\r\n'],
    ['trailing blanks and form feeds', 'a  \t\nb\f\v\u0085c\n'],
    ['emoji and combining marks', '🙂a\u0301\nb\n'],
  ] as const) {
    for (const isOpen of [false, true]) {
      test(
        `and leave ${name} alone in ${isOpen ? 'an open' : 'a closed'} file`,
        inPlace({ 'a.txt': before }, async (here) => {
          if (isOpen) await here.open('a.txt');
          const { text } = await here.workspace.read(here.at('a.txt'));
          const result = await here.apply([here.update('a.txt', text, text.replace('b', 'B'))]);
          const applied = { path: here.at('a.txt'), saved: true, reformatted: false };
          assert.deepEqual(result, { type: 'applied', files: [applied] });
          assert.equal(here.disk('a.txt'), Buffer.from(before.replace('b', 'B'), 'utf8').toString('latin1'));
          if (isOpen) await until(() => here.document('a.txt')?.isDirty === false);
        }),
      );
    }
  }

  test(
    'and leave line separators alone that VS Code asks about when it shows them',
    inPlace({ 'a.txt': 'a\u2028b\nc\n' }, async (here) => {
      assert.equal((await here.apply([here.update('a.txt', 'a\u2028b\nc\n', 'a\u2028b\nC\n')])).type, 'applied');
      assert.equal(Buffer.from(here.disk('a.txt'), 'latin1').toString(), 'a\u2028b\nC\n');
    }),
  );

  test(
    'in UTF-16 and Windows-1252, keeping the encoding; text that it cannot represent is refused',
    inPlace({ 'wide.txt': new Uint8Array([0xff, 0xfe, 0x61, 0, 0x0a, 0]) }, async (here) => {
      assert.equal((await here.workspace.read(here.at('wide.txt'))).text, 'a\n');
      await here.apply([here.update('wide.txt', 'a\n', 'ab\n')]);
      assert.equal(here.disk('wide.txt'), '\xff\xfea\0b\0\n\0');

      here.write('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
      await assert.rejects(here.workspace.read(here.at('latin.txt')), { code: 'not_text' });
      await withSetting('files.encoding', 'windows1252', async () => {
        here.write('latin2.txt', Buffer.from('caf\xe9\n', 'latin1'));
        assert.equal((await here.workspace.read(here.at('latin2.txt'))).text, 'café\n');
        const done = await here.apply([here.update('latin2.txt', 'café\n', 'Café\n')]);
        assert.equal(done.type, 'applied');
        assert.equal(here.disk('latin2.txt'), 'Caf\xe9\n');
        const refused = await here.apply([here.update('latin2.txt', 'Café\n', '漢字\n')]);
        assert.match(refused.type === 'failed' ? refused.message : refused.type, /windows1252/);
        assert.equal(here.disk('latin2.txt'), 'Caf\xe9\n');
      });
    }),
  );

  test(
    'with the permissions of a moved file, through links, and never through two names of one file',
    inPlace({ 'run.sh': 'echo\n', 'real/a.txt': 'a\n', 'twin.txt': 't\n' }, async (here) => {
      chmodSync(here.at('run.sh'), 0o755);
      symlinkSync('real/a.txt', here.at('link.txt'));
      linkSync(here.at('twin.txt'), here.at('other.txt'));
      assert.equal((await here.apply([here.move('run.sh', 'bin/run', 'echo\n', 'echo 1\n')])).type, 'applied');
      assert.equal(statSync(here.at('bin/run')).mode & 0o777, 0o755);
      assert.equal((await here.apply([here.update('link.txt', 'a\n', 'b\n')])).type, 'applied');
      const twins = await here.apply([here.update('twin.txt', 't\n', '1\n'), here.update('other.txt', 't\n', '2\n')]);
      assert.match(twins.type === 'failed' ? twins.message : '', /two names of one file/);
      assert.deepEqual(here.tree(), {
        'bin/run': 'echo 1\n',
        'link.txt': '-> real/a.txt',
        'real/a.txt': 'b\n',
        'twin.txt': 't\n',
        'other.txt': 't\n',
      });
      assert.equal((await here.apply([here.remove('link.txt', 'b\n')])).type, 'applied');
      assert.equal(here.disk('real/a.txt'), 'b\n');
    }),
  );

  test(
    'where two files swap names, and where the case of a name changes',
    inPlace({ 'a.txt': 'A\n', 'b.txt': 'B\n', 'case.txt': 'c\n' }, async (here) => {
      const result = await here.apply([
        here.move('a.txt', 'b.txt', 'A\n', 'A\n', 'B\n'),
        here.move('b.txt', 'a.txt', 'B\n', 'B\n', 'A\n'),
        here.move('case.txt', 'Case.txt', 'c\n'),
      ]);
      assert.equal(result.type, 'applied');
      assert.deepEqual(here.tree(), { 'a.txt': 'B\n', 'b.txt': 'A\n', 'Case.txt': 'c\n' });
    }),
  );

  test(
    'as bytes where an edit would block the window, and not at all above 50 MB',
    inPlace({ 'big.txt': `a\n${'x'.repeat(99)}\n`.repeat(60_000) }, async (here) => {
      const { text } = await here.workspace.read(here.at('big.txt'));
      const started = performance.now();
      const result = await here.apply([here.update('big.txt', text, `A${text.slice(1)}`)]);
      console.log(`TIMING 6 MB closed file landed in ${Math.round(performance.now() - started)} ms`);
      assert.equal(result.type, 'applied');
      assert.equal(here.disk('big.txt').slice(0, 4), 'A\nxx');
      here.write('huge.txt', Buffer.alloc(51 * 1024 * 1024, 'x\n'));
      await assert.rejects(here.workspace.read(here.at('huge.txt')), { code: 'too_large' });
    }),
  );

  test(
    'and cursor, selection and focus stay where they were',
    inPlace({ 'seen.txt': lines('1', '2', '3', '4', '5'), 'other.txt': 'x\n' }, async (here) => {
      const editor = await here.open('seen.txt');
      editor.selection = new vscode.Selection(3, 0, 3, 1);
      await here.apply([
        here.update('seen.txt', lines('1', '2', '3', '4', '5'), lines('0', '1', '2', '3', '4', 'five')),
        here.update('other.txt', 'x\n', 'y\n'),
      ]);
      assert.equal(editor.document.getText(editor.selection), '4');
      assert.equal(vscode.window.activeTextEditor, editor);
      assert.deepEqual(here.tabs(), ['seen.txt']);
      assert.equal(editor.document.isDirty, false);
    }),
  );

  test(
    'so that Ctrl+Z reverts them file by file, opened before or not',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, async (here) => {
      await here.open('a.txt');
      const changes = ['a', 'b', 'c'].map((name) => here.update(`${name}.txt`, `${name}\n`, `${name}!\n`));
      assert.equal((await here.apply(changes)).type, 'applied');
      assert.equal(await here.pressUndo('a.txt'), 'a\n');
      assert.deepEqual([here.disk('b.txt'), here.disk('c.txt')], ['b!\n', 'c!\n']);
      assert.equal(await here.pressUndo('b.txt'), 'b\n');
      assert.equal(here.disk('c.txt'), 'c!\n');
    }),
  );

  test(
    'fifty at a time',
    inPlace(Object.fromEntries(many(50).map((name) => [name, lines('1', '2', '3')])), async (here) => {
      const changes = many(50).map((name) => here.update(name, lines('1', '2', '3'), lines('1', 'two', '3')));
      const started = performance.now();
      const result = await here.apply(changes);
      console.log(`TIMING 50 closed files landed and saved in ${Math.round(performance.now() - started)} ms`);
      assert.equal(result.type, 'applied');
      assert.deepEqual(new Set(Object.values(here.tree())), new Set([lines('1', 'two', '3')]));
      await pause(1000);
      assert.deepEqual(here.tabs(), []);
    }),
  ).timeout(60_000);

  test(
    'with a private file that others may not read at any moment',
    inPlace({}, async (here) => {
      const files = new PlaceFiles(here.deps.holdFolders());
      const seen: number[] = [];
      const look = () => seen.push(statSync(here.at('key')).mode & 0o777);
      async function* content() {
        look();
        yield Buffer.from('secret');
        look();
      }
      // Node writes what is iterated, too: this shows the file while it is written.
      await files.write(here.at('key'), content() as unknown as Uint8Array, 0o600);
      files.dispose();
      look();
      assert.deepEqual([seen, here.disk('key')], [[0o600, 0o600, 0o600], 'secret']);
    }),
  );
});

suite('a patch of hundreds of files', () => {
  test(
    'writes the closed files and edits the open one',
    inPlace(Object.fromEntries(many(500).map((name) => [name, 'a\n'])), async (here) => {
      await here.open('f7.txt');
      const started = performance.now();
      const result = await here.apply(many(500).map((name) => here.update(name, 'a\n', 'b\n')));
      console.log(`TIMING 500 files landed in ${Math.round(performance.now() - started)} ms`);
      assert.equal(result.type, 'applied');
      assert.deepEqual(new Set(Object.values(here.tree())), new Set(['b\n']));
      assert.deepEqual(here.tabs(), ['f7.txt']);
      assert.equal(await here.pressUndo('f7.txt'), 'a\n');
    }),
  ).timeout(60_000);
});

suite('a patch that cannot be applied', () => {
  test(
    'is stale when a file differs from the one that the plan was made for, and changes nothing',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'changed\n' }, async (here) => {
      const result = await here.apply([here.update('a.txt', 'a\n', 'A\n'), here.update('b.txt', 'b\n', 'B\n')]);
      assert.deepEqual(result, { type: 'stale', paths: [here.at('b.txt')] });
      assert.deepEqual(here.tree(), { 'a.txt': 'a\n', 'b.txt': 'changed\n' });
    }),
  );

  test(
    'rolls everything back when it fails in the middle: disk, buffers, tabs',
    inPlace(
      { 'open.txt': 'open\n', 'dirty.txt': 'dirty\n', 'closed.txt': 'closed\n', 'move.txt': 'm\n', 'gone.txt': 'g\n' },
      async (here) => {
        await here.type('dirty.txt', 'mine ');
        await here.open('open.txt');
        const before = here.tree();
        // The folder of the last new file turns into a file after the last possible plan.
        here.beforeFirstWrite = () => here.write('blocked', 'a file\n');
        const result = await here.apply([
          here.update('open.txt', 'open\n', 'OPEN\n'),
          here.update('dirty.txt', 'mine dirty\n', 'mine DIRTY\n'),
          here.update('closed.txt', 'closed\n', 'CLOSED\n'),
          here.move('move.txt', 'moved.txt', 'm\n', 'M\n'),
          here.add('fresh/new.txt', 'new\n'),
          here.add('blocked/new.txt', 'new\n'),
          here.remove('gone.txt', 'g\n'),
        ]);
        assert.equal(result.type, 'failed');
        assert.deepEqual(result.type === 'failed' && result.notRestored, []);
        assert.deepEqual(here.tree(), { ...before, blocked: 'a file\n' });
        assert.equal(here.document('open.txt')?.isDirty, false);
        assert.equal(here.document('dirty.txt')?.getText(), 'mine dirty\n');
        assert.equal(here.document('dirty.txt')?.isDirty, true);
        assert.deepEqual(here.tabs(), ['dirty.txt', 'open.txt']);
        assert.deepEqual(here.journals(), []);
      },
    ),
  );

  test(
    'rolls texts back, too, when VS Code refuses only the last file',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'gone.txt': 'g\n' }, async (here) => {
      await here.open('a.txt');
      here.beforeFirstWrite = () => here.write('gone.txt', 'written by another program\n');
      const result = await here.apply([
        here.update('a.txt', 'a\n', 'A\n'),
        here.update('b.txt', 'b\n', 'B\n'),
        here.remove('gone.txt', 'g\n'),
      ]);
      assert.deepEqual(result, { type: 'stale', paths: [here.at('gone.txt')] });
      assert.deepEqual(here.tree(), { 'a.txt': 'a\n', 'b.txt': 'b\n', 'gone.txt': 'written by another program\n' });
      assert.equal(here.document('a.txt')?.isDirty, false);
      assert.deepEqual(here.tabs(), ['a.txt']);
    }),
  );

  test(
    'reports why: a directory, binary content, read-only by the settings, a read-only scheme',
    inPlace({ 'binary.bin': new Uint8Array([0, 1, 2]), 'locked/a.txt': 'a\n' }, async (here) => {
      mkdirSync(here.at('folder'));
      const reasonOf = async (change: Parameters<typeof here.apply>[0][number]) => {
        const result = await here.apply([change]);
        return result.type === 'failed' ? result.message : result.type;
      };
      assert.match(await reasonOf(here.add('folder', 'x\n')), /is a directory/);
      assert.match(await reasonOf(here.add('binary.bin', 'x\n')), /is not text/);
      await withSetting('files.readonlyInclude', { '**/locked/**': true }, async () => {
        assert.match(await reasonOf(here.update('locked/a.txt', 'a\n', 'b\n')), /marked read-only/);
      });
      await assert.rejects(here.workspace.read(here.at('binary.bin')), { code: 'not_text' });
      await assert.rejects(here.workspace.read(here.at('folder')), { code: 'is_directory' });
      await assert.rejects(here.workspace.read(here.at('nothing.txt')), { code: 'not_found' });
      assert.deepEqual(await here.apply([here.remove('binary.bin', null)]), {
        type: 'applied',
        files: [{ path: here.at('binary.bin'), saved: true, reformatted: false }],
      });
    }),
  );

  for (const [place, line] of [
    ['elsewhere', 0],
    ['on the same line', 2],
  ] as const) {
    test(
      `rolls back its own edit and keeps text that was typed ${place} since`,
      inPlace({ 'a.txt': '1\n2\n3\n', 'gone.txt': 'g\n' }, async (here) => {
        const editor = await here.open('a.txt');
        here.beforeFirstWrite = () => here.write('gone.txt', 'written by another program\n');
        const applied = onNextChange(editor.document, () =>
          editor.edit((builder) => builder.insert(new vscode.Position(line, 0), 'mine ')),
        );
        const changes = [here.update('a.txt', '1\n2\n3\n', '1\n2\nthree\n'), here.remove('gone.txt', 'g\n')];
        const result = await here.apply(changes);
        await applied;
        const isElsewhere = line === 0;
        assert.equal(editor.document.getText(), isElsewhere ? 'mine 1\n2\n3\n' : '1\n2\nmine three\n');
        assert.deepEqual(result.type === 'failed' && result.notRestored, isElsewhere ? false : [here.at('a.txt')]);
        assert.equal(here.disk('a.txt'), '1\n2\n3\n');
        assert.equal(here.journals().length, isElsewhere ? 0 : 1);
      }),
    );
  }

  test(
    'leaves a journal for a rollback if the host is killed in the middle',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'move.txt': 'm\n', 'gone.txt': 'g\n' }, async (here) => {
      symlinkSync('a.txt', here.at('link'));
      chmodSync(here.at('gone.txt'), 0o750);
      const before = here.tree();
      here.beforeFirstWrite = () => here.keepJournalOfDeadHost();
      await here.apply([
        here.update('a.txt', 'a\n', 'A\n'),
        here.update('b.txt', 'b\n', 'B\n'),
        here.move('move.txt', 'moved.txt', 'm\n', 'M\n'),
        here.remove('gone.txt', 'g\n'),
        here.add('new.txt', 'n\n'),
        here.remove('link', 'a\n'),
      ]);
      const after = here.tree();
      here.write('b.txt', 'b\n');
      here.write('gone.txt', 'g\n');
      const [interrupted] = await here.interruptedApplies();
      const bothWays = async ({ finish, rollback }: RecoveryChoices) => {
        assert.deepEqual(await finish(), { leftAlone: [] });
        assert.deepEqual(here.tree(), after);
        assert.deepEqual(await rollback(), { leftAlone: [] });
        assert.deepEqual(here.tree(), before);
      };
      const settlement = await interrupted?.settle(bothWays, { signal: AbortSignal.timeout(5_000) });
      assert.equal(settlement?.type, 'settled');
      assert.equal(statSync(here.at('gone.txt')).mode & 0o777, 0o750);
    }),
  );

  test(
    'is cancelled before the first write, and not after',
    inPlace({ 'a.txt': 'a\n' }, async (here) => {
      const stop = new AbortController();
      here.beforeFirstWrite = () => stop.abort(new Error('stopped'));
      const change = here.update('a.txt', 'a\n', 'b\n');
      await assert.rejects(here.workspace.apply(await decided(here.workspace, [change]), stop.signal), /stopped/);
      assert.deepEqual(here.tree(), { 'a.txt': 'a\n' });
      assert.deepEqual(here.journals(), []);
    }),
  );
});

suite('two patches', () => {
  test(
    'of one file are applied one after the other; the second finds its plan stale',
    inPlace({ 'a.txt': 'a\n' }, async (here) => {
      const results = await Promise.all([
        here.apply([here.update('a.txt', 'a\n', 'first\n')]),
        here.apply([here.update('a.txt', 'a\n', 'second\n')]),
      ]);
      assert.deepEqual(results.map(({ type }) => type).sort(), ['applied', 'stale']);
    }),
  );
});

/** Resolves when the listeners of the next edit of the document have run. */
function onNextChange(document: vscode.TextDocument, react: () => Thenable<boolean>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document || event.contentChanges.length === 0) return;
      listener.dispose();
      react().then(resolve, reject);
    });
  });
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_nothing, index) => `f${index}.txt`);
}
