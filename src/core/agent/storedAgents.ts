/** The threads of sub-agents for an undo, whether their sessions are live or have ended. */
import type { EventMsg } from '../../protocol/event.ts';
import { ChangeLedger } from '../baseline/changeLedger.ts';
import type { Ports } from '../ports.ts';
import type { ThreadCatalog } from '../rollout/catalog.ts';
import { appendEvents } from '../rollout/appendEvents.ts';
import { replay } from '../rollout/replay.ts';
import type { AgentThreads, NamedAgent, WhileFree } from '../session/agentThreads.ts';
import { cutOffCommands } from '../session/recovery.ts';
import { ThreadChanges } from '../session/threadChanges.ts';
import type { LiveThreads } from './liveThreads.ts';

export interface StoredAgentsDeps {
  readonly live: Pick<LiveThreads, 'get'>;
  readonly catalog: Pick<ThreadCatalog, 'find' | 'whileFree'>;
  readonly ports: Ports;
  /** The ledger of this process's sessions, if there are any. */
  readonly ledger?: ChangeLedger | undefined;
}

export class StoredAgents implements AgentThreads {
  readonly #deps: StoredAgentsDeps;

  constructor(deps: StoredAgentsDeps) {
    this.#deps = deps;
  }

  async settle(agentId: string): Promise<void> {
    const { live, catalog, ports, ledger } = this.#deps;
    const session = live.get(agentId)?.session;
    if (session !== undefined) return session.changesSettled();
    const stored = await catalog.find(agentId);
    if (stored?.lastTurn !== 'open') return;
    await catalog.whileFree(agentId, ({ path }) => recordCutOff({ threadId: agentId, path }, ports, ledger));
  }

  async whileFree<Result>(
    [agent, ...others]: readonly NamedAgent[],
    work: () => Promise<Result>,
  ): Promise<WhileFree<Result>> {
    if (agent === undefined) return { type: 'done', result: await work() };
    const { live, catalog } = this.#deps;
    const { agentId, name } = agent;
    const session = live.get(agentId)?.session;
    if (session !== undefined) {
      if (session.isWorking) {
        const message = `The agent “${name}” of this turn still works: stop it, or wait for its end, and try again.`;
        return { type: 'refused', message };
      }
      await session.idle();
      return this.whileFree(others, work);
    }
    let outcome: WhileFree<Result> | undefined;
    const found = await catalog.whileFree(agentId, async () => {
      outcome = await this.whileFree(others, work);
    });
    if (found.type === 'owned') {
      const process = `${found.owner.name}, ${found.owner.pid}`;
      const message = `The agent “${name}” of this turn is open in another process (${process}): close it there, and try again.`;
      return { type: 'refused', message };
    }
    // A thread that is gone is in no process.
    return outcome ?? this.whileFree(others, work);
  }

  async emit(agentId: string, msgs: readonly EventMsg[]): Promise<void> {
    const { live, catalog, ports } = this.#deps;
    const session = live.get(agentId)?.session;
    if (session !== undefined) {
      for (const msg of msgs) await session.emitOutsideTurns(msg);
      return;
    }
    const stored = await catalog.find(agentId);
    if (stored !== undefined) await appendEvents(stored.path, msgs, ports);
  }
}

/** Records what commands changed that a crash has cut off, in a thread that was not opened since. */
async function recordCutOff(
  { threadId, path }: { readonly threadId: string; readonly path: string },
  ports: Ports,
  known: ChangeLedger | undefined,
): Promise<void> {
  const { baseline: store, clock, log, storage } = ports;
  const read = replay((await storage.readText(path)) ?? '');
  if (store === undefined || read.type !== 'thread') return;
  const report = (error: unknown) => log.error('The changes of a command cannot be recovered', error);
  const changes = new ThreadChanges({
    ...ports,
    store,
    ledger: known ?? new ChangeLedger({ store, clock, report }),
    threadId,
    maxBytes: Number.MAX_SAFE_INTEGER,
    secretsAmong: async () => new Set(),
    emit: () => {},
  });
  changes.recover(cutOffCommands(read.thread.state));
  await changes.settled();
}
