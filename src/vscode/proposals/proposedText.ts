/** What stands on the right side of a proposal, and what may be done with it there. */
import { textLines } from '../../core/patch/lines.ts';
import { reviewedText, textAfter, textBefore } from '../../core/patch/proposalChoices.ts';
import type { FileChange, ProposedFile } from '../../core/ports.ts';
import type { FileReview } from '../../protocol/policy.ts';

/** Where its text goes. */
export function placeOf(change: FileChange): string {
  return change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
}

/** A file that comes or goes is taken or left as a whole. */
export function isWhole({ change }: ProposedFile): boolean {
  return change.kind === 'delete' || (change.kind === 'add' && change.before === null);
}

/** Left out in a way that its text cannot say. */
export function isWholeOut(file: ProposedFile, part: FileReview): boolean {
  if (!('leftOut' in part)) return false;
  const { change } = file;
  return isWhole(file) || (part.leftOut === 'file' && (change.kind !== 'update' || change.movedTo !== null));
}

/** The text that the person finds there. */
export function startOf(file: ProposedFile, part: FileReview | undefined): string {
  return part === undefined || isWholeOut(file, part) ? textAfter(file.change) : reviewedText(file, part);
}

/** A document of VS Code has one kind of line ending: a text with several would not come back from it as it was. */
export function isEditable(change: FileChange): boolean {
  if (change.kind === 'delete') return false;
  const [before, after] = [textBefore(change), textAfter(change)].map(endingOf);
  if (before === null || after === null) return false;
  return before === after || before === undefined || (after === undefined && before === '\n');
}

/** `undefined` of a text without any; `null` where they differ, or are none that VS Code keeps. */
function endingOf(text: string): '\n' | '\r\n' | null | undefined {
  if (!/[\r\n]/.test(text)) return undefined;
  const { commonEnding } = textLines(text);
  return commonEnding === '\r' ? null : commonEnding;
}
