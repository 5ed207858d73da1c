import path from 'node:path';
import type { Ports } from '../ports.ts';
import { type Purged, purgeOutput } from '../rollout/purge.ts';
import type { Recorder } from '../rollout/recorder.ts';

/**
 * Removes the output of a command from the rollout, which is open, and deletes its logs. Resolves with the calls that
 * had it; `undefined` when the rollout has no such command.
 */
export async function removeOutput(
  itemId: string,
  { recorder, storage }: { readonly recorder: Recorder; readonly storage: Ports['storage'] },
): Promise<ReadonlySet<string> | undefined> {
  let purged: Purged | undefined;
  await recorder.rewrite((bytes) => {
    purged = purgeOutput(bytes, itemId);
    return purged?.bytes;
  });
  for (const logPath of purged?.logPaths ?? []) {
    const inHome = path.relative(storage.home, logPath).split(path.sep).join('/');
    if (inHome.startsWith('logs/')) await storage.remove(inHome);
  }
  return purged?.callIds;
}
