import type { Locks } from '../core/ports.ts';
import { assertNever } from '../core/util/assertNever.ts';
import { type InterruptedApply, recoverJournals } from '../node/apply/recoverJournals.ts';
import type { ThreadOwner } from '../protocol/threads.ts';
import { visibleName } from '../protocol/text/escapeInvisible.ts';

/** Maximum milliseconds to wait for another process that recovers the same patch. */
const PATIENCE_MS = 15_000;

/**
 * Rolls interrupted patches back before anything else is done: no user is present who could choose to complete them
 * instead (docs/design.md decision 4). A patch that another process is recovering is left to that process.
 */
export async function settleInterrupted(home: string, locks: Locks, say: (line: string) => void): Promise<void> {
  const sayVisibly = (line: string) => say(visibleName(line));
  for (const interrupted of await recoverJournals(home, locks, sayVisibly)) await rollBack(interrupted, sayVisibly);
}

async function rollBack(interrupted: InterruptedApply, say: (line: string) => void): Promise<void> {
  const patch = `a patch that was interrupted on ${interrupted.startedAt.toISOString()}`;
  const paths = interrupted.changes.map(({ path }) => path);
  const settled = await interrupted.settle((ways) => ways.rollback(), {
    signal: AbortSignal.timeout(PATIENCE_MS),
    onWait: (owner) => say(`${patch} is being settled by ${nameOf(owner)}; waiting`),
  });
  switch (settled.type) {
    case 'settled': {
      const { leftAlone, moved = [] } = settled.result;
      const changed = leftAlone.filter((path) => !moved.includes(path));
      const restored = paths.filter((path) => !leftAlone.includes(path));
      say(restored.length > 0 ? `${patch} was rolled back: ${restored.join(', ')}` : `${patch} was not rolled back`);
      if (changed.length > 0) say(`left alone, because they have been changed since: ${changed.join(', ')}`);
      if (moved.length > 0) say(`left alone, because a link now leads elsewhere from there: ${moved.join(', ')}`);
      return;
    }
    case 'settled_elsewhere':
      return;
    case 'busy':
      say(
        `${patch} is still being settled by ${nameOf(settled.owner)}: its files may still change: ${paths.join(', ')}`,
      );
      return;
    default:
      assertNever(settled);
  }
}

function nameOf({ name, pid }: ThreadOwner): string {
  return `${name === 'vscode' ? 'VS Code' : 'another tiller'} (process ${pid})`;
}
