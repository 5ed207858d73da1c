/**
 * Adapts the indentation of added lines to the file. When a quote matched only without its indentation, the difference
 * shows how far the patch is off: if it is the same for every line, the added lines are shifted by it (design decision
 * 4, difference (e)).
 */
import { spaces, trim, trimStart } from './whitespace.ts';

export type Shift =
  | { readonly type: 'none' }
  /** The file has `indentation` in addition to that of the patch. */
  | { readonly type: 'deeper'; readonly indentation: string }
  /** The patch has `indentation` in addition to that of the file. */
  | { readonly type: 'shallower'; readonly indentation: string }
  | { readonly type: 'uneven' };

const NONE: Shift = { type: 'none' };
const UNEVEN: Shift = { type: 'uneven' };

/**
 * `quoted` and `found` have the same number of lines and differ only in blanks and punctuation. Blank lines have no
 * indentation.
 */
export function shiftBetween(quoted: readonly string[], found: readonly string[]): Shift {
  let shift: Shift | undefined;
  for (const [index, line] of quoted.entries()) {
    const other = found[index] ?? '';
    if (isBlank(line)) continue;
    const own = shiftOf(indentationOf(line), indentationOf(other));
    shift ??= own;
    if (own.type === 'uneven' || !isEqual(own, shift)) return UNEVEN;
  }
  return shift ?? NONE;
}

/** The added line with the indentation of the file; `undefined` when it has less indentation than must be removed. */
export function shifted(line: string, shift: Exclude<Shift, { type: 'uneven' }>): string | undefined {
  if (shift.type === 'none' || isBlank(line)) return line;
  if (shift.type === 'deeper') return shift.indentation + line;
  return line.startsWith(shift.indentation) ? line.slice(shift.indentation.length) : undefined;
}

/** Describes it in words, because tabs and spaces look alike: `4 spaces`, `1 tab, 2 spaces`, `no indentation`. */
export function describeIndentation(line: string): string {
  const runs = indentationOf(line).match(/ +|\t+|[^ \t]+/g) ?? [];
  const words = runs.map((run) => {
    const name = run.startsWith(' ') ? 'space' : run.startsWith('\t') ? 'tab' : 'other blank';
    return `${run.length} ${name}${run.length === 1 ? '' : 's'}`;
  });
  return words.join(', ') || 'no indentation';
}

/** A constant shift consists only of spaces or only of tabs, before the indentation that both sides share. */
function shiftOf(patch: string, file: string): Shift {
  if (patch === file) return NONE;
  const [type, longer, shorter] =
    file.length > patch.length ? (['deeper', file, patch] as const) : (['shallower', patch, file] as const);
  const indentation = longer.slice(0, longer.length - shorter.length);
  return longer.endsWith(shorter) && /^(?: +|\t+)$/.test(indentation) ? { type, indentation } : UNEVEN;
}

function isEqual(one: Shift, other: Shift): boolean {
  return (
    one.type === other.type &&
    ('indentation' in one ? one.indentation : '') === ('indentation' in other ? other.indentation : '')
  );
}

function isBlank(line: string): boolean {
  return trim(line) === '';
}

/** The leading blanks of a line; typographic ones as spaces, because the search treats them as equal. */
function indentationOf(line: string): string {
  return spaces(line.slice(0, line.length - trimStart(line).length));
}
