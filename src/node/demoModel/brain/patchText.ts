/** Writes patches that change one line. */

/** One line of one file that is replaced by another. `line` counts from 1. */
export interface LineChange {
  readonly path: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Returns the change that takes this one back. */
export function reversed(change: LineChange): LineChange {
  return { ...change, before: change.after, after: change.before };
}

/** The text after the change. */
export function changed(text: string, change: LineChange): string {
  return text
    .split('\n')
    .map((line, index) => (index === change.line - 1 ? change.after : line))
    .join('\n');
}

/**
 * Returns the same change in another state of the file: the line with the same text that is nearest to the original
 * one; `undefined` when there is none.
 */
export function relocated(change: LineChange, text: string): LineChange | undefined {
  const places = text.split('\n').flatMap((line, index) => (line === change.before ? [index + 1] : []));
  const [nearest] = places.toSorted((a, b) => Math.abs(a - change.line) - Math.abs(b - change.line));
  return nearest === undefined ? undefined : { ...change, line: nearest };
}

/** Adds `reach` lines of context on both sides, or as many more as are needed to be unambiguous in `text`. */
export function patchFor(change: LineChange, text: string, reach: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const place = change.line - 1;
  let size = reach;
  while (size < lines.length && occurrences(lines, windowAround(lines, place, size)) > 1) size += 1;
  const above = lines.slice(Math.max(0, place - size), place);
  const below = lines.slice(place + 1, place + 1 + size);
  return [
    '*** Begin Patch',
    `*** Update File: ${change.path}`,
    '@@',
    ...above.map((line) => ` ${line}`),
    `-${change.before}`,
    `+${change.after}`,
    ...below.map((line) => ` ${line}`),
    '*** End Patch',
  ].join('\n');
}

function windowAround(lines: readonly string[], place: number, size: number): readonly string[] {
  return lines.slice(Math.max(0, place - size), place + 1 + size);
}

function occurrences(lines: readonly string[], wanted: readonly string[]): number {
  return lines.filter((_, start) => wanted.every((line, index) => lines[start + index] === line)).length;
}
