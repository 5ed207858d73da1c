/** Plans the effect of an undo or a redo on each file. Pure. */
import type { FileState, LeftOutReason, RecordedChange, RevertFile } from '../../protocol/baseline.ts';
import { assertNever } from '../util/assertNever.ts';
import { sameState } from './diffBaselines.ts';
import { mergeTexts } from './mergeTexts.ts';

const ONLY_COPY = 'It was moved here from a place that is not recorded, to which it would not go back.';

/** `null` where it is not text. */
export interface RevertTexts {
  /** As the turn found it. */
  readonly before: string | null;
  /** As the turn left it. */
  readonly after: string | null;
  readonly now: string | null;
}

export type FilePlan =
  | { readonly state: 'ready'; readonly to: Exclude<FileState, { type: 'left_out' }> }
  | { readonly state: 'merged'; readonly text: string; readonly mode: number }
  | { readonly state: 'done' }
  | { readonly state: 'conflict' | 'impossible'; readonly reason: string };

/**
 * Plans the step of one file from its content `now` to the content before the change. `texts` is called only where both
 * the turn and a later writer changed the file. `overwrites`: the user agreed that later changes of this file are lost.
 */
export async function planFile(
  { before, after, isOnlyCopy }: Pick<RecordedChange, 'before' | 'after' | 'isOnlyCopy'>,
  now: FileState,
  texts: () => Promise<RevertTexts>,
  overwrites: boolean,
): Promise<FilePlan> {
  if (before.type === 'left_out') return { state: 'impossible', reason: whyLeftOut(before.reason) };
  // A file with such a name cannot be looked at by its path: it would seem to be absent.
  if (after.type === 'left_out' && after.reason === 'name') {
    return { state: 'impossible', reason: whyLeftOut(after.reason) };
  }
  if (sameState(now, before)) return { state: 'done' };
  if (after.type === 'left_out') return { state: 'impossible', reason: whyLeftOut(after.reason) };
  if (now.type === 'left_out') return { state: 'impossible', reason: whyLeftOut(now.reason) };
  if (isOnlyCopy && !overwrites) return { state: 'conflict', reason: ONLY_COPY };
  if (sameState(now, after) || overwrites) return { state: 'ready', to: before };
  if (now.type === 'absent') return { state: 'conflict', reason: 'It was deleted since.' };
  if (before.type !== 'file' || after.type !== 'file' || now.type !== 'file') {
    return { state: 'conflict', reason: 'It was changed since.' };
  }
  const found = await texts();
  if (found.before === null || found.after === null || found.now === null) {
    return { state: 'conflict', reason: 'It was changed since, and is not text.' };
  }
  const text = mergeTexts(found.after, found.now, found.before);
  if (text === undefined) return { state: 'conflict', reason: 'The same lines were changed since.' };
  // Permission bits that only the turn changed are restored, too.
  return { state: 'merged', text, mode: now.mode === after.mode ? before.mode : now.mode };
}

/** Names the change from `before` to `after`. */
export function kindOf(before: FileState, after: FileState): RevertFile['kind'] {
  if (before.type === 'absent') return 'add';
  return after.type === 'absent' ? 'delete' : 'update';
}

/** Returns the reason as one sentence for the user. */
export function whyLeftOut(reason: LeftOutReason): string {
  switch (reason) {
    case 'ignored':
      return 'It is ignored, so its content is not kept.';
    case 'too_large':
      return 'It is larger than 1 MiB, so its content is not kept.';
    case 'link':
      return 'It is a symbolic link, and where it led was not kept.';
    case 'special':
      return 'It is a socket, a pipe or a device.';
    case 'unreadable':
      return 'It could not be read.';
    case 'name':
      return 'Its name is not UTF-8.';
    case 'no_room':
      return 'There was no room left to keep its content.';
    case 'late':
      return 'It was changed before its content was recorded.';
    default:
      return assertNever(reason);
  }
}
