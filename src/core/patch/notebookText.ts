/**
 * An open notebook as one text that patches apply to: each cell below a line that marks it. The marker is that of VS
 * Code's own agent, which models know; outputs and metadata are not part of the text (docs/decisions/0058).
 */
import { diffLines } from './lineDiff.ts';

export interface NotebookCell {
  /** Without spaces and brackets; unique in its notebook. */
  readonly id: string;
  /** `markdown` for a cell that is rendered. */
  readonly language: string;
  /** Lines end with a line feed. */
  readonly text: string;
}

/** A cell of a patched text; `id` is `null` for a new one. */
export type PatchedCell = Omit<NotebookCell, 'id'> & { readonly id: string | null };

export type ParsedNotebook =
  | { readonly type: 'cells'; readonly cells: readonly PatchedCell[] }
  /** `message`: a clause about the text, for the model. */
  | { readonly type: 'invalid'; readonly message: string };

/** The marker line of a new cell. */
export const NEW_CELL = '#%% vscode.cell [language=python]';

const MARKER = /^#%% vscode\.cell (?:\[id=([^\]\s]+)\] )?\[language=([^\]\s]+)\]\s*$/;
/** Matches cell text that looks like a marker; it is escaped with a backslash. */
const LIKE_A_MARKER = /^\\*#%% vscode\.cell\b/;

/**
 * Returns the text that a patch edits: each cell after a marker with its id and language. `parseNotebookText` reads it.
 */
export function notebookText(cells: readonly NotebookCell[]): string {
  return cells.map(({ id, language, text }) => `${marker(id, language)}\n${escaped(text)}\n`).join('');
}

/** Returns true if a text was made by `notebookText`, patched or not. */
export function isNotebookText(text: string): boolean {
  return MARKER.test(text.split('\n', 1)[0] ?? '');
}

/**
 * Reads such a text back into cells; a marker without an id begins a new cell. The reason for an invalid text is a
 * clause for the model.
 */
export function parseNotebookText(text: string): ParsedNotebook {
  const cells: { id: string | null; language: string; lines: string[] }[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    const [isMarker, id = null, language] = MARKER.exec(line) ?? [];
    if (isMarker !== undefined && language !== undefined) {
      if (id !== null && cells.some((cell) => cell.id === id)) return invalid(`two cells have the id ${id}`);
      cells.push({ id, language, lines: [] });
    } else if (line.startsWith('#%% vscode.cell')) {
      return invalid(`line ${index + 1} is no valid marker of a cell: ${line}`);
    } else if (cells.length === 0) {
      return invalid('there is text before the first cell');
    } else {
      cells.at(-1)?.lines.push(LIKE_A_MARKER.test(line) ? line.slice(1) : line);
    }
  }
  return {
    type: 'cells',
    cells: cells.map(({ id, language, lines: own }) => ({ id, language, text: own.join('\n') })),
  };
}

/** Returns true if two texts have the same cells, ignoring ids; false if one is invalid. */
export function haveSameCells(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => parseNotebookText(text));
  if (first?.type !== 'cells' || second?.type !== 'cells') return false;
  const without = ({ language, text }: PatchedCell) => [language, text];
  return JSON.stringify(first.cells.map(without)) === JSON.stringify(second.cells.map(without));
}

/** Maps the cells of a notebook to those of a patched text. Indexes are those before all edits. */
export interface CellEdits {
  /** Cells that stay, with another text. */
  readonly texts: readonly { readonly index: number; readonly text: string }[];
  /** Cells `start` to `end` (excluded) are replaced by others. In order, not overlapping. */
  readonly replaced: readonly {
    readonly start: number;
    readonly end: number;
    readonly cells: readonly PatchedCell[];
  }[];
}

/** A cell stays where its id and its language are the same and its order is. */
export function cellEdits(before: readonly NotebookCell[], after: readonly PatchedCell[]): CellEdits {
  const keyOf = ({ id, language }: PatchedCell, index: number) => (id === null ? `new ${index}` : `${id} ${language}`);
  const changes = diffLines(before.map(keyOf), after.map(keyOf));
  const replaced = changes.map(({ start, end, newStart, newEnd }) => ({
    start,
    end,
    cells: after.slice(newStart, newEnd),
  }));
  const isReplaced = (index: number) => changes.some(({ start, end }) => index >= start && index < end);
  const patched = new Map(after.map((cell) => [cell.id, cell.text]));
  const texts = before.flatMap(({ id, text }, index) => {
    const now = patched.get(id) ?? text;
    return isReplaced(index) || now === text ? [] : [{ index, text: now }];
  });
  return { texts, replaced };
}

function marker(id: string, language: string): string {
  return `#%% vscode.cell [id=${id}] [language=${language}]`;
}

function escaped(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.map((line) => (LIKE_A_MARKER.test(line) ? `\\${line}` : line)).join('\n');
}

function invalid(message: string): ParsedNotebook {
  return { type: 'invalid', message };
}
