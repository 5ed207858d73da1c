import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { ChangeRecords } from '../../src/core/baseline/changeRecords.ts';
import { performRevert, planRevert } from '../../src/core/baseline/revert.ts';
import { systemClock } from '../../src/node/host/clock.ts';
import { createBaselineStore } from '../../src/node/baseline/store.ts';
import type { RecordedChange } from '../../src/protocol/baseline.ts';
import { withUnsavedText } from '../../src/vscode/apply/unsavedBaseline.ts';
import { type EditorPlace, inPlace, until, withSetting } from './support/editorPlace.ts';

/** Records the changes of `act` to these files, and undoes them on demand. */
class Recorded {
  readonly #home = join(tmpdir(), `tiller-kept-${randomUUID().slice(0, 8)}`);
  readonly #here: EditorPlace;
  readonly store = withUnsavedText(createBaselineStore({ home: this.#home, userHome: '/nowhere' }));
  #changes: readonly RecordedChange[] = [];

  constructor(here: EditorPlace) {
    this.#here = here;
  }

  /** `gone`: files that a look would find absent, because a folder is in their place. */
  async change(paths: readonly string[], act: () => void | Promise<unknown>, gone: readonly string[] = []) {
    const places = paths.map((path) => this.#here.at(path));
    const before = await this.store.capture(places);
    await act();
    const after = await this.store.capture(places);
    const absent = { type: 'absent' } as const;
    const isGone = (path: string) => gone.some((name) => this.#here.at(name) === path);
    this.#changes = places.map((path) => {
      return {
        path,
        before: before.get(path) ?? absent,
        after: isGone(path) ? absent : (after.get(path) ?? absent),
        by: 'this',
      };
    });
  }

  async undo({
    overwrite = [] as string[],
    newFolders = [] as string[],
    goneFolders = [] as { path: string; mode?: number }[],
    meanwhile = () => {},
  } = {}) {
    const { store } = this;
    const { root, workspace } = this.#here;
    const standing = { turnIds: ['turn'], changes: this.#changes, newFolders, goneFolders };
    const options = { direction: 'undo', cwd: root, includeUncertain: true, overwrite } as const;
    const plan = await planRevert(standing, options, { store });
    meanwhile();
    const restore = workspace.restore?.bind(workspace);
    assert.ok(restore);
    const file = { path: '', append: () => {}, sync: async () => {}, close: async () => {} };
    const records = new ChangeRecords({ openAppend: async () => file, readText: async () => undefined }, 'thread');
    const result = await performRevert(plan, options, { store, restore, records, clock: systemClock });
    return 'type' in result ? result : { paths: result.paths, skipped: result.skipped.map(({ path }) => path) };
  }

  dispose(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function recorded(
  files: Readonly<Record<string, string | Uint8Array>>,
  story: (here: EditorPlace, kept: Recorded) => Promise<void>,
): () => Promise<void> {
  return inPlace(files, async (here) => {
    const kept = new Recorded(here);
    try {
      await story(here, kept);
    } finally {
      kept.dispose();
    }
  });
}

const BOOK = JSON.stringify({
  cells: ['1 + 1', 'word', '2 + 2'].map((source, index) => ({
    cell_type: 'code',
    id: `cell${index}`,
    metadata: {},
    source: [source],
    execution_count: 1,
    outputs: [{ name: 'stdout', output_type: 'stream', text: ['4'] }],
  })),
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});

async function shownBook(here: EditorPlace): Promise<vscode.NotebookDocument> {
  const book = await vscode.workspace.openNotebookDocument(here.uri('book.ipynb'));
  await vscode.window.showNotebookDocument(book, { preview: false });
  return book;
}

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
}

/** A command writes the file, and an open editor shows it. */
async function shown(here: EditorPlace, path: string, text: string): Promise<void> {
  here.write(path, text);
  await until(() => here.document(path)?.getText() === text, 20_000);
}

suite('Undo of what a command changed', () => {
  test(
    'restores open and closed files, modes and bytes, and removes what was new with its folder',
    recorded(
      {
        'open.txt': 'one\ntwo\n',
        'closed.txt': '\uFEFFone\r\ntwo\n',
        'gone.sh': 'gone\n',
        'binary.bin': new Uint8Array([0, 255, 1]),
      },
      async (here, kept) => {
        chmodSync(here.at('gone.sh'), 0o755);
        const before = here.tree();
        await here.open('open.txt');
        await kept.change(['open.txt', 'closed.txt', 'gone.sh', 'binary.bin', 'new/a.txt'], async () => {
          await shown(here, 'open.txt', 'one\nTWO\n');
          here.write('closed.txt', 'other\n');
          rmSync(here.at('gone.sh'));
          here.write('binary.bin', new Uint8Array([0, 7]));
          mkdirSync(here.at('new'));
          here.write('new/a.txt', 'new\n');
        });
        const undone = await kept.undo({ newFolders: [here.at('new')] });
        assert.deepEqual(undone, {
          paths: ['open.txt', 'closed.txt', 'gone.sh', 'binary.bin', 'new/a.txt'],
          skipped: [],
        });
        assert.deepEqual(here.tree(), before);
        assert.equal((statSync(here.at('gone.sh')).mode & 0o777).toString(8), '755');
        assert.throws(() => statSync(here.at('new')), { code: 'ENOENT' });
        assert.deepEqual([here.dirty(), here.journals()], [[], []]);
        assert.equal(await here.pressUndo('open.txt'), 'one\nTWO\n');
      },
    ),
  );

  test(
    'keeps unsaved edits at other lines, unsaved; at the same lines the file is a conflict and stays',
    recorded({ 'beside.txt': '1\n2\n3\n4\n5\n', 'same.txt': '1\n2\n3\n' }, async (here, kept) => {
      for (const path of ['beside.txt', 'same.txt']) await here.open(path);
      await kept.change(['beside.txt', 'same.txt'], async () => {
        await shown(here, 'beside.txt', '1\n2\n3\n4\nfive\n');
        await shown(here, 'same.txt', 'one\n2\n3\n');
      });
      await here.type('beside.txt', 'mine ');
      await here.type('same.txt', 'mine ');
      assert.deepEqual(await kept.undo(), { paths: ['beside.txt'], skipped: ['same.txt'] });
      assert.equal(here.document('beside.txt')?.getText(), 'mine 1\n2\n3\n4\n5\n');
      assert.equal(here.document('same.txt')?.getText(), 'mine one\n2\n3\n');
      assert.equal(here.dirty().length, 2);
      assert.equal(here.disk('beside.txt'), '1\n2\n3\n4\nfive\n');

      // With the agreement of the user; Ctrl+Z still has what was typed.
      assert.deepEqual(await kept.undo({ overwrite: ['same.txt'] }), { paths: ['same.txt'], skipped: ['beside.txt'] });
      assert.equal(here.document('same.txt')?.getText(), '1\n2\n3\n');
      assert.equal(await here.pressUndo('same.txt'), 'mine one\n2\n3\n');
    }),
  );

  test(
    'restores 400 files that a command moved, with those in editors, whole',
    recorded(
      Object.fromEntries(Array.from({ length: 400 }, (_nothing, index) => [`f${index}.txt`, `${index}\n`])),
      async (here, kept) => {
        const before = here.tree();
        const names = Object.keys(before);
        const moved = names.map((name) => `moved/${name}`);
        await here.open('f7.txt');
        mkdirSync(here.at('moved'));
        await kept.change([...names, ...moved], () => {
          for (const name of names) renameSync(here.at(name), here.at(`moved/${name}`));
        });
        await here.open('moved/f9.txt');
        const undone = await kept.undo({ newFolders: [here.at('moved')] });
        assert.ok(!('type' in undone) && undone.paths.length === 800 && undone.skipped.length === 0);
        assert.deepEqual(here.tree(), before);
        assert.deepEqual([here.dirty(), here.journals()], [[], []]);
        await until(() => here.document('f7.txt')?.getText() === '7\n', 20_000);
      },
    ),
  );

  test(
    'moves a folder back with its empty folders, and a file where a folder has taken its place',
    recorded({ 'sub/a.txt': 'a\n', 'file.txt': 'f\n' }, async (here, kept) => {
      const before = here.tree();
      mkdirSync(here.at('sub/empty'), { mode: 0o700 });
      await here.open('sub/a.txt');
      await here.open('file.txt');
      await kept.change(['sub/a.txt', 'other/a.txt', 'file.txt', 'file.txt/x'], () => {
        renameSync(here.at('sub'), here.at('other'));
        rmSync(here.at('file.txt'));
        mkdirSync(here.at('file.txt'));
        here.write('file.txt/x', 'x\n');
      }, ['file.txt']);
      const undone = await kept.undo({
        newFolders: [here.at('other'), here.at('other/empty'), here.at('file.txt')],
        goneFolders: [{ path: here.at('sub') }, { path: here.at('sub/empty'), mode: 0o700 }],
      });
      assert.deepEqual(undone, { paths: ['sub/a.txt', 'other/a.txt', 'file.txt', 'file.txt/x'], skipped: [] });
      assert.deepEqual(here.tree(), before);
      assert.equal(statSync(here.at('sub/empty')).mode & 0o777, 0o700);
      assert.equal(existsSync(here.at('other')), false);
      assert.deepEqual([here.dirty(), here.journals()], [[], []]);
    }),
  );

  test(
    'brings back links, also where a file has taken their place, and files where a link has',
    recorded({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, async (here, kept) => {
      for (const name of ['moved', 'replaced', 'other/deep']) {
        mkdirSync(dirname(here.at(name)), { recursive: true });
        symlinkSync('a.txt', here.at(name));
      }
      await here.open('b.txt');
      await kept.change(['moved', 'replaced', 'other/deep', 'b.txt', 'c.txt', 'new/link'], () => {
        rmSync(here.at('moved'));
        rmSync(here.at('replaced'));
        here.write('replaced', 'text\n');
        rmSync(here.at('other'), { recursive: true });
        rmSync(here.at('b.txt'));
        symlinkSync('a.txt', here.at('b.txt'));
        here.write('c.txt', 'C\n');
        mkdirSync(here.at('new'));
        symlinkSync('/nowhere', here.at('new/link'));
      });
      const undone = await kept.undo({ newFolders: [here.at('new')], goneFolders: [{ path: here.at('other') }] });
      assert.deepEqual('skipped' in undone && undone.skipped, []);
      const links = ['moved', 'replaced', 'other/deep'].map((name) => readlinkSync(here.at(name)));
      assert.deepEqual(links, ['a.txt', 'a.txt', 'a.txt']);
      assert.equal(lstatSync(here.at('b.txt')).isFile(), true);
      assert.deepEqual([here.disk('a.txt'), here.disk('b.txt'), here.disk('c.txt')], ['a\n', 'b\n', 'c\n']);
      assert.equal(existsSync(here.at('new')), false);
      assert.deepEqual([here.dirty(), here.journals()], [[], []]);
    }),
  );

  test(
    'changes no file when one was changed after the plan was made, on disk or in the editor',
    recorded({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, async (here, kept) => {
      await kept.change(['a.txt', 'b.txt', 'c.txt'], () => {
        for (const path of ['a.txt', 'b.txt', 'c.txt']) here.write(path, 'changed\n');
      });
      const before = { ...here.tree(), 'b.txt': 'later\n' };
      const result = await kept.undo({ meanwhile: () => here.write('b.txt', 'later\n') });
      assert.deepEqual(result, { type: 'stale', paths: [here.at('b.txt')] });
      assert.deepEqual(here.tree(), before);
    }),
  );

  test(
    'records what a patch left unsaved in the editor, and undoes it there',
    recorded({ 'a.txt': '1\n2\n3\n' }, async (here, kept) => {
      await here.type('a.txt', 'mine ');
      await kept.change(['a.txt'], () => here.apply([here.update('a.txt', 'mine 1\n2\n3\n', 'mine 1\n2\nthree\n')]));
      assert.equal(here.document('a.txt')?.getText(), 'mine 1\n2\nthree\n');
      assert.deepEqual(await kept.undo(), { paths: ['a.txt'], skipped: [] });
      assert.equal(here.document('a.txt')?.getText(), 'mine 1\n2\n3\n');
      assert.equal(here.disk('a.txt'), '1\n2\n3\n');
    }),
  );

  test(
    'records what a patch left unsaved in the cells of a notebook, and undoes it there, with what the user typed kept',
    recorded({ 'book.ipynb': BOOK, 'a.txt': 'a\n' }, async (here, kept) => {
      const book = await shownBook(here);
      const type = async (cell: number, text: string) => {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(book.cellAt(cell).document.uri, new vscode.Position(0, 0), text);
        assert.ok(await vscode.workspace.applyEdit(edit));
      };
      const cells = () => book.getCells().map(({ document }) => document.getText());
      await type(0, 'mine ');
      const { text } = await here.workspace.read(here.at('book.ipynb'));
      await kept.change(['book.ipynb', 'a.txt'], () =>
        here.apply([
          here.update('book.ipynb', text, text.replace('2 + 2', '2 + 3')),
          here.update('a.txt', 'a\n', 'A\n'),
        ]),
      );
      assert.deepEqual(cells(), ['mine 1 + 1', 'word', '2 + 3']);
      await type(1, 'later ');
      assert.deepEqual(await kept.undo(), { paths: ['book.ipynb', 'a.txt'], skipped: [] });
      assert.deepEqual(cells(), ['mine 1 + 1', 'later word', '2 + 2']);
      assert.deepEqual([book.isDirty, here.disk('book.ipynb'), here.disk('a.txt')], [true, BOOK, 'a\n']);
      assert.deepEqual(book.cellAt(2).outputs.length, 1);
    }),
  );

  test(
    'leaves the cells of a notebook that the user has changed since, and undoes the other files',
    recorded({ 'book.ipynb': BOOK, 'a.txt': 'a\n' }, async (here, kept) => {
      const book = await shownBook(here);
      const { text } = await here.workspace.read(here.at('book.ipynb'));
      await kept.change(['book.ipynb', 'a.txt'], () =>
        here.apply([
          here.update('book.ipynb', text, text.replace('2 + 2', '2 + 3')),
          here.update('a.txt', 'a\n', 'A\n'),
        ]),
      );
      assert.equal(book.isDirty, false);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(book.cellAt(0).document.uri, new vscode.Position(0, 0), 'mine ');
      assert.ok(await vscode.workspace.applyEdit(edit));
      assert.deepEqual(await kept.undo(), { paths: ['a.txt'], skipped: ['book.ipynb'] });
      assert.deepEqual(
        book.getCells().map(({ document }) => document.getText()),
        ['mine 1 + 1', 'word', '2 + 3'],
      );
    }),
  );

  test(
    'writes no text of cells into the file of a notebook that is closed by now',
    recorded({ 'book.ipynb': BOOK }, async (here, kept) => {
      const book = await shownBook(here);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(book.cellAt(0).document.uri, new vscode.Position(0, 0), 'mine ');
      assert.ok(await vscode.workspace.applyEdit(edit));
      await kept.change(['book.ipynb'], async () => void (await book.save()));
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      const onDisk = here.disk('book.ipynb');
      assert.match(JSON.stringify(await kept.undo()), /which is closed now\. Open it and undo again\./);
      assert.equal(here.disk('book.ipynb'), onDisk);
      const again = await shownBook(here);
      assert.deepEqual(await kept.undo(), { paths: ['book.ipynb'], skipped: [] });
      assert.equal(again.cellAt(0).document.getText(), 'mine 1 + 1');
    }),
  );

  test(
    'restores unsaved UTF-16 text with its byte order mark, and names a text that its encoding cannot hold',
    recorded(
      { 'wide.txt': utf16('1\n2\n3\n'), 'latin.txt': Buffer.from('1\n\xe9\n', 'latin1') },
      async (here, kept) => {
        await withSetting('files.autoGuessEncoding', true, async () => {
          await here.type('wide.txt', 'mine ');
          await kept.change(['wide.txt'], () =>
            here.apply([here.update('wide.txt', 'mine 1\n2\n3\n', 'mine 1\n2\nthree\n')]),
          );
          assert.deepEqual(await kept.undo(), { paths: ['wide.txt'], skipped: [] });
          assert.equal(here.document('wide.txt')?.getText(), 'mine 1\n2\n3\n');
          await here.document('wide.txt')?.save();
          assert.equal(here.disk('wide.txt'), utf16('mine 1\n2\n3\n').toString('latin1'));
        });
        await vscode.workspace.openTextDocument(here.uri('latin.txt'), { encoding: 'iso88591' });
        await here.type('latin.txt', '\u6f22');
        const states = await kept.store.capture([here.at('latin.txt'), here.at('wide.txt')]);
        const kinds = [...states.values()].map((state) => (state.type === 'left_out' ? state.reason : state.type));
        assert.deepEqual(kinds, ['unreadable', 'file']);
      },
    ),
  );

  test(
    'leaves nothing that a formatter makes of a restored text when it is saved',
    recorded({ 'a.tillertest': 'a  b\n' }, async (here, kept) => {
      await here.open('a.tillertest');
      await kept.change(['a.tillertest'], () => shown(here, 'a.tillertest', 'c\n'));
      const formatter = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.tillertest' },
        {
          provideDocumentFormattingEdits: (document) => [
            vscode.TextEdit.replace(new vscode.Range(0, 0, 1, 0), document.getText().replace('  ', ' ')),
          ],
        },
      );
      try {
        await withSetting('editor.formatOnSave', true, async () => {
          await kept.undo();
        });
        assert.equal(here.disk('a.tillertest'), 'a  b\n');
      } finally {
        formatter.dispose();
      }
    }),
  );
});
