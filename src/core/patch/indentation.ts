/**
 * Lines that a patch adds, indented as the file is. A quote that was found only by leaving its indentation out says how
 * far the patch is off: when that is the same for every line, the added lines are shifted by it (design.md decision 4,
 * difference (e)).
 */
import { spaces, trim, trimStart } from './whitespace.ts';

export type Shift =
  | { readonly type: 'none' }
  /** The file has `indentation` in front of what the patch has. */
  | { readonly type: 'deeper'; readonly indentation: string }
  /** The patch has `indentation` in front of what the file has. */
  | { readonly type: 'shallower'; readonly indentation: string }
  | { readonly type: 'uneven' };

const NONE: Shift = { type: 'none' };
const UNEVEN: Shift = { type: 'uneven' };

/** `quoted` and `found` are equal in number, and alike but for blanks and punctuation. Blank lines have no indentation. */
export function shiftBetween(quoted: readonly string[], found: readonly string[]): Shift {
  let shift: Shift | undefined;
  for (const [index, line] of quoted.entries()) {
    const other = found[index] ?? '';
    if (isBlank(line)) continue;
    const own = line === other ? NONE : shiftOf(indentationOf(line), indentationOf(other));
    shift ??= own;
    if (own.type === 'uneven' || !isEqual(own, shift)) return UNEVEN;
  }
  return shift ?? NONE;
}

/** The added line in the indentation of the file; `undefined` when it has not as much as must be taken away. */
export function shifted(line: string, shift: Exclude<Shift, { type: 'uneven' }>): string | undefined {
  if (shift.type === 'none' || isBlank(line)) return line;
  if (shift.type === 'deeper') return shift.indentation + line;
  return line.startsWith(shift.indentation) ? line.slice(shift.indentation.length) : undefined;
}

/** In words, because tabs and spaces look alike: `4 spaces`, `1 tab, 2 spaces`, `no indentation`. */
export function describeIndentation(line: string): string {
  const runs = indentationOf(line).match(/ +|\t+|[^ \t]+/g) ?? [];
  const words = runs.map((run) => {
    const name = run.startsWith(' ') ? 'space' : run.startsWith('\t') ? 'tab' : 'other blank';
    return `${run.length} ${name}${run.length === 1 ? '' : 's'}`;
  });
  return words.join(', ') || 'no indentation';
}

/** Constant means: only spaces or only tabs, in front of what both sides have. */
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

/** The blanks a line begins with; typographic ones as spaces, which the search takes for equal. */
function indentationOf(line: string): string {
  return spaces(line.slice(0, line.length - trimStart(line).length));
}
