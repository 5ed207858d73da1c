/** Formats changes as unified diffs with git's headers. */
import { sep } from 'node:path';
import { structuredPatch } from 'diff';
import type { FileChange, LineSpan, ProposedHunk } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';

/**
 * In milliseconds: without a limit, the diff of a rewritten long file would block the event loop for seconds
 * (libraries.md §1).
 */
const DIFF_TIMEOUT_MS = 500;

export interface UnifiedDiff {
  /** Ends with a line feed; empty when nothing changed. */
  readonly text: string;
  /** In lines. */
  readonly added: number;
  readonly removed: number;
}

export interface FileDiff extends UnifiedDiff {
  /** The hunks, one per `@@`. */
  readonly hunks: readonly ProposedHunk[];
}

/** The diff of a file whose lines are not shown. */
export function binaryDiff(path: string, cwd: string): string {
  const shown = shownPath(path, cwd);
  const [old, now] = [quoted(under('a', shown)), quoted(under('b', shown))];
  return `diff --git ${old} ${now}\nBinary files ${old} and ${now} differ\n`;
}

/** Both sides of one file. `path` is the current path; `before` and `after` are `null` where there is no file. */
interface Sides {
  readonly oldPath: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The diff of a change, as `git apply` takes it; paths below `cwd` are shown from there. */
export function unifiedDiff(change: FileChange, cwd: string): UnifiedDiff {
  const { hunks: _, ...diff } = fileDiff(change, cwd);
  return diff;
}

/** The diff of a change, with the places of its hunks. */
export function fileDiff(change: FileChange, cwd: string): FileDiff {
  return diffOf(sidesOf(change, cwd));
}

/** The diff between two texts of the same file. */
export function unifiedDiffOfTexts(path: string, before: string, after: string): string {
  return diffOf({ oldPath: path, path, before, after }).text;
}

function sidesOf(change: FileChange, cwd: string): Sides {
  const oldPath = shownPath(change.path, cwd);
  switch (change.kind) {
    case 'add':
      return { oldPath, path: oldPath, before: change.before, after: change.text };
    case 'delete':
      return { oldPath, path: oldPath, before: change.before ?? '', after: null };
    case 'update':
      return {
        oldPath,
        path: shownPath(change.movedTo ?? change.path, cwd),
        before: change.before,
        after: change.after,
      };
  }
}

function diffOf(sides: Sides): FileDiff {
  const { oldPath, path, before, after } = sides;
  const hunks = before === after ? [] : (diffHunks(before ?? '', after ?? '') ?? wholeHunk(before ?? '', after ?? ''));
  const headers = headersOf(sides);
  if (hunks.length > 0) {
    headers.push(`--- ${before === null ? '/dev/null' : quoted(under('a', oldPath))}`);
    headers.push(`+++ ${after === null ? '/dev/null' : quoted(under('b', path))}`);
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const body = hunks.flatMap((hunk) => [hunk.header, ...hunk.lines]);
  const isEmpty = hunks.length === 0 && headers.length === 1;
  return {
    text: isEmpty ? '' : [...headers, ...body].map((line) => `${line}\n`).join(''),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    hunks: hunks.map(changedLines),
  };
}

function headersOf({ oldPath, path, before, after }: Sides): string[] {
  const headers = [`diff --git ${quoted(under('a', oldPath))} ${quoted(under('b', path))}`];
  if (before === null) headers.push('new file mode 100644');
  if (after === null) headers.push('deleted file mode 100644');
  if (oldPath !== path) headers.push(`rename from ${quoted(oldPath)}`, `rename to ${quoted(path)}`);
  return headers;
}

interface Hunk {
  /** The first line of the hunk on each side, from 1. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly header: string;
  readonly lines: readonly string[];
}

/** The lines from the first to the last change of a hunk, on both sides. */
function changedLines({ oldStart, newStart, lines }: Hunk): ProposedHunk {
  const isChange = (line: string) => line.startsWith('+') || line.startsWith('-');
  const first = lines.findIndex(isChange);
  const changed = lines.slice(first, lines.findLastIndex(isChange) + 1);
  const spanFrom = (start: number, other: '+' | '-'): LineSpan => {
    const count = changed.filter((line) => !line.startsWith(other) && !line.startsWith('\\')).length;
    return { start: start - 1 + first, end: start - 1 + first + count };
  };
  return { before: spanFrom(oldStart, '+'), after: spanFrom(newStart, '-') };
}

/** Returns `undefined` on timeout. */
function diffHunks(before: string, after: string): Hunk[] | undefined {
  // Nothing to compare: twenty times as fast for a long file.
  if (before === '' || after === '') return wholeHunk(before, after);
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: DIFF_TIMEOUT_MS });
  return patch?.hunks.map((hunk) => ({
    oldStart: hunk.oldStart,
    newStart: hunk.newStart,
    header: hunkHeader(hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines),
    lines: hunk.lines,
  }));
}

/** Returns one hunk that replaces all old lines by all new ones. */
function wholeHunk(before: string, after: string): Hunk[] {
  const removed = before.split('\n').length - (before.endsWith('\n') || before === '' ? 1 : 0);
  const added = after.split('\n').length - (after.endsWith('\n') || after === '' ? 1 : 0);
  const lines = [...prefixed('-', before), ...prefixed('+', after)];
  return [{ oldStart: 1, newStart: 1, header: hunkHeader(1, removed, 1, added), lines }];
}

function prefixed(prefix: string, text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => prefix + line);
  return text.endsWith('\n') ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file'];
}

/** Formats the header as git does: a range without lines starts at the line above, and a count of 1 is omitted. */
function hunkHeader(oldStart: number, oldLines: number, newStart: number, newLines: number): string {
  const range = (start: number, lines: number) => {
    if (lines === 1) return `${start}`;
    return lines === 0 ? `${start - 1},0` : `${start},${lines}`;
  };
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** Relative to `cwd` with `/`; absolute if the path lies outside. */
function shownPath(path: string, cwd: string): string {
  return (pathBelow(cwd, path) ?? path).replaceAll(sep, '/');
}

function under(side: 'a' | 'b', path: string): string {
  return path.startsWith('/') ? side + path : `${side}/${path}`;
}

/** Quotes a path as git does if it would break the line. */
function quoted(path: string): string {
  const needed = /["\\\p{Cc}]/u.test(path);
  return needed ? JSON.stringify(path) : path;
}
