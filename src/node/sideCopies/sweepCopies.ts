/** Removes side copies at a start; see `SideCopyStore.sweep`. */
import { lstatSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Locks, Log } from '../../core/ports.ts';
import { isNothing, isOnlyIgnored, type ThreadsOfCopies } from '../../core/sideCopies/sideCopy.ts';
import { namesIn } from '../host/privateFiles.ts';
import { isRunning } from '../host/processIdentity.ts';
import { lossesInCopy } from './changesInCopy.ts';
import { realOf, WORK } from './copyFolders.ts';
import { copyLock, holding } from './copyLocks.ts';
import { copiesFolder, findRecord, REMOVED } from './copyRecord.ts';
import { destroyCopy } from './destroyCopy.ts';
import { pauses } from './pauses.ts';
import { removeFolder } from './removeFolder.ts';
import { workersIn } from './workersIn.ts';

/** A folder without a record was left by a crash, or its record is about to be written. */
const YOUNG_MS = 60_000;

export interface SweepDeps {
  /** TILLER_HOME. */
  readonly home: string;
  readonly locks: Pick<Locks, 'acquire'>;
  readonly log?: Pick<Log, 'warn'>;
}

/** Never rejects: a failed removal is tried again at the next start. */
export async function sweepCopies(deps: SweepDeps, threads: ThreadsOfCopies): Promise<void> {
  for (const id of namesIn(copiesFolder(deps.home))) await sweepOne(id, deps, threads).catch(() => {});
}

async function sweepOne(id: string, { home, locks, log }: SweepDeps, threads: ThreadsOfCopies): Promise<void> {
  const folder = path.join(copiesFolder(home), id);
  if (id.startsWith(REMOVED)) return removeFolder(realOf(folder), pauses());
  const found = findRecord(folder);
  if (found.type === 'unreadable') {
    log?.warn('A side copy cannot be read and is left as it is', { folder, problem: found.problem });
    return;
  }
  if (found.type === 'none') {
    const hasWork = lstatSync(path.join(folder, WORK), { throwIfNoEntry: false }) !== undefined;
    const isOld = Date.now() - (await stat(folder)).mtimeMs > YOUNG_MS;
    if (isOld && !hasWork) await rm(folder, { recursive: true, force: true });
    return;
  }
  const { record } = found;
  if (isRunning(record.owner)) return;
  const { ids, where } = await workersIn(record, threads);
  if (record.state === 'ready' && where === 'listed') return;
  await holding(locks, [copyLock(id), ...ids], async () => {
    // Before the locks were held, another process may have worked in the copy, or forked or restored a thread of it.
    const now = findRecord(folder);
    if (now.type !== 'record' || isRunning(now.record.owner)) return;
    const workers = await workersIn(now.record, threads);
    if (workers.ids.some((threadId) => !ids.includes(threadId))) return;
    if (now.record.state === 'ready') {
      if (workers.where === 'listed') return;
      const mayLose = workers.where === 'gone' ? isOnlyIgnored : isNothing;
      if (!mayLose(await lossesInCopy(folder, now.record, pauses()))) return;
    }
    await destroyCopy(home, now.record);
  });
}
