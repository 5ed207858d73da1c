/** Reads the user's choices from an edited proposal: which hunks it contains and which it does not. Pure. */
import type { FileReview } from '../../protocol/policy.ts';
import type { HunkState } from '../../protocol/review.ts';
import type { ProposedFile, ProposedHunk, TextHunk } from '../ports.ts';
import { hunksFrom } from './hunkAlgebra.ts';
import { feedLines, textAfter, textBefore } from './proposalChoices.ts';

/** The place of a hunk in the text, in lines, and the surrounding text that an edit of its lines includes. */
export interface PlacedHunk {
  readonly state: HunkState;
  readonly start: number;
  readonly end: number;
  readonly lead: string;
  readonly tail: string;
}

/** The choices that the text expresses; `undefined` when it equals the proposal. */
export function readReview(file: ProposedFile, text: string): FileReview | undefined {
  if (file.change.kind === 'delete' || text === textAfter(file.change)) return undefined;
  const places = placesOfChoices(file, text);
  if (places === undefined) return { path: file.name, text };
  return {
    path: file.name,
    leftOut: [...places.entries()].filter(([, { state }]) => state === 'out').map(([at]) => at),
  };
}

/** The places of all hunks, in order. */
export function placeHunks(file: ProposedFile, text: string): readonly PlacedHunk[] {
  return placesOfChoices(file, text) ?? placesInEdited(file, text);
}

/** The edit that puts a hunk into the text or removes it. */
export function hunkEdit(file: ProposedFile, text: string, index: number, wanted: 'in' | 'out'): TextHunk | undefined {
  const place = placeHunks(file, text)[index];
  const hunk = file.hunks[index];
  if (place === undefined || hunk === undefined) return undefined;
  const { start, end, lead, tail } = place;
  const { before, after } = linesOf(file);
  const lines = wanted === 'in' ? linesIn(after, hunk.after) : linesIn(before, hunk.before);
  return { start, end, text: lead + lines.join('') + tail };
}

/** Returns the text with one hunk applied. */
export function withEdit(text: string, { start, end, text: inserted }: TextHunk): string {
  const lines = feedLines(text);
  return [...lines.slice(0, start), inserted, ...lines.slice(end)].join('');
}

interface Trail {
  /** The next line to read. */
  readonly at: number;
  readonly last: PlacedHunk | undefined;
  readonly rest: Trail | undefined;
}

/** Returns `undefined` when the text is not a choice of hunks but contains other edits. */
function placesOfChoices(file: ProposedFile, text: string): readonly PlacedHunk[] | undefined {
  const lines = feedLines(text);
  const { before, after } = linesOf(file);
  let trails: readonly Trail[] = [{ at: 0, last: undefined, rest: undefined }];
  let read = 0;
  for (const hunk of file.hunks) {
    const unchanged = before.slice(read, hunk.before.start);
    const next = new Map<number, Trail>();
    for (const trail of trails) {
      if (!matchesAt(lines, trail.at, unchanged)) continue;
      const start = trail.at + unchanged.length;
      for (const [state, part] of [
        ['in', linesIn(after, hunk.after)],
        ['out', linesIn(before, hunk.before)],
      ] as const) {
        const end = start + part.length;
        if (next.has(end) || !matchesAt(lines, start, part)) continue;
        next.set(end, { at: end, last: { state, start, end, lead: '', tail: '' }, rest: trail });
      }
    }
    trails = [...next.values()];
    read = hunk.before.end;
  }
  const unchanged = before.slice(read);
  const whole = trails.find(({ at }) => at + unchanged.length === lines.length && matchesAt(lines, at, unchanged));
  return whole && placesOf(whole);
}

function placesOf(trail: Trail): readonly PlacedHunk[] {
  const places: PlacedHunk[] = [];
  for (let each: Trail | undefined = trail; each?.last !== undefined; each = each.rest) places.unshift(each.last);
  return places;
}

function matchesAt(lines: readonly string[], at: number, part: readonly string[]): boolean {
  return part.every((line, index) => lines[at + index] === line);
}

/** Finds the hunks by the edits to the proposed lines. */
function placesInEdited(file: ProposedFile, text: string): readonly PlacedHunk[] {
  const lines = feedLines(text);
  const { before, after } = linesOf(file);
  const edits = hunksFrom(textAfter(file.change), text);
  return file.hunks.map((hunk) => {
    const own = edits.filter((edit) => isAt(edit, hunk.after));
    const from = Math.min(hunk.after.start, ...own.map((edit) => edit.start));
    const until = Math.max(hunk.after.end, ...own.map((edit) => edit.end));
    const start = from + growth(edits.filter((edit) => edit.end <= from && !own.includes(edit)));
    const end = start + until - from + growth(own);
    const lead = after.slice(from, hunk.after.start).join('');
    const tail = after.slice(hunk.after.end, until).join('');
    const isOut = lines.slice(start, end).join('') === lead + linesIn(before, hunk.before).join('') + tail;
    return { state: own.length === 0 ? 'in' : isOut ? 'out' : 'edited', start, end, lead, tail };
  });
}

function growth(edits: readonly TextHunk[]): number {
  return edits.reduce((sum, { start, end, text }) => sum + feedLines(text).length - (end - start), 0);
}

/** True when the ranges overlap, or one is an insertion at the edge of the other. */
function isAt(edit: TextHunk, { start, end }: ProposedHunk['after']): boolean {
  if (edit.start === edit.end || start === end) return edit.start <= end && edit.end >= start;
  return edit.start < end && edit.end > start;
}

function linesOf({ change }: ProposedFile) {
  return { before: feedLines(textBefore(change)), after: feedLines(textAfter(change)) };
}

function linesIn(lines: readonly string[], { start, end }: ProposedHunk['before']): readonly string[] {
  return lines.slice(start, end);
}
