/** Removes a large folder in pieces: `rm` of Node holds the event loop for seconds where there are 50,000 files. */
import { chmodSync, type Dirent, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../core/util/fileErrors.ts';
import { type DiskFolders, holdFolders } from '../apply/heldFolders.ts';

interface OpenedFolder {
  readonly place: string;
  /** Not yet removed. */
  readonly folders: string[];
}

/**
 * `folder`: absolute and resolved. Folders that may not be written are made writable first. Links are removed and not
 * followed. Rejects with the error of the disk, or the error of `pause`; then a part is left.
 */
export async function removeFolder(folder: string, pause: () => Promise<void> | undefined): Promise<void> {
  try {
    await removeInPieces(folder, pause);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // For example a file that is in use on Windows: `rm` tries it again.
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeInPieces(folder: string, pause: () => Promise<void> | undefined): Promise<void> {
  const held = holdFolders();
  try {
    const stack = [await emptied(folder, held, pause)];
    for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
      const next = at.folders.pop();
      if (next !== undefined) {
        stack.push(await emptied(next, held, pause));
        continue;
      }
      held.forget(at.place);
      rmdirSync(held.at(at.place));
      stack.pop();
    }
  } finally {
    held.dispose();
  }
}

/** Removes all but the folders in it. */
async function emptied(
  place: string,
  held: DiskFolders,
  pause: () => Promise<void> | undefined,
): Promise<OpenedFolder> {
  const folders: string[] = [];
  for (const entry of entriesIn(`${place}${path.sep}.`, held)) {
    await pause();
    const inner = path.join(place, entry.name);
    if (entry.isDirectory()) folders.push(inner);
    else unlinkSync(held.at(inner));
  }
  return { place, folders };
}

/** `itself`: the folder, as a name in it. */
function entriesIn(itself: string, held: DiskFolders): readonly Dirent[] {
  const name = held.at(itself);
  try {
    // So that its entries can be removed, too.
    chmodSync(name, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
  return readdirSync(name, { withFileTypes: true });
}
