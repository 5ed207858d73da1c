/** The turns of a thread together with those of the sub-agents that they have started, at any depth. */
import type { AgentTurn, ChangeRecord } from '../../protocol/baseline.ts';
import { changesOfRedo, changesOfTurns, isEmpty, lastUndo, type StandingChanges } from './standingChanges.ts';

/** The turns of one sub-agent that belong to turns of the root thread. */
export interface TurnsOfAgent {
  readonly agentId: string;
  readonly name: string;
  readonly turnIds: readonly string[];
}

export interface WholeTurns {
  /** All records of the thread and of these agents, in the order in which they were made. */
  readonly records: readonly ChangeRecord[];
  readonly agents: readonly TurnsOfAgent[];
  /** The turn of the root thread to which a turn of an agent belongs. */
  readonly origins: ReadonlyMap<string, string>;
  /** Names of agents that have worked in a side copy. Their changes are left out, and so are those of their agents. */
  readonly inSideCopies: readonly string[];
}

/** `records`: those of the thread. `read`: those of another one. Rejects as `read` does. */
export async function withAgentTurns(
  records: readonly ChangeRecord[],
  turnIds: readonly string[],
  read: (threadId: string) => Promise<readonly ChangeRecord[]>,
): Promise<WholeTurns> {
  const all = [...records];
  const agents = new Map<string, { readonly name: string; readonly turnIds: string[] }>();
  const origins = new Map<string, string>();
  const inSideCopies = new Set<string>();
  const pending = startedBy(records, new Set(turnIds));
  for (let link = pending.shift(); link !== undefined; link = pending.shift()) {
    const { agentId, agentTurnId, name, turnId } = link;
    if (link.inSideCopy) inSideCopies.add(name);
    if (link.inSideCopy || origins.has(agentTurnId)) continue;
    origins.set(agentTurnId, origins.get(turnId) ?? turnId);
    let agent = agents.get(agentId);
    if (agent === undefined) {
      agent = { name, turnIds: [] };
      agents.set(agentId, agent);
      all.push(...(await read(agentId)));
    }
    agent.turnIds.push(agentTurnId);
    pending.push(...startedBy(all, new Set([agentTurnId])));
  }
  return {
    records: all.toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))),
    agents: [...agents].map(([agentId, agent]) => ({ agentId, ...agent })),
    origins,
    inSideCopies: [...inSideCopies],
  };
}

/** The changes of these turns, and of the turns of agents that belong to them, that no undo has reverted. */
export function changesOfWholeTurns(
  { records, agents, origins }: WholeTurns,
  turnIds: readonly string[],
): StandingChanges {
  const standing = changesOfTurns(records, [...turnIds, ...origins.keys()]);
  const changed = new Set(standing.turnIds.map((turnId) => origins.get(turnId) ?? turnId));
  return {
    ...standing,
    turnIds: turnIds.filter((turnId) => changed.has(turnId)),
    agents: agents.flatMap(({ agentId, name, turnIds: ofAgent }) => {
      const own = ofAgent.filter((turnId) => standing.turnIds.includes(turnId));
      return own.length === 0 ? [] : [{ agentId, name, turnIds: own, paths: pathsOf(records, own) }];
    }),
  };
}

/** The last turn that has made changes that no undo has reverted, itself or by its sub-agents. Rejects as `read` does. */
export async function lastChangingTurn(
  records: readonly ChangeRecord[],
  read: (threadId: string) => Promise<readonly ChangeRecord[]>,
): Promise<string | undefined> {
  const turnIds = new Set(records.flatMap((record) => (record.type === 'reverted' ? [] : [record.turnId])));
  for (const turnId of [...turnIds].toReversed()) {
    const whole = await withAgentTurns(records, [turnId], read);
    if (!isEmpty(changesOfWholeTurns(whole, [turnId]))) return turnId;
  }
  return undefined;
}

/** The inverse of the last undo, see `changesOfRedo`. Rejects as `read` does. */
export async function changesOfWholeRedo(
  records: readonly ChangeRecord[],
  read: (threadId: string) => Promise<readonly ChangeRecord[]>,
): Promise<StandingChanges | undefined> {
  const changes = changesOfRedo(records);
  if (changes === undefined) return undefined;
  const agents = (lastUndo(records)?.agents ?? []).map(async ({ agentId, turnIds }) => {
    const link = records.find((record) => record.type === 'agent_turn' && record.agentId === agentId);
    const name = link?.type === 'agent_turn' ? link.name : agentId;
    return { agentId, name, turnIds, paths: pathsOf(await read(agentId), turnIds) };
  });
  return { ...changes, agents: await Promise.all(agents) };
}

function startedBy(records: readonly ChangeRecord[], turnIds: ReadonlySet<string>): AgentTurn[] {
  return records.filter((record): record is AgentTurn => record.type === 'agent_turn' && turnIds.has(record.turnId));
}

function pathsOf(records: readonly ChangeRecord[], turnIds: readonly string[]): ReadonlySet<string> {
  return new Set(
    records.flatMap((record) =>
      record.type === 'step' && turnIds.includes(record.turnId) ? record.changes.map(({ path }) => path) : [],
    ),
  );
}
