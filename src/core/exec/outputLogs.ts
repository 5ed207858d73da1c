/** The paths of command logs in TILLER_HOME, and their removal. */
import type { Log, Storage } from '../ports.ts';

const FOLDER = 'logs/commands';
/** The maximum number of logs; the oldest are removed first. */
const MAX_LOGS = 500;

/** The name begins with the time, so that names sort by age. */
export function newLogPath(startedAt: Date, threadId: string, itemId: string): string {
  const time = startedAt.toISOString().replaceAll(/[:.]/g, '-');
  return `${FOLDER}/${time}-${threadId}-${itemId}.log`;
}

/** Removes the logs of these threads, which are deleted for good. @throws Error */
export async function removeLogs(storage: Storage, threadIds: readonly string[]): Promise<void> {
  for (const path of await storage.listFiles(FOLDER)) {
    if (threadIds.some((threadId) => path.includes(`-${threadId}-`))) await storage.remove(path);
  }
}

/** Removes the oldest logs above the maximum. Never rejects: a failure is logged. */
export async function pruneLogs(storage: Storage, log: Log): Promise<void> {
  try {
    const old = (await storage.listFiles(FOLDER)).slice(0, -MAX_LOGS);
    for (const path of old) await storage.remove(path);
  } catch (error) {
    log.warn('Old logs of commands could not be removed', error);
  }
}
