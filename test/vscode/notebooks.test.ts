/** Notebooks that are open: patches change their cells, and nothing else of them. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';

const LONG = 20_000;
const UNSEEN = { turnId: 't', itemId: 'i', isUnseen: true };

interface Cell {
  readonly id: string;
  readonly cell_type: 'code' | 'markdown';
  readonly source: string;
}

function notebook(cells: readonly Cell[], minor = 5): string {
  const written = cells.map(({ id, cell_type, source }) => ({
    cell_type,
    ...(minor >= 5 ? { id } : {}),
    metadata: { tags: [id] },
    source: source.split(/(?<=\n)/),
    ...(cell_type === 'code' ? { execution_count: 7, outputs: [outputOf(id)] } : {}),
  }));
  const metadata = { language_info: { name: 'python' } };
  return `${JSON.stringify({ cells: written, metadata, nbformat: 4, nbformat_minor: minor }, null, 1)}\n`;
}

function outputOf(id: string) {
  return { name: 'stdout', output_type: 'stream', text: [`printed by ${id}\n`] };
}

const BOOK = notebook([
  { id: 'title', cell_type: 'markdown', source: '# Sales' },
  { id: 'load', cell_type: 'code', source: 'rows = [1, 2]\nprint(rows)' },
  { id: 'sum', cell_type: 'code', source: 'print(sum(rows))' },
]);

const marker = (id: string, language = 'python') => `#%% vscode.cell [id=${id}] [language=${language}]\n`;
const TEXT = `${marker('title', 'markdown')}# Sales\n${marker('load')}rows = [1, 2]\nprint(rows)\n${marker('sum')}print(sum(rows))\n`;

async function show(here: EditorPlace, name = 'book.ipynb'): Promise<vscode.NotebookDocument> {
  const book = await vscode.workspace.openNotebookDocument(here.uri(name));
  await vscode.window.showNotebookDocument(book, { preview: false });
  return book;
}

const read = async (here: EditorPlace, name = 'book.ipynb') => (await here.workspace.read(here.at(name))).text;

/** Types into a cell, unsaved. */
async function type(book: vscode.NotebookDocument, index: number, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(book.cellAt(index).document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

async function edited(book: vscode.NotebookDocument, change: vscode.NotebookEdit): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.set(book.uri, [change]);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** The same cell with another output, as a kernel would set it. */
function replacedOutput(cell: vscode.NotebookCell, item: vscode.NotebookCellOutputItem): vscode.NotebookEdit {
  const { kind, document, metadata, index } = cell;
  const data = new vscode.NotebookCellData(kind, document.getText(), document.languageId);
  data.metadata = metadata;
  data.outputs = [new vscode.NotebookCellOutput([item])];
  return vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(index, index + 1), [data]);
}

const sources = (book: vscode.NotebookDocument) => book.getCells().map(({ document }) => document.getText());

const outputs = (book: vscode.NotebookDocument) =>
  book
    .getCells()
    .map((cell) => cell.outputs.flatMap(({ items }) => items.map(({ data }) => new TextDecoder().decode(data))));

interface OnDisk {
  readonly cells: readonly {
    readonly id?: string;
    readonly source: unknown;
    readonly outputs?: unknown;
    readonly metadata: unknown;
  }[];
}

/** Without the numbers of executions: VS Code forgets that of a cell whose text changes. */
const parsed = (text: string) =>
  JSON.parse(text, (key, value: unknown) => (key === 'execution_count' ? undefined : value)) as OnDisk;

const onDisk = (here: EditorPlace) => parsed(here.disk('book.ipynb'));

/** A tab with unsaved edits would ask before it closes. */
async function saved(book: vscode.NotebookDocument): Promise<void> {
  if (book.isDirty) await book.save();
}

suite('an open notebook', () => {
  test(
    'is read as the text of its cells, with what is typed in them; a closed one as its file',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      assert.deepEqual(await here.workspace.read(here.at('book.ipynb')), { text: BOOK, source: 'disk', dirty: false });
      const book = await show(here);
      assert.deepEqual(await here.workspace.read(here.at('book.ipynb')), {
        text: TEXT,
        source: 'buffer',
        dirty: false,
        isCells: true,
      });
      await type(book, 1, 'mine = 0\n');
      assert.equal(await read(here), TEXT.replace('rows = ', 'mine = 0\nrows = '));
      // Files of other tests may be unsaved, too.
      const unsaved = here.workspace.unsavedTexts?.().filter((file) => file.startsWith(here.root));
      assert.deepEqual(unsaved, [here.at('book.ipynb')]);
      await saved(book);
    }),
  );

  test(
    'gets a patch in its cells and is saved; outputs, ids and metadata stay, and Undo Patch reverts it',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      const book = await show(here);
      const cells = book.getCells();
      const after = TEXT.replace('[1, 2]', '[1, 2, 3]');
      const result = await here.apply([here.update('book.ipynb', TEXT, after)], UNSEEN);
      assert.deepEqual(result, {
        type: 'applied',
        files: [{ path: here.at('book.ipynb'), saved: true, reformatted: false }],
      });
      assert.deepEqual(sources(book), ['# Sales', 'rows = [1, 2, 3]\nprint(rows)', 'print(sum(rows))']);
      assert.deepEqual(book.getCells(), cells, 'other cells are in their place');
      assert.deepEqual(outputs(book), [[], ['printed by load\n'], ['printed by sum\n']]);
      const { cells: written } = onDisk(here);
      assert.deepEqual(
        written.map(({ id }) => id),
        ['title', 'load', 'sum'],
      );
      assert.deepEqual(
        written.map(({ metadata }) => metadata),
        [{ tags: ['title'] }, { tags: ['load'] }, { tags: ['sum'] }],
      );
      assert.deepEqual(written[1]?.outputs, [outputOf('load')]);
      assert.deepEqual(written[1]?.source, ['rows = [1, 2, 3]\n', 'print(rows)']);

      assert.deepEqual(await here.undo.undo('i'), { restored: [here.at('book.ipynb')], leftAlone: [] });
      assert.equal(await read(here), TEXT);
      assert.deepEqual(onDisk(here), parsed(BOOK));
      assert.deepEqual(await here.undo.redo(), { restored: [here.at('book.ipynb')], leftAlone: [] });
      assert.equal(await read(here), after);
    }),
  );

  test(
    'is saved with a patch that takes longer because it changes other files',
    inPlace({ 'book.ipynb': BOOK, 'a.txt': 'a\n' }, async (here) => {
      const book = await show(here);
      const result = await here.apply([
        here.update('book.ipynb', TEXT, TEXT.replace('[1, 2]', '[1, 2, 3]')),
        here.update('a.txt', 'a\n', 'b\n'),
      ]);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [true, true]);
      assert.equal(book.isDirty, false);
    }),
  );

  test(
    'keeps unsaved edits of the user, and stays unsaved with a patch',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      const book = await show(here);
      const before = await read(here);
      await type(book, 0, 'mine ');
      const patch = here.update('book.ipynb', before, before.replace('sum(rows)', 'max(rows)'));
      const result = await here.apply([patch], UNSEEN);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved: is }) => is), [false]);
      assert.deepEqual(sources(book), ['mine # Sales', 'rows = [1, 2]\nprint(rows)', 'print(max(rows))']);
      assert.equal(here.disk('book.ipynb'), BOOK);
      assert.deepEqual(here.workspace.unsavedFiles(), [here.at('book.ipynb')]);
      assert.deepEqual(await here.undo.undo('i'), { restored: [here.at('book.ipynb')], leftAlone: [] });
      assert.deepEqual(sources(book), ['mine # Sales', 'rows = [1, 2]\nprint(rows)', 'print(sum(rows))']);
      assert.deepEqual(await here.workspace.save([here.at('book.ipynb')]), []);
      assert.equal(book.isDirty, false);
    }),
  );

  test(
    'gets new cells, loses cells and moves them; an undo brings a removed one back with its outputs',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      const book = await show(here);
      const fresh = '#%% vscode.cell [language=markdown]\nThe end.\n';
      const after = TEXT.replace(`${marker('load')}rows = [1, 2]\nprint(rows)\n`, '') + fresh;
      const result = await here.apply([here.update('book.ipynb', TEXT, after)], UNSEEN);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ reformatted }) => reformatted), [false]);
      assert.deepEqual(sources(book), ['# Sales', 'print(sum(rows))', 'The end.']);
      assert.equal(book.cellAt(2).kind, vscode.NotebookCellKind.Markup);
      assert.deepEqual(outputs(book), [[], ['printed by sum\n'], []]);
      const now = await read(here);
      const id = /\[id=(\w+)\] \[language=markdown\]\nThe end/.exec(now)?.[1] ?? '';
      assert.equal(onDisk(here).cells[2]?.id, id, 'the file has the id of the text');

      assert.deepEqual(await here.undo.undo('i'), { restored: [here.at('book.ipynb')], leftAlone: [] });
      assert.equal(await read(here), TEXT);
      assert.deepEqual(outputs(book), [[], ['printed by load\n'], ['printed by sum\n']]);
      assert.deepEqual(onDisk(here), parsed(BOOK));

      const load = `${marker('load')}rows = [1, 2]\nprint(rows)\n`;
      await here.apply([here.update('book.ipynb', TEXT, load + TEXT.replace(load, ''))], UNSEEN);
      assert.deepEqual(sources(book), ['rows = [1, 2]\nprint(rows)', '# Sales', 'print(sum(rows))']);
      assert.deepEqual(outputs(book), [['printed by load\n'], [], ['printed by sum\n']]);
    }),
  );

  test(
    'of the format before ids of cells is patched the same way',
    inPlace({ 'book.ipynb': notebook([{ id: 'x', cell_type: 'code', source: 'one\ntwo' }], 4) }, async (here) => {
      const book = await show(here);
      const text = await read(here);
      assert.match(text, /^#%% vscode\.cell \[id=[0-9a-f]{8}\] \[language=python\]\none\ntwo\n$/);
      const applied = await here.apply([here.update('book.ipynb', text, text.replace('two', 'three'))], UNSEEN);
      assert.equal(applied.type, 'applied');
      assert.deepEqual(sources(book), ['one\nthree']);
      assert.equal(await read(here), text.replace('two', 'three'));
      assert.equal(onDisk(here).cells[0]?.id, undefined);
    }),
  );

  test(
    'is rolled back with a patch that fails elsewhere',
    inPlace({ 'book.ipynb': BOOK, 'other.txt': 'o\n' }, async (here) => {
      const book = await show(here);
      here.beforeFirstWrite = () => here.write('other.txt', 'another program\n');
      const result = await here.apply([
        here.update('book.ipynb', TEXT, `${TEXT.replace('[1, 2]', '[]')}#%% vscode.cell [language=python]\nx\n`),
        // Files are deleted last.
        here.remove('other.txt', 'o\n'),
      ]);
      assert.deepEqual(result, { type: 'stale', paths: [here.at('other.txt')] });
      assert.equal(await read(here), TEXT);
      assert.deepEqual(outputs(book), [[], ['printed by load\n'], ['printed by sum\n']]);
      assert.equal(book.isDirty, false);
    }),
  );

  test(
    'takes no text that is not of cells, and no other file in its place',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      await show(here);
      const headless = await here.apply([here.update('book.ipynb', TEXT, `x\n${TEXT}`)]);
      assert.match(
        headless.type === 'failed' ? headless.message : headless.type,
        /there is text before the first cell/,
      );
      const anew = await here.apply([here.add('book.ipynb', '{}\n', TEXT)]);
      assert.match(
        anew.type === 'failed' ? anew.message : anew.type,
        /open as a notebook; its file can be replaced once/,
      );
      assert.equal((await here.apply([here.update('book.ipynb', BOOK, BOOK.replace('Sales', 'S'))])).type, 'stale');
      assert.equal(here.disk('book.ipynb'), BOOK);
    }),
  );

  test(
    'is undone as a file when it was opened or closed since, if nothing else changed it',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      const changed = BOOK.replace('# Sales', '# Sold');
      await here.apply([here.update('book.ipynb', BOOK, changed)], UNSEEN);
      const book = await show(here);
      assert.deepEqual(await here.undo.undo('i'), { restored: [here.at('book.ipynb')], leftAlone: [] });
      assert.equal(here.disk('book.ipynb'), BOOK);
      await until(() => sources(book)[0] === '# Sales', LONG);

      const again = { ...UNSEEN, itemId: 'j' };
      await here.apply([here.update('book.ipynb', TEXT, TEXT.replace('# Sales', '# Sold'))], again);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      assert.deepEqual(await here.undo.undo('j'), { restored: [here.at('book.ipynb')], leftAlone: [] });
      assert.equal(here.disk('book.ipynb'), BOOK);
    }),
  );
});

