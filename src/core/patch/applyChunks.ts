/** Applies the chunks of one update to the lines of one file (codex-behaviour.md §1.3). */
import { findContexts, searchedContexts } from './contexts.ts';
import { shiftBetween, shifted } from './indentation.ts';
import { areLinesAt, lineAt, LinesWriter, type TextLines } from './lines.ts';
import type { Mismatch } from './mismatch.ts';
import type { PatchChunk, PatchLine } from './operation.ts';
import type { Seeker } from './seek.ts';
import { createTextSeeker } from './textSeeker.ts';
import { append } from '../util/append.ts';

export type ChunksResult = { readonly type: 'applied'; readonly lines: TextLines } | Mismatch;

/** Replaces the lines `start`…`start + removed` by `added`. */
interface Edit {
  readonly start: number;
  removed: number;
  readonly added: string[];
}

/** The place of a chunk, with its lines as they are in the file. */
interface Place {
  readonly start: number;
  readonly lines: readonly PatchLine[];
  /** The lines that the chunk removes or keeps. */
  readonly old: readonly string[];
}

/** Applies all chunks or none. Each chunk is searched in the original text, below the one before it. */
export function applyChunks(lines: TextLines, chunks: readonly PatchChunk[]): ChunksResult {
  const seeker = createTextSeeker(lines);
  const edits: Edit[] = [];
  const taken: { readonly start: number; readonly end: number }[] = [];
  /** The end of the last consumed lines. */
  let takenUntil = 0;
  let cursor = 0;
  for (const chunk of chunks) {
    const old = oldLines(chunk.lines);
    const context = findContexts(searchedContexts(chunk, old), seeker, cursor);
    if (context.type === 'not_found') return context;
    cursor = context.below;
    if (old.length === 0) {
      // Appended even when a context was found: the reference does so, and models have learnt it (step 2).
      append(edits, editsOf(chunk.lines, lines.count));
      continue;
    }
    const place = findPlace(chunk, old, seeker, cursor);
    if (place === undefined) {
      return { type: 'not_found', what: 'lines', wanted: old, from: cursor, atEnd: chunk.endOfFile, seeker };
    }
    const { start } = place;
    const end = start + place.old.length;
    // A patch in the order of its file never gets to the search.
    if (start < takenUntil && taken.some((other) => start < other.end && other.start < end))
      return { type: 'taken', wanted: old, start };
    const fitted = inIndentationOf(lines, place);
    if (fitted.type === 'indentation') return fitted;
    append(edits, editsOf(fitted.lines, start));
    taken.push({ start, end });
    takenUntil = Math.max(takenUntil, end);
    cursor = end;
  }
  return { type: 'applied', lines: edited(lines, edits) };
}

/** Shifts the added lines to the indentation of the file at this place (difference (e)). */
function inIndentationOf(
  lines: TextLines,
  { start, lines: patch, old: wanted }: Place,
): { readonly type: 'fitted'; readonly lines: readonly PatchLine[] } | Extract<Mismatch, { type: 'indentation' }> {
  if (areLinesAt(lines, start, wanted)) return { type: 'fitted', lines: patch };
  const found = wanted.map((_, index) => lineAt(lines, start + index));
  const shift = shiftBetween(wanted, found);
  if (shift.type === 'none') return { type: 'fitted', lines: patch };
  if (shift.type === 'uneven') return { type: 'indentation', wanted, found, start, added: undefined };
  const fitted: PatchLine[] = [];
  for (const line of patch) {
    const text = line.kind === 'add' ? shifted(line.text, shift) : line.text;
    if (text === undefined) return { type: 'indentation', wanted, found, start, added: line.text };
    fitted.push({ kind: line.kind, text });
  }
  return { type: 'fitted', lines: fitted };
}

/** Repeats the search without a blank last line, which often only separates chunks (step 5). */
function findPlace(
  { lines, endOfFile }: PatchChunk,
  old: readonly string[],
  seeker: Seeker,
  cursor: number,
): Place | undefined {
  const start = seeker.find(old, cursor, endOfFile);
  if (start !== undefined) return { start, lines, old };
  const shorter = withoutLastBlank(lines);
  if (shorter === undefined) return undefined;
  const shorterOld = oldLines(shorter);
  const found = seeker.find(shorterOld, cursor, endOfFile);
  return found === undefined ? undefined : { start: found, lines: shorter, old: shorterOld };
}

function oldLines(lines: readonly PatchLine[]): string[] {
  const old: string[] = [];
  for (const { kind, text } of lines) if (kind !== 'add') old.push(text);
  return old;
}

/** Removes the blank line at the end of the old lines and, if there is one, at the end of the new lines. */
function withoutLastBlank(lines: readonly PatchLine[]): readonly PatchLine[] | undefined {
  const lastOld = lines.findLastIndex((line) => line.kind !== 'add');
  if (lines[lastOld]?.text !== '') return undefined;
  const shorter = without(lines, lastOld, 'remove');
  const lastNew = shorter.findLastIndex((line) => line.kind !== 'remove');
  return shorter[lastNew]?.text === '' ? without(shorter, lastNew, 'add') : shorter;
}

/** Removes a line from one side; a context line remains on the other. */
function without(lines: readonly PatchLine[], index: number, side: 'remove' | 'add'): readonly PatchLine[] {
  const line = lines[index];
  if (line?.kind !== 'context') return lines.toSpliced(index, 1);
  return lines.with(index, { kind: side === 'remove' ? 'add' : 'remove', text: line.text });
}

/** Returns one edit for each run of changed lines; context lines are not replaced. */
function editsOf(lines: readonly PatchLine[], start: number): Edit[] {
  const edits: Edit[] = [];
  let open: Edit | undefined;
  let next = start;
  for (const line of lines) {
    if (line.kind !== 'add') next += 1;
    if (line.kind === 'context') {
      open = undefined;
      continue;
    }
    if (open === undefined)
      edits.push((open = { start: line.kind === 'add' ? next : next - 1, removed: 0, added: [] }));
    if (line.kind === 'add') open.added.push(line.text);
    else open.removed += 1;
  }
  return edits;
}

/** Lines that are not removed keep the file's own text, whatever the patch quoted; every line gets an ending (§1.4). */
function edited(lines: TextLines, edits: readonly Edit[]): TextLines {
  const result = new LinesWriter(lines);
  let next = 0;
  // Edits at the same place are applied in the order of the patch.
  for (const { start, removed, added } of edits.toSorted((one, other) => one.start - other.start)) {
    result.keep(next, start);
    next = start + removed;
    for (const line of added) result.write(line);
  }
  result.keep(next, lines.count);
  return result.finish();
}
