/**
 * Files brought back to recorded contents in live buffers: all of them or none, by the same transaction as patches. An
 * open text is edited, so that Ctrl+Z reverts it and unsaved edits at other lines stay; any other file is written byte by
 * byte.
 */
import { contentHash } from '../../core/baseline/contentHash.ts';
import { hunksFrom } from '../../core/patch/hunkAlgebra.ts';
import { isNotebookText } from '../../core/patch/notebookText.ts';
import { ApplyRefused, PlaceMoved } from '../../core/patch/placedChange.ts';
import type { KeptFolder, Restoration, RestoredFolders, RestoreResult } from '../../core/ports.ts';
import { describeFileError } from '../../core/util/fileErrors.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import type { FileState } from '../../protocol/baseline.ts';
import { documentAt } from '../workspace/documents.ts';
import { contentBytes, sameBytes, textContent } from '../workspace/textContent.ts';
import { applyPatch } from './applyPatch.ts';
import { findFile } from './findFile.ts';
import type { AppliedChange, ApplyChange, ApplyDeps, FoundFile } from './model.ts';
import { isOfLink, restoreLinks } from './restoreLinks.ts';
import { PlaceFiles } from './placeFiles.ts';

/** Inspections read whole files. */
const LOOKS_AT_ONCE = 32;

export type Restored =
  | { readonly type: 'restored'; readonly changes: readonly AppliedChange[] }
  | Exclude<RestoreResult, { type: 'restored' }>;

/** Never rejects. */
export async function restoreInEditor(
  restorations: readonly Restoration[],
  folders: RestoredFolders,
  deps: ApplyDeps,
): Promise<Restored> {
  const removed = new Set(folders.remove);
  const replacing = restorations.filter(({ path, to }) => removed.has(path) && to.type !== 'absent');
  if (replacing.length === 0) return restoreFiles(restorations, folders, deps);
  // A file in the place of a folder comes back when the folder is gone.
  const first = await restoreFiles(
    restorations.filter((restoration) => !replacing.includes(restoration)),
    folders,
    deps,
  );
  if (first.type !== 'restored') return first;
  const second = await restoreFiles(replacing, { remove: [], make: [] }, deps);
  if (second.type === 'restored') return { type: 'restored', changes: [...first.changes, ...second.changes] };
  const paths = replacing.map(({ path }) => path);
  const message = second.type === 'failed' ? second.message : 'A folder is in the place of a file, and is not empty.';
  return { type: 'failed', message, notRestored: paths };
}

async function restoreFiles(all: readonly Restoration[], folders: RestoredFolders, deps: ApplyDeps): Promise<Restored> {
  const links = all.filter(isOfLink);
  const restorations = all.filter((restoration) => !isOfLink(restoration));
  const files = new PlaceFiles(deps.holdFolders());
  try {
    const changes: ApplyChange[] = [];
    const stale: string[] = [];
    for (let start = 0; start < restorations.length; start += LOOKS_AT_ONCE) {
      const some = restorations.slice(start, start + LOOKS_AT_ONCE);
      const found = await Promise.all(some.map((restoration) => changeFor(restoration, files)));
      found.forEach((change, index) => {
        if (change === 'stale') stale.push(some[index]?.path ?? '');
        else changes.push(change);
      });
    }
    if (stale.length > 0) return { type: 'stale', paths: stale };
    const made = await makeFolders(folders.make, files);
    const linked = await restoreLinks(links, files);
    const result = linked.type === 'stale' ? linked : await applyPatch(changes, deps);
    if (result.type !== 'applied') {
      if (linked.type === 'restored') await linked.rollBack();
      await files.removeEach(made.toReversed());
      return result;
    }
    // A file was in the place of the others.
    await makeFolders(folders.make, files);
    const edited = new Set(changes.filter(({ kind }) => kind === 'update').map(({ path }) => path));
    await undoFormatting(
      restorations.filter(({ path }) => edited.has(path)),
      files,
    );
    await files.removeEach(folders.remove.toSorted((one, other) => other.length - one.length));
    return { type: 'restored', changes: result.changes };
  } catch (error) {
    const message = error instanceof ApplyRefused ? error.message : describeFileError(error, 'The undo');
    return { type: 'failed', message, notRestored: [] };
  } finally {
    files.dispose();
  }
}

/**
 * Makes folders, outer ones first, and returns those that it made. One whose place is taken or cannot be reached is
 * left out.
 */
