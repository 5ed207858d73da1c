/** Computes the changes between two texts from the lines that were kept. */
import type { TextHunk } from '../ports.ts';
import { lineStarts, type TextLines } from './lines.ts';

/** The smallest hunks of whole lines that turn `before` into `after` exactly. */
export function hunksBetween(before: TextLines, after: TextLines): TextHunk[] {
  const hunks: TextHunk[] = [];
  let start = 0;
  let offset = 0;
  const closeAt = (end: number, until: number) => {
    const hunk = smallest(before, start, end, after.text.slice(offset, until));
    if (hunk !== undefined) hunks.push(hunk);
  };
  for (const run of after.kept) {
    closeAt(run.origin, run.offset);
    start = run.origin + run.count;
    offset = run.offset + (before.starts[start] ?? 0) - (before.starts[run.origin] ?? 0);
  }
  closeAt(before.count, after.text.length);
  return hunks;
}

/** Drops equal lines at both edges of a change. */
function smallest(before: TextLines, start: number, end: number, inserted: string): TextHunk | undefined {
  const old = (line: number) => before.text.slice(before.starts[line], before.starts[line + 1]);
  const starts = lineStarts(inserted);
  const count = starts.length - 1;
  const now = (line: number) => inserted.slice(starts[line], starts[line + 1]);
  let head = 0;
  while (start + head < end && head < count && old(start + head) === now(head)) head++;
  let tail = 0;
  const shorter = Math.min(end - start, count) - head;
  while (tail < shorter && old(end - 1 - tail) === now(count - 1 - tail)) tail++;

  const text = inserted.slice(starts[head], starts[count - tail]);
  const hunk = { start: start + head, end: end - tail, text };
  return hunk.start === hunk.end && text === '' ? undefined : hunk;
}
