/** Messages for the model when its patch does not fit the file: what was searched for, and what is there. */
import { assertNever } from '../util/assertNever.ts';
import { describeIndentation } from './indentation.ts';
import { areLineNumbers } from './markers.ts';
import { nearestRegion } from './nearest.ts';
import type { Seeker } from './seek.ts';

/** The reason why the chunks of an update do not fit the file. Lines are counted from 0. */
export type Mismatch =
  | {
      readonly type: 'not_found';
      readonly what: 'context' | 'lines';
      readonly wanted: readonly string[];
      /** The first line of the search. */
      readonly from: number;
      readonly atEnd: boolean;
      readonly seeker: Seeker;
    }
  /** An earlier chunk already quotes some of these lines. */
  | { readonly type: 'taken'; readonly wanted: readonly string[]; readonly start: number }
  /**
   * The lines are in the file, but their indentation differs, and not by a constant amount; or by more than the
   * indentation of the line `added`.
   */
  | {
      readonly type: 'indentation';
      readonly wanted: readonly string[];
      readonly found: readonly string[];
      readonly start: number;
      readonly added: string | undefined;
    };

/** Names the path and what was searched for (codex-behaviour.md §1.6), then shows where to look. */
export function describeMismatch(mismatch: Mismatch, path: string): string {
  switch (mismatch.type) {
    case 'not_found': {
      const { what, wanted } = mismatch;
      const missing =
        what === 'context'
          ? `Cannot find the context "${wanted.join('\n')}" in ${path}.`
          : `Cannot find these lines in ${path}:\n${wanted.join('\n')}`;
      return `${missing}\n\n${hint(mismatch)}`;
    }
    case 'taken':
      return `Two chunks quote line ${mismatch.start + 1} of ${path}:\n${mismatch.wanted.join('\n')}\n\nMake one chunk of them, or let no two quote the same line.`;
    case 'indentation':
      return describeIndentationMismatch(mismatch, path);
    default:
      return assertNever(mismatch);
  }
}

const SHOWN_LINES = 12;

function describeIndentationMismatch(
  { wanted, found, start, added }: Extract<Mismatch, { type: 'indentation' }>,
  path: string,
): string {
  const place = found.length === 1 ? `line ${start + 1}` : `lines ${start + 1}-${start + found.length}`;
  const differences = wanted.flatMap((line, index) => {
    const patch = describeIndentation(line);
    const file = describeIndentation(found[index] ?? '');
    return patch === file ? [] : [`line ${start + index + 1}: the patch has ${patch}, the file ${file}`];
  });
  const why =
    added === undefined ? 'and not by one constant amount:' : `which this added line cannot follow:\n${added}`;
  return [
    `The quoted lines stand at ${place} of ${path} with another indentation, ${why}`,
    ...differences.slice(0, SHOWN_LINES),
    '',
    'The file has:',
    ...found.slice(0, SHOWN_LINES),
    '',
    'Quote these lines as the file has them, and indent the added lines to fit.',
  ].join('\n');
}

function hint({ what, seeker, wanted, from, atEnd }: Extract<Mismatch, { type: 'not_found' }>): string {
  if (seeker.lines.length === 0) return 'The file is empty.';
  if (what === 'context' && areLineNumbers(wanted[0] ?? '')) {
    return 'Line numbers after "@@" are not used: quote lines of the file above or below the added ones.';
  }
  const elsewhere = seeker.find(wanted, 0);
  if (elsewhere !== undefined && atEnd) {
    return `They stand at line ${elsewhere + 1}, which is not the end of the file: leave "*** End of File" out.`;
  }
  if (elsewhere !== undefined) {
    return `The search began at line ${from + 1}, below the chunk or context before; the match at line ${elsewhere + 1} is above. Order chunks from top to bottom, let no two quote the same line, and do not repeat the line after "@@" below it.`;
  }
  return nearestRegion(seeker, wanted, from) ?? 'Nothing in the file resembles it. Read the file again.';
}
