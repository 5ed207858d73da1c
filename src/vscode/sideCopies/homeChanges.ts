/** The changes to the workspace that result from a review of a side copy. */
import * as vscode from 'vscode';
import { contentHash } from '../../core/baseline/contentHash.ts';
import type { FileChange } from '../../core/ports.ts';
import { type FilePlan, modeOfWhole } from '../../core/sideCopies/planBringHome.ts';
import type { SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { decodeText, encodeText } from '../../core/util/textBytes.ts';
import type { ApplyChange } from '../apply/model.ts';
import type { Review } from './homeReview.ts';

/** Maximum bytes of a file that is taken as a whole. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
/** Permission bits that the system gives a new file, beside those for writing by others. */
const ORDINARY = 0o644;

/** A change without its place. */
export type HomeChange = FileChange & Pick<Extract<ApplyChange, { kind: 'add' }>, 'exactly' | 'overBytes'>;

/** A file that is taken as a whole. A sentence for the user where the copy was changed since. @throws the error of the disk */
export async function wholeChange(
  { file }: FilePlan,
  { files }: Review,
  store: Pick<SideCopyStore, 'content'>,
): Promise<HomeChange | string> {
  const { found } = files.get(file.path) ?? {};
  const changed = vscode.l10n.t(
    '{0} was changed in the side copy since it was compared. Bring it home again.',
    file.name,
  );
  const discards = found?.isDirty === true ? { discardsUnsaved: true } : {};
  const before = found?.content?.text ?? null;
  if (file.result.type === 'absent') return { kind: 'delete', path: file.path, before, ...discards };
  const { copy = '', result } = files.get(file.path)?.change ?? {};
  if (result?.type === 'file' && result.size > MAX_WHOLE_BYTES) {
    return vscode.l10n.t('{0} is larger than 64 MiB: copy it yourself.', file.name);
  }
  const bytes = await store.content(copy, MAX_WHOLE_BYTES);
  if (bytes === undefined) return changed;
  if (file.result.type !== 'file' || contentHash(bytes) !== file.result.hash) return changed;
  const text = decodeText(bytes)?.text ?? null;
  const exactly = { text, bytes, mode: modeOfWhole(file), linkTarget: undefined };
  const over = before === null && found?.disk !== undefined ? { overBytes: found.disk.bytes } : {};
  return { kind: 'add', path: file.path, text: text ?? '', before, exactly, ...over, ...discards };
}

/** The user saw the unsaved text in the review, and a new file gets the permissions that it has in the copy. */
export function asSeen(change: FileChange, { files }: Review): HomeChange {
  const file = files.get(change.path);
  const discards = change.kind !== 'update' && file?.found?.isDirty === true ? { discardsUnsaved: true } : {};
  if (change.kind !== 'add' || file?.result.type !== 'file' || (file.result.mode & 0o755) === ORDINARY)
    return { ...change, ...discards };
  const mark = file.resultContent?.hasByteOrderMark ?? false;
  const bytes = encodeText({ text: change.text, hasByteOrderMark: mark });
  const { mode } = file.result;
  return { ...change, ...discards, exactly: { text: change.text, bytes, mode, linkTarget: undefined } };
}