suite('an open notebook in a patch that a crash cut off', () => {
  /** Everything but the title: the cell with the sum is gone. */
  const AFTER = TEXT.replace('# Sales', '# Sold').slice(0, TEXT.indexOf(marker('sum')) - 1);
  const patience = { signal: AbortSignal.timeout(60_000), onWait: () => {} };

  async function cutOff(here: EditorPlace, before: string, after: string, restoredAs = 'book.ipynb'): Promise<void> {
    here.beforeFirstWrite = () => here.keepJournalOfDeadHost((text) => text.replaceAll('book.ipynb', restoredAs));
    const result = await here.apply([here.update('book.ipynb', before, after), here.update('a.txt', 'a\n', 'A\n')]);
    assert.equal(result.type, 'applied');
    // The other file was not written any more.
    here.write('a.txt', 'a\n');
  }

  test(
    'is rolled back whole after it was saved, with the outputs of a removed cell',
    inPlace({ 'book.ipynb': BOOK, 'a.txt': 'a\n' }, async (here) => {
      const book = await show(here);
      await cutOff(here, TEXT, AFTER);
      assert.deepEqual(sources(book), ['# Sold', 'rows = [1, 2]\nprint(rows)']);
      const [patch, ...others] = await here.recoverable();
      assert.deepEqual([patch?.changes.length, others], [2, []]);
      const settled = await patch?.settle('roll_back', patience);
      assert.deepEqual(settled, { type: 'settled', result: { leftAlone: [], unsaved: [] } });
      assert.equal(here.disk('book.ipynb'), BOOK);
      await until(() => sources(book).length === 3, LONG);
      assert.deepEqual([sources(book)[0], outputs(book)[2], book.isDirty], ['# Sales', ['printed by sum\n'], false]);
    }),
  );

  test(
    'is asked about, and finished, when only its file is as before',
    inPlace({ 'book.ipynb': BOOK, 'a.txt': 'a\n' }, async (here) => {
      const book = await show(here);
      await cutOff(here, TEXT, AFTER);
      here.write('a.txt', 'A\n');
      here.write('book.ipynb', BOOK);
      await until(() => sources(book).length === 3, LONG);
      const [patch] = await here.recoverable();
      const settled = await patch?.settle('finish', patience);
      assert.deepEqual(settled, { type: 'settled', result: { leftAlone: [], unsaved: [] } });
      assert.deepEqual(sources(book), ['# Sold', 'rows = [1, 2]\nprint(rows)']);
      assert.deepEqual([book.isDirty, onDisk(here).cells.length, here.disk('a.txt')], [false, 2, 'A\n']);
    }),
  );

  test(
    'keeps unsaved edits of the user, also those since, and is left unsaved',
    inPlace({ 'book.ipynb': BOOK, 'a.txt': 'a\n' }, async (here) => {
      const book = await show(here);
      await type(book, 1, 'mine = 0\n');
      const text = await read(here);
      await cutOff(here, text, text.replace('# Sales', '# Sold'));
      await type(book, 2, 'later = 0\n');
      const [patch] = await here.recoverable();
      const settled = await patch?.settle('roll_back', patience);
      assert.deepEqual(settled, { type: 'settled', result: { leftAlone: [], unsaved: [here.at('book.ipynb')] } });
      const mine = ['# Sales', 'mine = 0\nrows = [1, 2]\nprint(rows)', 'later = 0\nprint(sum(rows))'];
      assert.deepEqual(sources(book), mine);
      assert.deepEqual([book.isDirty, here.disk('book.ipynb'), here.disk('a.txt')], [true, BOOK, 'a\n']);
      await saved(book);
    }),
  );

  test(
    'gets a removed cell back with its outputs, also unsaved ones',
    inPlace({ 'book.ipynb': BOOK, 'restored.ipynb': BOOK, 'a.txt': 'a\n' }, async (here) => {
      const before = await show(here);
      await type(before, 1, 'mine = 0\n');
      const printed = vscode.NotebookCellOutputItem.stdout('printed since\n');
      await edited(before, replacedOutput(before.cellAt(2), printed));
      const text = await read(here);
      await cutOff(here, text, text.slice(0, text.indexOf(marker('sum'))), 'restored.ipynb');
      // As VS Code restores a backup in the next window: a notebook of which this process has not seen the cell.
      const book = await show(here, 'restored.ipynb');
      await type(book, 1, 'mine = 0\n');
      await edited(book, vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(2, 3)));
      const [patch] = await here.recoverable();
      const settled = await patch?.settle('roll_back', patience);
      assert.deepEqual(settled, { type: 'settled', result: { leftAlone: [], unsaved: [here.at('restored.ipynb')] } });
      assert.deepEqual(sources(book), ['# Sales', 'mine = 0\nrows = [1, 2]\nprint(rows)', 'print(sum(rows))']);
      assert.deepEqual(outputs(book)[2], ['printed since\n']);
      for (const one of [before, book]) await saved(one);
      assert.deepEqual(parsed(here.disk('restored.ipynb')).cells[2]?.metadata, { tags: ['sum'] });
    }),
  );
});

