/** The text on the right side of a proposal, and whether it may be edited. */
import { textLines } from '../../core/patch/lines.ts';
import { reviewedText, textAfter, textBefore } from '../../core/patch/proposalChoices.ts';
import type { FileChange, ProposedFile } from '../../core/ports.ts';
import type { FileReview } from '../../protocol/policy.ts';

/** The path that the text is written to. */
export function placeOf(change: FileChange): string {
  return change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
}

/** A file that is added or deleted is accepted or left out as a whole. */
export function isWhole({ change }: ProposedFile): boolean {
  return change.kind === 'delete' || (change.kind === 'add' && change.before === null);
}

/** Left out in a way that the text cannot express. */
export function isWholeOut(file: ProposedFile, part: FileReview): boolean {
  if (!('leftOut' in part)) return false;
  const { change } = file;
  return isWhole(file) || (part.leftOut === 'file' && (change.kind !== 'update' || change.movedTo !== null));
}

/** The initial text of the right side. */
export function startOf(file: ProposedFile, part: FileReview | undefined): string {
  return part === undefined || isWholeOut(file, part) ? textAfter(file.change) : reviewedText(file, part);
}

/** A document of VS Code has one kind of line ending: a text with mixed endings would be changed by editing. */
export function isEditable(change: FileChange): boolean {
  if (change.kind === 'delete') return false;
  const [before, after] = [textBefore(change), textAfter(change)].map(endingOf);
  if (before === null || after === null) return false;
  return before === after || before === undefined || (after === undefined && before === '\n');
}

/** `undefined` for a text without line endings; `null` for mixed ones or kinds that VS Code does not preserve. */
function endingOf(text: string): '\n' | '\r\n' | null | undefined {
  if (!/[\r\n]/.test(text)) return undefined;
  const { commonEnding } = textLines(text);
  return commonEnding === '\r' ? null : commonEnding;
}
