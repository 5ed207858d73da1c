/** Open notebooks as texts of their cells, and notebook files as JSON. */
import { describe, expect, test } from 'vitest';
import {
  type CellEdits,
  cellEdits,
  type NotebookCell,
  notebookText,
  parseNotebookText,
} from '../../../src/core/patch/notebookText.ts';
import { parsePatch } from '../../../src/core/patch/parse.ts';
import { planPatch } from '../../../src/core/patch/plan.ts';
import type { FileSnapshot } from '../../../src/core/patch/workingTree.ts';
import { randomOf } from '../../support/random.ts';

const CELLS: readonly NotebookCell[] = [
  { id: 'a', language: 'markdown', text: '# Title' },
  { id: 'b', language: 'python', text: 'x = 1\nprint(x)' },
  { id: 'c', language: 'python', text: '' },
];

describe('the text of an open notebook', () => {
  test('has a marker above the lines of each cell', () => {
    expect(notebookText(CELLS)).toBe(
      [
        '#%% vscode.cell [id=a] [language=markdown]\n# Title\n',
        '#%% vscode.cell [id=b] [language=python]\nx = 1\nprint(x)\n',
        '#%% vscode.cell [id=c] [language=python]\n\n',
      ].join(''),
    );
  });

  test('gives the same cells again, whatever their text', () => {
    const random = randomOf('notebook text');
    const lines = [
      '',
      'x',
      '#%% vscode.cell [language=python]',
      '\\#%% vscode.cell',
      '#%%',
      '\\\\#%% vscode.cell [id=a]',
      '  ',
    ];
    for (let round = 0; round < 300; round++) {
      const cells = Array.from({ length: random.below(5) }, (_, index) => ({
        id: `i${index}`,
        language: random.pick(['python', 'markdown', 'raw']),
        text: Array.from({ length: 1 + random.below(4) }, () => random.pick(lines)).join('\n'),
      }));
      expect(parseNotebookText(notebookText(cells))).toEqual({ type: 'cells', cells });
    }
  });

  test('may have several new cells', () => {
    const marker = '#%% vscode.cell [language=python]\n';
    const cell = { id: null, language: 'python' };
    expect(parseNotebookText(`${marker}x\n${marker}y\n`)).toEqual({
      type: 'cells',
      cells: [
        { ...cell, text: 'x' },
        { ...cell, text: 'y' },
      ],
    });
  });

  test.each([
    ['x\n', 'there is text before the first cell'],
    [
      '#%% vscode.cell [id=a] [language=python]\n\n#%% vscode.cell [id=a] [language=python]\n',
      'two cells have the id a',
    ],
    ['#%% vscode.cell\n', 'line 1 is no valid marker of a cell: #%% vscode.cell'],
  ])('is invalid: %j', (text, message) => {
    expect(parseNotebookText(text)).toEqual({ type: 'invalid', message });
  });

  const edits = (text: string): CellEdits => {
    const parsed = parseNotebookText(text);
    if (parsed.type !== 'cells') throw new Error(parsed.message);
    return cellEdits(CELLS, parsed.cells);
  };

  test('changes only the texts of cells that stay', () => {
    expect(edits(notebookText(CELLS).replace('x = 1', 'x = 2'))).toEqual({
      texts: [{ index: 1, text: 'x = 2\nprint(x)' }],
      replaced: [],
    });
    expect(edits(notebookText(CELLS))).toEqual({ texts: [], replaced: [] });
  });

  test('inserts, removes and moves whole cells, and replaces one whose language changes', () => {
    const cell = (id: string | null, language: string, text: string) => ({ id, language, text });
    const written = '#%% vscode.cell [language=python]\ny = 2\n';
    expect(edits(notebookText(CELLS.slice(0, 1)) + written + notebookText(CELLS.slice(1)))).toEqual({
      texts: [],
      replaced: [{ start: 1, end: 1, cells: [cell(null, 'python', 'y = 2')] }],
    });
    expect(edits(notebookText(CELLS.slice(1)))).toEqual({ texts: [], replaced: [{ start: 0, end: 1, cells: [] }] });
    expect(edits(notebookText([...CELLS.slice(1), ...CELLS.slice(0, 1)]))).toEqual({
      texts: [],
      replaced: [
        { start: 0, end: 1, cells: [] },
        { start: 3, end: 3, cells: [cell('a', 'markdown', '# Title')] },
      ],
    });
    expect(edits(notebookText(CELLS).replace('[id=b] [language=python]', '[id=b] [language=sql]'))).toEqual({
      texts: [],
      replaced: [{ start: 1, end: 2, cells: [cell('b', 'sql', 'x = 1\nprint(x)')] }],
    });
    const both = notebookText(CELLS).replace('[id=b] [language=python]\nx', '[id=b] [language=sql]\ny');
    expect(edits(both)).toEqual({
      texts: [],
      replaced: [{ start: 1, end: 2, cells: [cell('b', 'sql', 'y = 1\nprint(x)')] }],
    });
  });
});

