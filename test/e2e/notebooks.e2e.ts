// A patch of an open notebook: in its cells, with Keep and Undo there, by keyboard, and as a proposal.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 30_000 };
const output = { name: 'stdout', output_type: 'stream', text: ['3\n'] };
const cell = (id: string, source: string) => ({
  cell_type: 'code',
  execution_count: 1,
  id,
  metadata: {},
  outputs: [output],
  source: source.split(/(?<=\n)/),
});
const TITLE = { cell_type: 'markdown', id: 'title', metadata: {}, source: ['# Sales'] };
const BOOK = {
  cells: [TITLE, cell('load', 'rows = [1, 2]\nprint(sum(rows))'), cell('more', 'print(len(rows))')],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};
const patch = (...lines: readonly string[]) =>
  calls('apply_patch', {
    input: ['*** Begin Patch', '*** Update File: book.ipynb', ...lines, '*** End Patch'].join('\n'),
  });

const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.review': 'after' },
  files: { 'book.ipynb': `${JSON.stringify(BOOK, null, 1)}\n` },
});

/** Returns the text of the cells, as the first test leaves them or as a new window has them. */
const textWith = (what: string) =>
  [
    '#%% vscode.cell [id=title] [language=markdown]\n# Sales\n',
    '#%% vscode.cell [id=load] [language=python]\nrows = [1, 2]\nprint(sum(rows))\n',
    `#%% vscode.cell [id=more] [language=python]\nprint(${what}(rows))\n`,
  ].join('');

async function sources(): Promise<readonly string[]> {
  const text = (await window().disk('book.ipynb')) ?? '';
  return (JSON.parse(text) as { cells: { source: string[] }[] }).cells.map(({ source }) => source.join(''));
}

test('changes its cells, is marked there, and is undone and kept by the keys of any change', async () => {
  const { vscode, panel, model } = window();
  const { page } = vscode;
  const lines = page.locator('.notebookOverlay .monaco-editor .view-line');
  await vscode.explorerItem('book.ipynb').dblclick();
  await lines.filter({ hasText: 'len(rows)' }).waitFor(soon);
  await panel.open();
  model.will(
    [calls('read_file', { file_path: 'book.ipynb' })],
    [patch('@@', '-rows = [1, 2]', '+rows = [1, 2, 3]', '@@', '-print(len(rows))', '+print(max(rows))')],
    [says('Done.')],
  );
  await panel.send('Add 3 and print the largest.');
  await panel.ended();
  expect(model.outputs[0]).toContain('L3: #%% vscode.cell [id=load] [language=python]\nL4: rows = [1, 2]\n');
  expect(model.outputs[0]).toContain('This notebook is open in the editor: patch it as this text of its cells');
  await expect.poll(sources, soon).toEqual(['# Sales', 'rows = [1, 2, 3]\nprint(sum(rows))', 'print(max(rows))']);
  await vscode.codeLens('Tiller: 2 changes').waitFor(soon);
  await vscode.screenshot('notebooks/1-changed');

  await vscode.command('Tiller: Go to Next Change to Review');
  await page.locator('.notebookOverlay .monaco-editor.focused').waitFor(soon);
  await page.locator('.statusbar-item').filter({ hasText: 'Change 1 of 2' }).waitFor(soon);
  await page.keyboard.press('Control+Alt+n');
  await expect.poll(sources, soon).toEqual(['# Sales', 'rows = [1, 2]\nprint(sum(rows))', 'print(max(rows))']);
  await vscode.codeLens('Tiller: 1 change').waitFor(soon);
  // Undo goes on to the next change.
  await page.locator('.notebookOverlay .monaco-editor.focused').filter({ hasText: 'max(rows)' }).waitFor(soon);
  await page.keyboard.press('Control+Alt+y');
  await panel.get('review').waitFor({ state: 'hidden', ...soon });
  expect(await sources()).toEqual(['# Sales', 'rows = [1, 2]\nprint(sum(rows))', 'print(max(rows))']);
});

test('is shown as the text of its cells', async () => {
  const { vscode, panel, model } = window();
  await vscode.explorerItem('book.ipynb').dblclick();
  await panel.open();
  model.will([patch('@@', '-# Sales', '+# Sold')], [says('Done.')]);
  await panel.send('Rename the title.');
  await panel.ended();
  await vscode.command('Tiller: Show Changes in File');
  await vscode.diff().modified.locator('.view-line').filter({ hasText: '# Sold' }).waitFor(soon);
  await vscode.screenshot('notebooks/2-diff');
  const { original, modified } = await vscode.diffText();
  expect([textWith('len'), textWith('max')]).toContain(original);
  expect(modified).toBe(original.replace('# Sales', '# Sold'));
});
