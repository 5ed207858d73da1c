/** One file with changes of an agent that are pending in review. */
import type * as vscode from 'vscode';
import type { TextReview } from '../../core/changeReview/textReview.ts';
import type { FileImage } from '../apply/model.ts';

/** The change to the file as a whole, beside its hunks. */
export type FileStory =
  | { readonly type: 'edited' }
  | { readonly type: 'added' }
  /** `from`: the former path. `place`: the resolved place of it. */
  | { readonly type: 'moved'; readonly from: string; readonly place?: string | undefined }
  /** `was`: the story before the deletion, restored with the file. */
  | { readonly type: 'deleted'; readonly image: FileImage; readonly was: Exclude<FileStory, { type: 'deleted' }> };

export interface PendingFile {
  readonly uri: vscode.Uri;
  /** The path as the agent's patches name it. */
  readonly path: string;
  /** The resolved place when the patch was applied; `undefined` where the user has moved the file since. */
  readonly place?: string | undefined;
  readonly story: FileStory;
  /** For a deleted file: its last text. */
  readonly text: TextReview;
  /** The text is that of the cells of a notebook. */
  readonly isCells?: boolean | undefined;
}

/** False once every change of the file was kept or undone. */
export function isPending({ story, text }: PendingFile): boolean {
  return story.type !== 'edited' || text.hunks.length > 0;
}

/** The number of pending decisions. An added or deleted file counts as one, whatever its length. */
export function countOf({ story, text }: PendingFile): number {
  switch (story.type) {
    case 'edited':
      return text.hunks.length;
    case 'moved':
      return text.hunks.length + 1;
    case 'added':
    case 'deleted':
      return 1;
  }
}

/** Returns true if each hunk can be decided separately. */
export function hasHunks({ story }: PendingFile): boolean {
  return story.type === 'edited' || story.type === 'moved';
}

/** Returns true if undoing would also remove edits of the user: in hunks, and anywhere in a new file. */
export function isTouched({ story, text }: PendingFile): boolean {
  const isWrittenIn = story.type === 'added' && text.base.some((line) => line !== '');
  return isWrittenIn || text.hunks.some(({ touched }) => touched);
}