suite('the review of an open notebook', () => {
  test(
    'has a hunk for each changed place, follows what the user types, and undoes one of them',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      const book = await show(here);
      const after = TEXT.replace('# Sales', '# Sold').replace('sum(rows)', 'max(rows)');
      await here.apply([here.update('book.ipynb', TEXT, after)], UNSEEN);
      const pending = () => here.reviews.pending[0];
      assert.deepEqual(
        pending()?.text.hunks.map(({ start, end, touched }) => [start, end, touched]),
        [
          [1, 2, false],
          [6, 7, false],
        ],
      );
      await type(book, 1, 'mine = 0\n');
      await until(() => pending()?.text.current.length === 9, LONG);
      assert.deepEqual(
        pending()?.text.hunks.map(({ start }) => start),
        [1, 7],
      );
      const [, second] = pending()?.text.hunks ?? [];
      const file = pending();
      assert.ok(file && second);
      assert.deepEqual(await here.decisions.undo([{ file, hunks: [second.id] }]), []);
      assert.deepEqual(sources(book), ['# Sold', 'mine = 0\nrows = [1, 2]\nprint(rows)', 'print(sum(rows))']);
      assert.deepEqual(
        pending()?.text.hunks.map(({ start, touched }) => [start, touched]),
        [[1, false]],
      );
      here.decisions.keep([{ file: pending() ?? file, hunks: 'all' }]);
      assert.deepEqual(here.reviews.pending, []);
      await saved(book);
    }),
  );

  test(
    'is not undone in the JSON of the file when the notebook is closed',
    inPlace({ 'book.ipynb': BOOK }, async (here) => {
      const book = await show(here);
      await here.apply([here.update('book.ipynb', TEXT, TEXT.replace('# Sales', '# Sold'))], UNSEEN);
      await saved(book);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      const [file] = here.reviews.pending;
      assert.ok(file);
      const left = await here.decisions.undo([{ file, hunks: 'all' }]);
      assert.match(left[0]?.reason ?? '', /closed now/);
      await show(here);
      assert.deepEqual(await here.decisions.undo([{ file, hunks: 'all' }]), []);
      assert.equal(await read(here), TEXT);
      assert.deepEqual(here.reviews.pending, []);
    }),
  );
});
