import { binaryDiff, unifiedDiff } from '../patch/unifiedDiff.ts';
import type { FileChange } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { decodeText } from '../util/textBytes.ts';
import type { CopiedFolder, CopyChange, SideCopy, SideCopyStore } from './sideCopy.ts';

type Store = Pick<SideCopyStore, 'changes' | 'baseContent' | 'content'>;

/** Maximum bytes of a file whose lines are compared. */
const MAX_COMPARED = 1024 * 1024;
/** Characters of diffs after which no further file is read; the reader gets less of it. */
const ENOUGH = 200_000;

/**
 * Resolves to a text for the model: the names of all files that differ from the base of the copy, then their diffs.
 * `refusals` returns files that may not be read: there is no diff of those, at home or in the copy. `undefined` without
 * a difference. Rejects with the error of the disk, or the signal's reason.
 */
export async function copyChangesText(
  copy: SideCopy,
  store: Store,
  refusals: (files: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const changes = await store.changes(copy.id, signal);
  const refused = await refusals(changes.flatMap((change) => [change.home, change.copy]));
  const parts: string[] = [];
  let length = 0;
  for (const folder of copy.folders) {
    const inFolder = changes.filter((change) => pathBelow(folder.copy, change.copy) !== undefined);
    if (inFolder.length === 0) continue;
    const names = inFolder.map((change) => pathBelow(folder.copy, change.copy)).join('\n');
    parts.push(`Side copy of ${folder.home}, changed files:\n${names}`);
    for (const change of inFolder) {
      if (length > ENOUGH) break;
      if (refused.has(change.home) || refused.has(change.copy)) continue;
      signal.throwIfAborted();
      const diff = (await diffOf(copy, folder, change, store)).trimEnd();
      length += diff.length;
      if (diff !== '') parts.push(diff);
    }
  }
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

/** Empty where only permission bits differ. */
async function diffOf({ id }: SideCopy, folder: CopiedFolder, change: CopyChange, store: Store): Promise<string> {
  const { copy: path, base, result } = change;
  const before = base && textOf(await store.baseContent(id, base));
  const after = result.type === 'file' ? textOf(await store.content(path, MAX_COMPARED)) : undefined;
  const isText = result.type !== 'other' && before !== null && after !== null;
  if (!isText) return binaryDiff(path, folder.copy);
  const made = changeOf(path, before, after);
  return made === undefined ? '' : unifiedDiff(made, folder.copy).text;
}

/** `null`: it is no text, is too long, or is not kept. */
function textOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : (decodeText(bytes)?.text ?? null);
}

function changeOf(path: string, before: string | undefined, after: string | undefined): FileChange | undefined {
  if (after === undefined) return before === undefined ? undefined : { kind: 'delete', path, before };
  if (before === undefined) return { kind: 'add', path, text: after, before: null };
  return { kind: 'update', path, before, after, hunks: [], movedTo: null, movedOver: null };
}
