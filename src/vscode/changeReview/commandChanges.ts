/** The changes of a command, as applied changes that can be marked for review. */
import { hunksFrom } from '../../core/patch/hunkAlgebra.ts';
import { isGenerated } from '../../core/changeReview/generatedFiles.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import type { FileState, RecordedChange } from '../../protocol/baseline.ts';
import type { AppliedChange, FileImage } from '../apply/model.ts';
import { documentAt, hasUnsavedText } from '../workspace/documents.ts';
import { uriOf } from '../workspace/places.ts';
import { sameButEndings } from '../workspace/textContent.ts';

/** Above this the changes of a command are a number, which can be shown and undone, but not reviewed one by one. */
const MOST_FILES = 200;
/** Maximum time for a document to load a file that a command has written (workspace-edits.md §4: 100 to 200 ms). */
const RELOAD_MS = 2_000;

type ReadKept = (hash: string) => Promise<Uint8Array | undefined>;

/**
 * Returns the changes without generated files, files that are not text, changes that may be of another program, and files
 * that came from a place without a record: to undo them here would lose them.
 * Resolves when open documents have loaded the files of the command; a document with unsaved text is left out.
 */
export async function changesToMark(
  changes: readonly RecordedChange[],
  read: ReadKept,
): Promise<readonly AppliedChange[]> {
  if (changes.length > MOST_FILES) return [];
  const certain = changes.filter(({ by, isOnlyCopy }) => by === 'this' && !isOnlyCopy);
  const applied = await Promise.all(certain.map((change) => appliedChange(change, read)));
  const marked = applied.filter((change) => change !== undefined);
  const loaded = await Promise.all(marked.map(hasLoaded));
  return marked.filter((_change, index) => loaded[index]);
}

async function appliedChange(change: RecordedChange, read: ReadKept): Promise<AppliedChange | undefined> {
  const { path } = change;
  const [before, after] = [await imageOf(change.before, read), await imageOf(change.after, read)];
  if (before === undefined || after === undefined) return undefined;
  if (isGenerated(path, after?.text ?? before?.text ?? null)) return undefined;
  const at = { path, places: { path: { name: path, target: path }, movedTo: null } };
  const done = { before, over: null, edited: null, final: after?.text ?? null };
  if (after === null) return { ...done, change: { kind: 'delete', ...at, before: before?.text ?? null } };
  if (after.text === null) return undefined;
  if (before === null) return { ...done, change: { kind: 'add', ...at, text: after.text, before: null } };
  if (before.text === null || before.text === after.text) return undefined;
  const texts = { before: before.text, after: after.text, hunks: hunksFrom(before.text, after.text) };
  return { ...done, change: { kind: 'update', ...at, ...texts, movedTo: null, movedOver: null } };
}

/** `null`: there is no file; `undefined`: its content is not kept. */
async function imageOf(state: FileState, read: ReadKept): Promise<FileImage | null | undefined> {
  if (state.type === 'absent') return null;
  const bytes = state.type === 'file' ? await read(state.hash) : undefined;
  if (state.type !== 'file' || bytes === undefined) return undefined;
  return { text: decodeText(bytes)?.text ?? null, bytes, mode: state.mode, linkTarget: undefined };
}

async function hasLoaded({ change, final }: AppliedChange): Promise<boolean> {
  const deadline = Date.now() + RELOAD_MS;
  for (;;) {
    const document = documentAt(uriOf(change.path));
    if (document === undefined || final === null || sameButEndings(document.getText(), final)) return true;
    if (hasUnsavedText(document) || Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
