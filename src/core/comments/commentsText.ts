/** Comments on lines as one message. */
import type { LineRange } from '../../protocol/lineRange.ts';
import { rangeText } from '../../protocol/text/findings.ts';
import { byteLength } from '../util/tokens.ts';

export interface CommentedLines {
  /** For the model: relative to the working directory if possible. */
  readonly path: string;
  readonly lines: LineRange;
  /** The lines as they are now. */
  readonly quote: string;
  /** They are in a patch that is not applied. */
  readonly isProposed: boolean;
  readonly texts: readonly string[];
}

/** Bytes of the quotes of one message; comments behind them have only path and lines. */
export const QUOTE_BUDGET = 16 * 1024;

/** `lead`, then each comment below its place and its lines, by path and line. */
export function commentsText(comments: readonly CommentedLines[], lead: string): string {
  let left = QUOTE_BUDGET;
  const ordered = comments.toSorted(
    (one, other) => compare(one.path, other.path) || one.lines.first - other.lines.first,
  );
  const parts = ordered.map(({ path, lines, quote, isProposed, texts }) => {
    const size = byteLength(quote);
    const isQuoted = quote !== '' && size <= left;
    if (isQuoted) left -= size;
    const place = `${path}:${rangeText(lines)}${isProposed ? ' (in the proposed patch)' : ''}`;
    return [place, ...(isQuoted ? [quoted(quote)] : []), ...texts].join('\n');
  });
  return [lead, ...parts].join('\n\n');
}

function quoted(text: string): string {
  return `> ${text.replaceAll('\n', '\n> ')}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * The lines, as they are after it, that a diff in git format changes in a file, each with the unchanged lines around it.
 * `path`: as the diff has it.
 */
export function patchedLines(diff: string, path: string): readonly LineRange[] {
  const file = diff.split(/^(?=diff --git )/m).find((part) => part.split('\n').includes(`+++ b/${path}`)) ?? '';
  return [...file.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm)].map(([, start, count]) => {
    const first = Math.max(1, Number(start));
    return { first, last: Math.max(first, first + Number(count ?? 1) - 1) };
  });
}

/** Returns true if two ranges have a line in common. */
export function overlap(one: LineRange, other: LineRange): boolean {
  return one.first <= other.last && other.first <= one.last;
}
