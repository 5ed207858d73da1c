/** Deleted threads: kept for a while, so that an accidental deletion can be undone. */
import type { Clock, Storage } from '../ports.ts';
import { homeOf, threadIdIn } from './recorder.ts';

const DAYS_KEPT = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

type TrashPorts = { readonly storage: Storage; readonly clock: Clock };

/** Removes the other files of these threads, besides their rollouts. */
export type RemoveRest = (threadIds: readonly string[]) => Promise<void>;

/** The name of the folder in the trash is the time of the deletion. */
export async function moveToTrash({ storage, clock }: TrashPorts, path: string): Promise<void> {
  const stamp = clock.now().toISOString().slice(0, 19).replaceAll(':', '-');
  await storage.move(path, `bin/${stamp}/${nameOf(path)}`);
}

/** Returns false when the thread is no longer in the trash. */
export async function restore({ storage }: TrashPorts, threadId: string): Promise<boolean> {
  const deleted = (await storage.listFiles('bin')).findLast((path) => threadIdIn(path) === threadId);
  if (deleted === undefined) return false;
  await storage.move(deleted, homeOf(nameOf(deleted)));
  return true;
}

/**
 * Removes the other files first: after a crash in between, the rollouts are still in the trash and the next run repeats
 * the removal.
 */
export async function emptyTrash({ storage, clock }: TrashPorts, removeRest: RemoveRest): Promise<void> {
  const oldest = new Date(clock.now().getTime() - DAYS_KEPT * DAY_MS).toISOString().slice(0, 19).replaceAll(':', '-');
  const old = (await storage.listFiles('bin')).filter((path) => (path.split('/')[1] ?? '') < oldest);
  if (old.length === 0) return;
  await removeRest(old.map(threadIdIn));
  for (const path of old) await storage.remove(path);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
