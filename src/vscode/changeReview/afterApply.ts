/** Updates the review of a file after a patch, where the edit events of its document have not done so already. */
import type * as vscode from 'vscode';
import { type Author, becomeText } from '../../core/changeReview/edits.ts';
import { startReview } from '../../core/changeReview/textReview.ts';
import type { AppliedChange } from '../apply/model.ts';
import type { FileStory, PendingFile } from './pendingFile.ts';

export interface AppliedPlace {
  readonly uri: vscode.Uri;
  readonly path: string;
  /** The resolved place. */
  readonly place: string;
  /** The pending file there, or the one that was moved there. */
  readonly known: PendingFile | undefined;
  /** `agent` when its hunks go to review. */
  readonly author: Author;
  /** The thread whose patch it is, where known. */
  readonly owner: string | undefined;
  /** The text now; the user may have typed since. */
  readonly text: string;
}

/** `gone`: no hunks are left to decide; `undefined`: there were none. */
export function afterApply(applied: AppliedChange, at: AppliedPlace): PendingFile | 'gone' | undefined {
  // A notebook was opened or closed since: its lines are those of another text.
  const isOtherText =
    applied.change.kind === 'update' && at.known !== undefined && (at.known.isCells ?? false) !== isOfCells(applied);
  if (isOtherText && at.author !== 'agent') return 'gone';
  const place = isOtherText ? { ...at, known: undefined } : at;
  switch (applied.change.kind) {
    case 'add':
      return afterAdd(applied, place);
    case 'delete':
      return afterDelete(applied, place);
    case 'update':
      return afterUpdate(applied, place);
  }
}

function afterAdd({ before }: AppliedChange, at: AppliedPlace): PendingFile | undefined {
  const { uri, path, place, known, author, owner, text } = at;
  // A file that the user recreates after an agent deleted it is the user's; recreated by the agent it is changed
  // text.
  const wasDeleted = known?.story.type === 'deleted' ? known.story : undefined;
  if (known !== undefined && wasDeleted === undefined)
    return { ...known, text: becomeText(known.text, text, author, owner) };
  if (author !== 'agent') {
    return known && wasDeleted && { ...known, story: wasDeleted.was, text: becomeText(known.text, text, author) };
  }
  const story: FileStory = wasDeleted?.was ?? { type: before === null ? 'added' : 'edited' };
  const old = wasDeleted?.image ?? before;
  return { uri, path, place, story, text: startReview(old?.text ?? '', text, owner) };
}

function afterDelete({ before }: AppliedChange, at: AppliedPlace): PendingFile | 'gone' | undefined {
  const { uri, path, place, known, author } = at;
  // A file that an agent has added and deleted again has no hunk to decide.
  if (author !== 'agent' || known?.story.type === 'added') return 'gone';
  if (before === null) return undefined;
  const text = known?.text ?? startReview(before.text ?? '', before.text ?? '');
  const was = known === undefined || known.story.type === 'deleted' ? { type: 'edited' as const } : known.story;
  return { uri, path, place, story: { type: 'deleted', image: before, was }, text };
}

function afterUpdate(applied: AppliedChange, at: AppliedPlace): PendingFile | undefined {
  const { change, edited } = applied;
  if (change.kind !== 'update') return undefined;
  const { uri, path, place, known, author, owner, text } = at;
  if (author !== 'agent') {
    const isBack = known?.story.type === 'moved' && known.story.from === path;
    return known && { ...known, story: isBack ? EDITED : known.story, text: becomeText(known.text, text, author) };
  }
  if (isOfCells(applied) && edited !== null) {
    const start = known?.text ?? startReview(edited.before, edited.before);
    const patched = becomeText(start, edited.after, author, owner);
    const story = known?.story ?? EDITED;
    return { uri: known?.uri ?? uri, path, place, story, text: becomeText(patched, text, 'user'), isCells: true };
  }
  const from = change.movedTo === null ? undefined : { path: change.path, place: change.places.path.name };
  // An edit was recorded when the document changed, perhaps under another name of the file.
  if (known === undefined && edited !== null && from === undefined) return undefined;
  const base = known?.text ?? startReview(change.before, text, owner);
  const story = storyAfterMove(known?.story ?? { type: 'edited' }, from);
  return { uri: known?.uri ?? uri, path, place, story, text: becomeText(base, text, author, owner) };
}

function isOfCells({ cells }: AppliedChange): boolean {
  return cells !== undefined;
}

const EDITED: FileStory = { type: 'edited' };

/** Moving a file that was added, or moved before, adds no decision. */
function storyAfterMove(
  story: FileStory,
  from: { readonly path: string; readonly place: string } | undefined,
): FileStory {
  return from === undefined || story.type !== 'edited' ? story : { type: 'moved', from: from.path, place: from.place };
}
