import type { Storage } from '../ports.ts';
import { readMeta } from './replay.ts';

/** A stored thread. `last`: the one that was started last, sub-agents aside. */
export type WhichThread = { readonly id: string } | 'last';

/** The path of its rollout, relative to TILLER_HOME; `undefined` where there is none. */
export async function findRollout(which: WhichThread, storage: Storage): Promise<string | undefined> {
  // Oldest first: file names begin with the time.
  const rollouts = (await storage.listFiles('threads')).filter((path) => path.endsWith('.jsonl'));
  return which === 'last' ? lastOf(rollouts, storage) : rollouts.find((path) => path.endsWith(`-${which.id}.jsonl`));
}

/**
 * Skips files without content, which a crash or a full disk can leave, and sub-agents. Reads the beginnings of the
 * newest files only.
 */
async function lastOf(rollouts: readonly string[], storage: Storage): Promise<string | undefined> {
  for (const path of rollouts.toReversed()) {
    // An unreadable file counts as the last: resuming it reports the reason.
    const [first] = await storage.readBytes(path, 0, 1).catch(() => [0]);
    if (first !== undefined && !(await isSubAgent(path, storage))) return path;
  }
  return undefined;
}

async function isSubAgent(path: string, storage: Storage): Promise<boolean> {
  const meta = await readMeta(storage, path).catch(() => undefined);
  return meta?.parent_id !== undefined;
}
