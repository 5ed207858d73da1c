import type { Locks } from '../core/ports.ts';
import { assertNever } from '../core/util/assertNever.ts';
import { type InterruptedApply, recoverJournals } from '../node/apply/recoverJournals.ts';
import type { ThreadOwner } from '../protocol/threads.ts';
import { visibleName } from '../protocol/text/escapeInvisible.ts';

/** Somebody in VS Code who settles the same patch needs less. */
const PATIENCE_MS = 15_000;

/**
 * A patch whose landing was cut by a kill is put back whole before anything else is done: nobody is here to be asked
 * whether to finish it instead (design decision 4, "finish" or "put back"). One that somebody else is deciding is theirs.
 */
export async function settleInterrupted(home: string, locks: Locks, say: (line: string) => void): Promise<void> {
  const sayVisibly = (line: string) => say(visibleName(line));
  for (const interrupted of await recoverJournals(home, locks)) await rollBack(interrupted, sayVisibly);
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
      say(restored.length > 0 ? `${patch} was put back: ${restored.join(', ')}` : `${patch} was not put back`);
      if (changed.length > 0) say(`left alone, because they have been changed since: ${changed.join(', ')}`);
      if (moved.length > 0) say(`left alone, because a link now leads elsewhere from there: ${moved.join(', ')}`);
      return;
    }
    case 'settled_elsewhere':
      return;
    case 'busy':
      say(
        `${patch} is still being settled by ${nameOf(settled.owner)}: its files may change meanwhile: ${paths.join(', ')}`,
      );
      return;
    default:
      assertNever(settled);
  }
}

function nameOf({ name, pid }: ThreadOwner): string {
  return `${name === 'vscode' ? 'VS Code' : 'another tiller'} (process ${pid})`;
}
