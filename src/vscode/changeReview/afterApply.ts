/** What a landed change makes of a file's review, as far as the document's own edits have not told it already. */
import type * as vscode from 'vscode';
import { type Author, becomeText } from '../../core/changeReview/edits.ts';
import { startReview } from '../../core/changeReview/textReview.ts';
import type { AppliedChange } from '../apply/model.ts';
import type { FileStory, PendingFile } from './pendingFile.ts';

export interface AppliedPlace {
  readonly uri: vscode.Uri;
  readonly path: string;
  /** Where it lies, no part of it a link. */
  readonly place: string;
  /** The file there, or the one that was moved there. */
  readonly known: PendingFile | undefined;
  /** `agent` when it is to be decided about. */
  readonly author: Author;
  /** What it holds now; the person may have typed since. */
  readonly text: string;
}

/** `gone`: nothing is left to be decided; `undefined`: nothing was. */
export function afterApply(applied: AppliedChange, place: AppliedPlace): PendingFile | 'gone' | undefined {
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
  const { uri, path, place, known, author, text } = at;
  // What an agent has deleted and the person makes anew is theirs; what the agent makes anew is another text of it.
  const wasDeleted = known?.story.type === 'deleted' ? known.story : undefined;
  if (known !== undefined && wasDeleted === undefined) return { ...known, text: becomeText(known.text, text, author) };
  if (author !== 'agent') {
    return known && wasDeleted && { ...known, story: wasDeleted.was, text: becomeText(known.text, text, author) };
  }
  const story: FileStory = wasDeleted?.was ?? { type: before === null ? 'added' : 'edited' };
  const old = wasDeleted?.image ?? before;
  return { uri, path, place, story, text: startReview(old?.text ?? '', text) };
}

function afterDelete({ before }: AppliedChange, at: AppliedPlace): PendingFile | 'gone' | undefined {
  const { uri, path, place, known, author } = at;
  // What an agent has made and taken away again leaves nothing to decide.
  if (author !== 'agent' || known?.story.type === 'added') return 'gone';
  if (before === null) return undefined;
  const text = known?.text ?? startReview(before.text ?? '', before.text ?? '');
  const was = known === undefined || known.story.type === 'deleted' ? { type: 'edited' as const } : known.story;
  return { uri, path, place, story: { type: 'deleted', image: before, was }, text };
}

function afterUpdate({ change, edited }: AppliedChange, at: AppliedPlace): PendingFile | undefined {
  if (change.kind !== 'update') return undefined;
  const { uri, path, place, known, author, text } = at;
  if (author !== 'agent') {
    const isBack = known?.story.type === 'moved' && known.story.from === path;
    return known && { ...known, story: isBack ? EDITED : known.story, text: becomeText(known.text, text, author) };
  }
  const from = change.movedTo === null ? undefined : { path: change.path, place: change.places.path.name };
  // An edit was told when the document changed, perhaps under another name of the file.
  if (known === undefined && edited !== null && from === undefined) return undefined;
  const base = known?.text ?? startReview(change.before, text);
  const story = storyAfterMove(known?.story ?? { type: 'edited' }, from);
  return { uri: known?.uri ?? uri, path, place, story, text: becomeText(base, text, author) };
}

const EDITED: FileStory = { type: 'edited' };

/** Of a file that was new, or moved already, a move changes nothing that could be decided. */
function storyAfterMove(
  story: FileStory,
  from: { readonly path: string; readonly place: string } | undefined,
): FileStory {
  return from === undefined || story.type !== 'edited' ? story : { type: 'moved', from: from.path, place: from.place };
}
