/** One file in which something of an agent's waits for the person's word. */
import type * as vscode from 'vscode';
import type { TextReview } from '../../core/changeReview/textReview.ts';
import type { FileImage } from '../apply/model.ts';

/** What became of the file as a whole, beside its hunks. */
export type FileStory =
  | { readonly type: 'edited' }
  | { readonly type: 'added' }
  /** It was called that. `place`: where that name stood. */
  | { readonly type: 'moved'; readonly from: string; readonly place?: string | undefined }
  /** `was`: what it was until then, which comes back with it. */
  | { readonly type: 'deleted'; readonly image: FileImage; readonly was: Exclude<FileStory, { type: 'deleted' }> };

export interface PendingFile {
  readonly uri: vscode.Uri;
  /** As the agent's patches know it. */
  readonly path: string;
  /** Where it lay when the patch landed, no part of it a link; `undefined` where the person has moved it since. */
  readonly place?: string | undefined;
  readonly story: FileStory;
  /** Of a deleted one: as it was at its end. */
  readonly text: TextReview;
}

export function isPending({ story, text }: PendingFile): boolean {
  return story.type !== 'edited' || text.hunks.length > 0;
}

/** How many decisions it waits for. A new file and a deleted one are one each, however long. */
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

/** Whether its hunks can be decided one by one. */
export function hasHunks({ story }: PendingFile): boolean {
  return story.type === 'edited' || story.type === 'moved';
}

/** Words of the person's own would go with it. */
export function isTouched({ text }: PendingFile): boolean {
  return text.hunks.some(({ touched }) => touched);
}
