export interface BlockOptions {
  /** Number of blocks outwards; 0: all. */
  readonly maxLevels: number;
  /** True if the neighbours of the outermost block are included. */
  readonly includeSiblings: boolean;
  /** True if comment lines directly above it are included. */
  readonly includeHeader: boolean;
  readonly maxLines: number;
}

/** Spaces of one level, and of a tab (codex-behaviour.md §4.3). */
const LEVEL = 4;

/**
 * The lines around an anchor that are indented at least as deep as wanted, as a half-open range. Blank lines have the
 * indent of the line before them; outer blank lines are left out. Grows up and down in turn until `maxLines`.
 */
export function indentationBlock(
  lines: readonly string[],
  anchor: number,
  { maxLevels, includeSiblings, includeHeader, maxLines }: BlockOptions,
): readonly [start: number, end: number] {
  const indents = effectiveIndents(lines);
  const least = maxLevels === 0 ? 0 : Math.max(0, (indents[anchor] ?? 0) - maxLevels * LEVEL);
  const isIn = (at: number) => at >= 0 && at < lines.length && (indents[at] ?? 0) >= least;
  let [start, end] = [anchor, anchor + 1];
  let [up, down] = [true, true];
  /** Lines at the least indent that were met in each direction: the first one ends a block that has no siblings. */
  const met = { up: (indents[anchor] ?? 0) === least, down: (indents[anchor] ?? 0) === least };
  while ((up || down) && end - start < maxLines) {
    if (up) {
      const at = start - 1;
      const isHeader = includeHeader && isComment(lines[at] ?? '');
      up = isIn(at) && (includeSiblings || !met.up || isHeader);
      if (up) {
        start = at;
        if (indents[at] === least && !isHeader && !isBlank(lines[at])) met.up = true;
      }
    }
    if (down && end - start < maxLines) {
      const at = end;
      const ends = indents[at] === least && !isBlank(lines[at]);
      down = isIn(at) && (includeSiblings || !(ends && met.down));
      if (down) {
        end = at + 1;
        if (ends) met.down = true;
      }
    }
  }
  while (start < anchor && isBlank(lines[start])) start++;
  while (end > anchor + 1 && isBlank(lines[end - 1])) end--;
  return [start, end];
}

function effectiveIndents(lines: readonly string[]): readonly number[] {
  let before = 0;
  return lines.map((line) => {
    if (!isBlank(line)) before = indentOf(line);
    return before;
  });
}

function indentOf(line: string): number {
  let indent = 0;
  for (const character of line) {
    if (character === ' ') indent += 1;
    else if (character === '\t') indent += LEVEL;
    else break;
  }
  return indent;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}

function isComment(line: string): boolean {
  return /^\s*(?:#|\/\/|--)/.test(line);
}
