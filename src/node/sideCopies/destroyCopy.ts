import { rename } from 'node:fs/promises';
import path from 'node:path';
import { thisProcess } from '../host/processIdentity.ts';
import { realOf } from './copyFolders.ts';
import { copiesFolder, type CopyRecord, REMOVED, writeRecord } from './copyRecord.ts';
import { removeWorktree } from './gitWorktree.ts';
import { pauses } from './pauses.ts';
import { removeFolder } from './removeFolder.ts';

/**
 * Removes a side copy with its worktrees. Call while no other process can use it. The record is removed last: until
 * then the next start can finish. `home`: TILLER_HOME. `onMarked`: called when the copy is marked as being removed.
 * Rejects with the error of the disk.
 */
export async function destroyCopy(home: string, record: CopyRecord, onMarked = () => {}): Promise<void> {
  const folder = path.join(copiesFolder(home), record.id);
  await writeRecord(folder, { ...record, state: 'removing', owner: thisProcess() });
  onMarked();
  for (const { gitFolder } of record.folders) if (gitFolder !== null) removeWorktree(gitFolder);
  // A command that runs in it may still write: its files do not appear under the name of the copy again.
  const removed = path.join(copiesFolder(home), `${REMOVED}${record.id}`);
  await rename(folder, removed);
  await removeFolder(realOf(removed), pauses());
}
