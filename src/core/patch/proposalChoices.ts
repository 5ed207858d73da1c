/** Applies the user's choices to a patch: without some of its hunks or files, or with edited text. Pure. */
import type { FileReview, HunkReason, ProposalChoices } from '../../protocol/policy.ts';
import type { FileChange, LineSpan, ProposedFile } from '../ports.ts';
import { applyHunks, hunksFrom, rebaseHunks } from './hunkAlgebra.ts';
import type { FileSnapshot } from './workingTree.ts';
import { append } from '../util/append.ts';

/** The reason why the choices do not fit this patch, as a message; `undefined` when they do. */
export function reviewProblem(review: ProposalChoices, proposal: readonly ProposedFile[]): string | undefined {
  const seen = new Set<string>();
  for (const part of review) {
    const file = proposal.find(({ name }) => name === part.path);
    if (file === undefined) return `The patch does not touch ${part.path}.`;
    if (seen.has(part.path)) return `${part.path} is named twice.`;
    seen.add(part.path);
    if ('text' in part && file.change.kind === 'delete') {
      return `${part.path} would be deleted and cannot get another text.`;
    }
    const leftOut = 'text' in part || part.leftOut === 'file' ? [] : part.leftOut;
    const explained = (part.reasons ?? []).flatMap(({ hunk }) => hunk ?? []);
    const unknown = [...leftOut, ...explained].find((index) => index >= file.hunks.length);
    if (unknown !== undefined) return `${part.path} has no hunk ${unknown}: there are ${file.hunks.length}.`;
  }
  return undefined;
}

/** The changes to apply: never more files than were proposed. */
export function reviewedChanges(proposal: readonly ProposedFile[], review: ProposalChoices): readonly FileChange[] {
  return proposal.flatMap((file) => {
    const part = review.find(({ path }) => path === file.name);
    return part === undefined ? [file.change] : (reviewedChange(file, part) ?? []);
  });
}

function reviewedChange(file: ProposedFile, part: FileReview): FileChange | undefined {
  const { change } = file;
  if (change.kind === 'delete' || ('leftOut' in part && part.leftOut === 'file')) return undefined;
  const text = reviewedText(file, part);
  if (change.kind === 'add') {
    const isNothing = text === change.before || ('leftOut' in part && change.before === null);
    return isNothing ? undefined : { ...change, text };
  }
  if (text === change.before && change.movedTo === null) return undefined;
  return { ...change, after: text, hunks: hunksFrom(change.before, text) };
}

/** The text of a file after the choices on it. */
export function reviewedText(file: ProposedFile, part: FileReview): string {
  if ('text' in part) return part.text;
  return textWithout(file, part.leftOut === 'file' ? file.hunks.keys() : part.leftOut);
}

/** Returns the text after the change without the hunks at these indices of `hunks`. */
export function textWithout({ change, hunks }: ProposedFile, leftOut: Iterable<number>): string {
  const without = new Set(leftOut);
  const before = feedLines(textBefore(change));
  const after = feedLines(textAfter(change));
  const pieces: string[] = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    append(pieces, before.slice(at, hunk.before.start));
    append(pieces, without.has(index) ? linesIn(before, hunk.before) : linesIn(after, hunk.after));
    at = hunk.before.end;
  }
  return [...pieces, ...before.slice(at)].join('');
}

/** Empty for a file that is added. */
export function textBefore(change: FileChange): string {
  return change.before ?? '';
}

/** Empty where the file is deleted. */
export function textAfter(change: FileChange): string {
  if (change.kind === 'delete') return '';
  return change.kind === 'add' ? change.text : change.after;
}

/** Lines as diffs count them: only a line feed ends one. */
export function feedLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function linesIn(lines: readonly string[], { start, end }: LineSpan): readonly string[] {
  return lines.slice(start, end);
}

/**
 * Carries choices over to the same patch after its files have changed. Choices on lines that are no longer proposed are
 * dropped and must be made again.
 */
export function carryReview(
  review: ProposalChoices,
  from: readonly ProposedFile[],
  to: readonly ProposedFile[],
): ProposalChoices | undefined {
  const carried = review.flatMap((part) => {
    const old = from.find(({ name }) => name === part.path);
    const now = to.find(({ name }) => name === part.path);
    if (old === undefined || now === undefined || old.change.kind !== now.change.kind) return [];
    return carryPart(part, old, now) ?? [];
  });
  return carried.length === 0 ? undefined : carried;
}

function carryPart(part: FileReview, old: ProposedFile, now: ProposedFile): FileReview | undefined {
  const { path } = part;
  const known = contentsOf(now);
  const contents = contentsOf(old);
  const indexNow = (index: number) => {
    const found = known.indexOf(contents[index] ?? '');
    return found === -1 ? [] : [found];
  };
  const reasons = (part.reasons ?? []).flatMap(({ hunk, text }): HunkReason[] =>
    hunk === null ? [{ hunk, text }] : indexNow(hunk).map((index) => ({ hunk: index, text })),
  );
  const explained = reasons.length === 0 ? {} : { reasons };
  if ('text' in part) {
    const hunks = rebaseHunks(
      hunksFrom(textBefore(old.change), part.text),
      textBefore(old.change),
      textBefore(now.change),
    );
    return hunks && { path, text: applyHunks(textBefore(now.change), hunks), ...explained };
  }
  if (part.leftOut === 'file') return { path, leftOut: 'file', ...explained };
  const leftOut = part.leftOut.flatMap(indexNow);
  return leftOut.length === 0 ? undefined : { path, leftOut, ...explained };
}

/** The removed and inserted lines of hunks. */
export function linesOfHunks({
  change,
  hunks,
}: ProposedFile): readonly { readonly removed: readonly string[]; readonly added: readonly string[] }[] {
  const before = feedLines(textBefore(change));
  const after = feedLines(textAfter(change));
  return hunks.map((hunk) => ({ removed: linesIn(before, hunk.before), added: linesIn(after, hunk.after) }));
}

/** The removed and inserted text of each hunk, with a counter for equal ones. */
function contentsOf(file: ProposedFile): readonly string[] {
  const times = new Map<string, number>();
  return linesOfHunks(file).map(({ removed, added }) => {
    const content = JSON.stringify([removed, added]);
    const time = (times.get(content) ?? 0) + 1;
    times.set(content, time);
    return `${time} ${content}`;
  });
}

/**
 * Rebases a change onto the current file, so that it removes and inserts exactly the same lines. `undefined` when that
 * is not possible. `target` is the snapshot of the destination of a moved file.
 */
export function rebaseChange(change: FileChange, now: FileSnapshot, target?: FileSnapshot): FileChange | undefined {
  const text = textOf(now);
  if (change.kind !== 'update') {
    const isNothing = now.type === 'missing' || now.type === 'not_text';
    return change.before === text && (text !== null || isNothing) ? change : undefined;
  }
  if (text === null || (target !== undefined && textOf(target) !== change.movedOver)) return undefined;
  const hunks = rebaseHunks(change.hunks, change.before, text);
  return hunks && { ...change, before: text, after: applyHunks(text, hunks), hunks };
}

function textOf(found: FileSnapshot): string | null {
  return found.type === 'text' ? found.text : null;
}
