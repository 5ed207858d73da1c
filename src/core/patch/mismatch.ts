/** The sentences a model reads when its patch does not fit the file: what was looked for, and what is there. */
import type { ChunksResult } from './applyChunks.ts';
import { nearestRegion } from './nearest.ts';

type NotFound = Extract<ChunksResult, { type: 'not_found' }>;

/** Names the path and what was looked for (codex-behaviour.md §1.6), then shows where to look. */
export function describeMismatch(mismatch: NotFound, path: string): string {
  const { what, wanted } = mismatch;
  const missing =
    what === 'context'
      ? `Cannot find the context "${wanted.join('\n')}" in ${path}.`
      : `Cannot find these lines in ${path}:\n${wanted.join('\n')}`;
  return `${missing}\n\n${hint(mismatch)}`;
}

/** The header of a unified diff, as it stands after "@@ ". */
const LINE_NUMBERS = /^-\d+(,\d+)? \+\d+(,\d+)? @@/;

function hint({ what, seeker, wanted, from, atEnd }: NotFound): string {
  if (seeker.lines.length === 0) return 'The file is empty.';
  if (what === 'context' && LINE_NUMBERS.test(wanted[0] ?? '')) {
    return 'Line numbers mean nothing after "@@": write a line of the file that stands above the change there, or nothing.';
  }
  const elsewhere = seeker.find(wanted, 0, false);
  if (elsewhere !== undefined && atEnd) {
    return `They stand at line ${elsewhere + 1}, which is not the end of the file: leave "*** End of File" out.`;
  }
  if (elsewhere !== undefined) {
    return `The search began at line ${from + 1}, below the chunk or context before; the match at line ${elsewhere + 1} is above. Order chunks from top to bottom, let no two quote the same line, and do not repeat the line after "@@" below it.`;
  }
  return nearestRegion(seeker, wanted, from) ?? 'Nothing in the file resembles it. Read the file again.';
}
