/** Finds the lines that a patch quotes, as the reference does (codex-behaviour.md §1.3 step 4 and 7). */
import { indexLines, type LineIndex } from './lineIndex.ts';
import { plain, trim, trimEnd } from './whitespace.ts';

export interface Seeker {
  readonly lines: readonly string[];
  /**
   * The first place at `from` or later. Makes up to four passes over the whole file, each less strict: an exact match
   * further down beats a similar one above. `atEnd` allows only the last lines of the file. An empty pattern matches at
   * `from`.
   */
  find(pattern: readonly string[], from: number, atEnd?: boolean): number | undefined;
  /** The index for the least strict comparison. */
  readonly loosest: LineIndex;
}

/** From the strictest to the least strict. */
const FOLDS: readonly ((line: string) => string)[] = [(line) => line, trimEnd, trim, plain];

/** The index of each pass is built on first use, once for each file. */
export function createSeeker(lines: readonly string[]): Seeker {
  const indexes: LineIndex[] = [];
  const indexFor = (pass: number): LineIndex => (indexes[pass] ??= indexLines(lines, FOLDS[pass] ?? plain));

  return {
    lines,
    find(pattern, from, atEnd) {
      if (pattern.length === 0) return from;
      const last = lines.length - pattern.length;
      if (from > last) return undefined;
      for (const pass of FOLDS.keys()) {
        const index = indexFor(pass);
        const found = atEnd ? (index.matchesAt(pattern, last) ? last : undefined) : index.find(pattern, from);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    get loosest() {
      return indexFor(FOLDS.length - 1);
    },
  };
}
