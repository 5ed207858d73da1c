import { recordsPath } from '../baseline/changeRecords.ts';
import { removeLogs } from '../exec/outputLogs.ts';
import type { Storage } from '../ports.ts';
import { copyNoticesPath } from '../rollout/copyNotices.ts';
import { memoryPath } from '../rollout/threadMemories.ts';

/** Removes the files of permanently deleted threads other than rollouts: command logs, undo records, notices, memories. */
export async function removeThreadFiles(storage: Storage, threadIds: readonly string[]): Promise<void> {
  await removeLogs(storage, threadIds);
  for (const threadId of threadIds) {
    await storage.remove(recordsPath(threadId));
    await storage.remove(copyNoticesPath(threadId));
    const memory = memoryPath(threadId);
    if (memory !== undefined) await storage.remove(memory);
  }
}