async function makeFolders(folders: readonly KeptFolder[], files: PlaceFiles): Promise<readonly string[]> {
  const made: string[] = [];
  for (const { path, mode } of folders.toSorted((one, other) => one.path.length - other.path.length)) {
    try {
      if (await files.makeFolder(path, mode)) made.push(path);
    } catch {
      // As below a link or a file of the user: files below it are refused by the patch itself.
    }
  }
  return made;
}

/** The change that leads to the content `to`; `stale` if the file has not the content `from`. @throws ApplyRefused */
async function changeFor({ path, from, to }: Restoration, files: PlaceFiles): Promise<ApplyChange | 'stale'> {
  const found = await findFile(path, files).catch((error: unknown) => {
    if (error instanceof PlaceMoved) return undefined;
    throw error;
  });
  if (found === undefined || found.disk?.linkTarget !== undefined || !(await holds(found, from))) return 'stale';
  const place = { name: path, target: path };
  const at = { path, places: { path: place, movedTo: null } };
  const before = found.content?.text ?? null;
  // The user has agreed to lose the text of the buffer: `holds` compared it.
  const discards = found.isDirty ? { discardsUnsaved: true } : {};
  if (to.type !== 'file') return { kind: 'delete', ...at, before, ...discards };
  const cells = cellsIn(found, to.bytes);
  const after = cells ?? (await textFor(found, to));
  if (before !== null && after !== undefined) {
    return { kind: 'update', ...at, before, after, hunks: hunksFrom(before, after), movedTo: null, movedOver: null };
  }
  const text = decodeText(to.bytes)?.text ?? null;
  const exactly = { text, bytes: to.bytes, mode: to.mode, linkTarget: undefined };
  const over = before === null && found.disk !== undefined ? { overBytes: found.disk.bytes } : {};
  return { kind: 'add', ...at, text: text ?? '', before, exactly, ...over, ...discards };
}

/** Returns true if the file has this state, unsaved text included. */
async function holds(found: FoundFile, state: FileState): Promise<boolean> {
  switch (state.type) {
    case 'absent':
      return !found.exists;
    case 'link':
    case 'left_out':
      return false;
    case 'file': {
      const bytes = found.isDirty && found.content ? await contentBytes(found.content) : found.disk?.bytes;
      const isMode = found.disk?.mode === undefined || found.disk.mode === state.mode;
      return bytes !== undefined && isMode && contentHash(bytes) === state.hash;
    }
  }
}

/**
 * The text of cells that an unsaved notebook had; `undefined` for the content of a file. @throws ApplyRefused where the
 * notebook is not open: a file does not have this text
 */
function cellsIn({ path, notebook, disk }: FoundFile, bytes: Uint8Array): string | undefined {
  const text = decodeText(bytes)?.text;
  if (text === undefined || !isNotebookText(text)) return undefined;
  if (notebook !== undefined) return text;
  const onDisk = disk && decodeText(disk.bytes)?.text;
  const isCellFile = !path.endsWith('.ipynb') && (onDisk === undefined || isNotebookText(onDisk));
  if (isCellFile) return undefined;
  throw new ApplyRefused(`${path} had unsaved cells as a notebook, which is closed now. Open it and undo again.`);
}

/**
 * Returns the text to which a document in a tab, or with unsaved text, is edited. `undefined` where only the bytes give
 * the file exactly.
 */
async function textFor(found: FoundFile, to: { readonly bytes: Uint8Array; readonly mode: number }) {
  const { content, disk, isDirty, hadTab, uri, notebook } = found;
  if (content === undefined || notebook !== undefined || (!isDirty && !hadTab)) return undefined;
  // VS Code rejects bytes that are no text in the encoding of the document.
  const target = await textContent(uri, to.bytes).catch(() => undefined);
  if (target === undefined) return undefined;
  const isSameForm = target.encoding === content.encoding && target.hasByteOrderMark === content.hasByteOrderMark;
  // An edit does not change permissions; text that is not saved is never lost for them.
  return isDirty || (isSameForm && disk?.mode === to.mode) ? target.text : undefined;
}

/** A formatter may have changed a restored text when it was saved. */
async function undoFormatting(restorations: readonly Restoration[], files: PlaceFiles): Promise<void> {
  for (const { path, to } of restorations) {
    if (to.type !== 'file') continue;
    try {
      const { uri, isDirty, disk, notebook } = await findFile(path, files);
      if (
        isDirty ||
        notebook !== undefined ||
        documentAt(uri) === undefined ||
        disk === undefined ||
        disk.linkTarget !== undefined
      )
        continue;
      if (!sameBytes(disk.bytes, to.bytes)) await files.write(path, to.bytes, to.mode);
    } catch {
      // It stays as it was saved, which differs from the record: the next undo or redo finds the difference.
    }
  }
}
