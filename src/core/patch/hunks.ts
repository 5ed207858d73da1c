/** What changed between two texts, read off the lines that stayed. */
import type { TextHunk } from '../ports.ts';
import { type FileLine, joinLines } from './lines.ts';

/** The smallest whole-line hunks; they turn `before` into `after` exactly. Kept lines are those with an origin. */
export function hunksBetween(before: readonly FileLine[], after: readonly FileLine[]): TextHunk[] {
  const hunks: TextHunk[] = [];
  let start = 0;
  let inserted: FileLine[] = [];
  const closeAt = (end: number) => {
    // Most lines of a long file follow the one that they always followed.
    if (start === end && inserted.length === 0) return;
    const hunk = smallest(before, start, end, inserted);
    if (hunk !== undefined) hunks.push(hunk);
    inserted = [];
  };
  for (const line of after) {
    if (line.origin === null) {
      inserted.push(line);
      continue;
    }
    closeAt(line.origin);
    start = line.origin + 1;
  }
  closeAt(before.length);
  return hunks;
}

/** Lines that are the same on both sides at either edge do not belong to the change. */
function smallest(
  before: readonly FileLine[],
  start: number,
  end: number,
  inserted: readonly FileLine[],
): TextHunk | undefined {
  let head = 0;
  while (start + head < end && isSame(before[start + head], inserted[head])) head++;
  let tail = 0;
  const shorter = Math.min(end - start, inserted.length) - head;
  while (tail < shorter && isSame(before[end - 1 - tail], inserted.at(-1 - tail))) tail++;

  const text = joinLines(inserted.slice(head, inserted.length - tail));
  const hunk = { start: start + head, end: end - tail, text };
  return hunk.start === hunk.end && text === '' ? undefined : hunk;
}

function isSame(one: FileLine | undefined, other: FileLine | undefined): boolean {
  return one !== undefined && other !== undefined && one.text === other.text && one.ending === other.ending;
}
