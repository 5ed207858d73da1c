/** The message to the model for an edit at the cursor (docs/editor.md). */
import type { LineRange } from '../../protocol/lineRange.ts';
import type { UserInput } from '../../protocol/item.ts';

/** Behind the instructions of the user, for a thread that makes one edit at the cursor. */
export const EDIT_INSTRUCTIONS = `# Edit at the cursor

The message asks for a change at one place of one file, which the user has open in the editor. The attachment of kind "selection" is that place: the selected lines, or the line of the cursor. The attachment of kind "file" has the lines around it and may be cut; text and line numbers are those of the editor, unsaved edits included.

- Make the change with one call of apply_patch that changes this file only and no more lines than necessary. Keep its style. The user may be typing elsewhere in the file.
- Read other files only when the change depends on them.
- The change stays unsaved in the editor until the user keeps and saves it. Correct new errors that the result of the patch names.
- When the message is a question, or the change cannot be made at this place, change nothing and say so in a few sentences. Otherwise end with one short sentence.`;

/** The place of an edit: a file, and the editor's lines and problems. */
export interface EditPlace {
  /** Absolute. */
  readonly path: string;
  /** Relative to the workspace folder where possible. */
  readonly name: string;
  /** The selected lines, or the line of the cursor. */
  readonly lines: LineRange;
  /** Number of lines of the file, the empty one behind a last line break included. */
  readonly lineCount: number;
  /** Text of a line, from 1, without its end. */
  readonly lineAt: (line: number) => string;
  /** Lines about errors and warnings of the file, `name:line:column severity: message`, the nearest first. */
  readonly problems: readonly string[];
}

/** Maximum lines and characters attached around the place. */
const EXCERPT = { lines: 200, characters: 12_000 } as const;
const MAX_PROBLEMS = 20;

/** The message to the model. */
export function editInput(instruction: string, place: EditPlace): readonly UserInput[] {
  const { path, name, lines, problems, lineCount, lineAt } = place;
  const around = excerptAround(lines, lineCount, (line) => lineAt(line).length);
  const hasMore = around.first < lines.first || around.last > lines.last;
  const shown = problems.slice(0, MAX_PROBLEMS);
  const attached = (kind: 'selection' | 'file', range: LineRange): UserInput => {
    const text = textOf(range, place);
    return { type: 'mention', kind, name: `${name}:${rangeText(range)}`, path, lines: range, text };
  };
  return [
    { type: 'text', text: instruction },
    attached('selection', lines),
    ...(hasMore ? [attached('file', around)] : []),
    ...(shown.length === 0
      ? []
      : [
          {
            type: 'mention' as const,
            kind: 'problems' as const,
            name: `problems of ${name}`,
            path: '',
            text: shown.join('\n'),
          },
        ]),
  ];
}

/** The lines as the editor has them; without the empty one behind a last line break. */
function textOf({ first, last }: LineRange, { lineCount, lineAt }: EditPlace): string {
  const lines: string[] = [];
  for (let line = first; line <= Math.min(last, lineCount); line++) lines.push(lineAt(line));
  if (last >= lineCount && lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.join('\n');
}

/** The lines around the place that are attached: as many above as below, while they are few enough. */
export function excerptAround(place: LineRange, lineCount: number, lengthOf: (line: number) => number): LineRange {
  let { first, last } = { first: place.first, last: Math.min(place.last, Math.max(lineCount, place.first)) };
  let left: number = EXCERPT.characters;
  const fits = (line: number) => {
    const length = lengthOf(line) + 1;
    if (length > left) return false;
    left -= length;
    return true;
  };
  let isOpenAbove = true;
  let isOpenBelow = true;
  while ((isOpenAbove || isOpenBelow) && last - first + 1 < EXCERPT.lines) {
    isOpenAbove &&= first > 1 && fits(first - 1);
    if (isOpenAbove) first--;
    isOpenBelow &&= last < lineCount && fits(last + 1);
    if (isOpenBelow) last++;
  }
  return { first, last };
}

function rangeText({ first, last }: LineRange): string {
  return first === last ? `${first}` : `${first}-${last}`;
}