describe('a patch of a notebook', () => {
  const JSON_TEXT = '{\n "cells": [],\n "metadata": {}\n}\n';
  const plan = (snapshot: FileSnapshot | undefined, ...lines: string[]) => {
    const parsed = parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
    if (parsed.type === 'invalid') throw new Error(parsed.message);
    return planPatch(parsed.operations, '/w', new Map(snapshot === undefined ? [] : [['/w/a.ipynb', snapshot]]));
  };
  const open: FileSnapshot = { type: 'text', text: notebookText(CELLS), isCells: true };

  test('that is open applies to the text of its cells', () => {
    const planned = plan(open, '*** Update File: a.ipynb', '@@', '-x = 1', '+x = 2');
    expect(planned).toMatchObject({
      type: 'planned',
      changes: [{ kind: 'update', after: notebookText(CELLS).replace('1', '2') }],
    });
  });

  test.each([
    ['as JSON', ['*** Update File: a.ipynb', '@@', '-   "x = 1\\n",', '+   "x = 2\\n",']],
    ['as a new file', ['*** Add File: a.ipynb', '+{}']],
    ['so that no cells are left', ['*** Update File: a.ipynb', '@@', '-#%% vscode.cell [id=a] [language=markdown]']],
  ])('that is open is refused %s, with the way to do it', (_what, lines) => {
    const refused = plan(open, ...lines);
    expect(refused.type === 'failed' && refused.message).toMatch(
      /is open as a notebook in the editor, and is patched as the text of its cells, not as JSON\. Read it with read_file/,
    );
  });

  test('that is open does not move it and change it at once', () => {
    const refused = plan(open, '*** Update File: a.ipynb', '*** Move to: b.ipynb', '@@', '-x = 1', '+x = 2');
    expect(refused.type === 'failed' && refused.message).toMatch(/Change it and move it in two patches/);
  });

  test('that is closed is a patch of its JSON, and is refused when it breaks it', () => {
    const closed: FileSnapshot = { type: 'text', text: JSON_TEXT };
    const update = ['*** Update File: a.ipynb', '@@'];
    expect(plan(closed, ...update, '- "metadata": {}', '+ "metadata": {"a": 1}').type).toBe('planned');
    const broken = plan(closed, ...update, '- "metadata": {}', '+ "metadata": {');
    expect(broken.type === 'failed' && broken.message).toMatch(
      /would leave invalid JSON in the notebook \/w\/a\.ipynb/,
    );
    const added = plan(undefined, '*** Add File: a.ipynb', '+not JSON');
    expect(added.type === 'failed' && added.message).toMatch(/invalid JSON/);
    // It was no JSON before.
    expect(plan({ type: 'text', text: 'x\n' }, ...update, '-x', '+y').type).toBe('planned');
  });
});
