/** Deleted threads: kept for a while, so that an accidental deletion can be undone. */
import type { Clock, Storage } from '../ports.ts';
import { homeOf, threadIdIn } from './recorder.ts';
import { readMeta } from './replay.ts';

const DAYS_KEPT = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

type TrashPorts = { readonly storage: Storage; readonly clock: Clock };

/** Removes the other files of these threads, besides their rollouts. */
export type RemoveRest = (threadIds: readonly string[]) => Promise<void>;

/**
 * The name of the folder in the trash is the time of the deletion. Name a thread behind its sub-agents: after a crash
 * in between, it is still in the list and can be deleted again.
 */
export async function moveToTrash({ storage, clock }: TrashPorts, paths: readonly string[]): Promise<void> {
  const stamp = clock.now().toISOString().slice(0, 19).replaceAll(':', '-');
  for (const path of paths) await storage.move(path, `bin/${stamp}/${nameOf(path)}`);
}

/** Restores a thread with its sub-agents. Returns false when the thread is no longer in the trash. */
export async function restore({ storage }: TrashPorts, threadId: string): Promise<boolean> {
  const all = await storage.listFiles('bin');
  const deleted = all.findLast((path) => threadIdIn(path) === threadId);
  if (deleted === undefined) return false;
  const beside = all.filter((path) => folderOf(path) === folderOf(deleted));
  const parents = await Promise.all(
    beside.map(async (path) => ({ path, parentId: (await readMeta(storage, path))?.parent_id ?? null })),
  );
  const ids = new Set(
    withAgents(
      threadId,
      parents.map(({ path, parentId }) => ({ id: threadIdIn(path), parentId })),
    ),
  );
  const agents = beside.filter((path) => path !== deleted && ids.has(threadIdIn(path)));
  for (const path of [...agents, deleted]) await storage.move(path, homeOf(nameOf(path)));
  return true;
}

/** True while a deleted thread can be restored. */
export async function isInTrash({ storage }: TrashPorts, threadId: string): Promise<boolean> {
  return (await storage.listFiles('bin')).some((path) => threadIdIn(path) === threadId);
}

/** The ids of a thread and its sub-agents, each behind those that it has started. */
export function withAgents(
  threadId: string,
  threads: readonly { readonly id: string; readonly parentId: string | null }[],
): readonly string[] {
  const children = threads.filter(({ id, parentId }) => parentId === threadId && id !== threadId);
  const others = threads.filter(({ parentId }) => parentId !== threadId);
  return [...children.flatMap(({ id }) => withAgents(id, others)), threadId];
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

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
