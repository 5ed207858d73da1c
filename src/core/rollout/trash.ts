/** Deleted threads: kept for a while, so that a slip of the hand costs nothing. */
import type { Clock, Storage } from '../ports.ts';
import { homeOf, threadIdIn } from './recorder.ts';

const DAYS_KEPT = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

type TrashPorts = { readonly storage: Storage; readonly clock: Clock };

/** Removes what is kept of threads beside their rollouts. */
export type RemoveRest = (threadIds: readonly string[]) => Promise<void>;

/** The folder's name says when. */
export async function moveToTrash({ storage, clock }: TrashPorts, path: string): Promise<void> {
  const stamp = clock.now().toISOString().slice(0, 19).replaceAll(':', '-');
  await storage.move(path, `bin/${stamp}/${nameOf(path)}`);
}

/** False when it is not there any more. */
export async function restore({ storage }: TrashPorts, threadId: string): Promise<boolean> {
  const thrown = (await storage.listFiles('bin')).findLast((path) => threadIdIn(path) === threadId);
  if (thrown === undefined) return false;
  await storage.move(thrown, homeOf(nameOf(thrown)));
  return true;
}

/** What else is kept of the threads goes first: what is cut off here is begun again by whoever empties the bin next. */
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
