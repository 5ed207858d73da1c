/** Side copies for agents that would write beside each other. */
import path from 'node:path';
import type { TurnSettings } from '../../protocol/event.ts';
import type { NoSideCopy } from '../../protocol/item.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import type { SideCopyPlaces } from '../ports.ts';
import type { AgentCopy, ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import { pathBelow } from '../util/pathBelow.ts';

/** The working directory of an agent, and its side copy. */
export interface PlacedAgent {
  readonly turn: TurnSettings;
  readonly copy: AgentCopy | undefined;
  /** The reason why it has no copy although it writes beside others. */
  readonly noSideCopy: NoSideCopy | undefined;
  readonly end: () => void;
}

/** The agents of this process that may write and have not ended. */
export class AgentCopies {
  /** By root thread: the agents that work, and a place for each one that is being started. */
  readonly #writers = new Map<string, Set<symbol>>();
  /** By agent. */
  readonly #ends = new Map<string, () => void>();

  /**
   * Returns the place of a new agent: the first agent that writes works in the workspace, each further one in a copy of
   * its own until those before it have ended. Call `begin` when the agent has a thread, or `end` when it could not be
   * started. Rejects with the signal's reason.
   */
  async place(
    rootId: string,
    thread: ThreadSettings,
    { host, mayWrite, signal }: { readonly host: ThreadHost; readonly mayWrite: boolean; readonly signal: AbortSignal },
  ): Promise<PlacedAgent> {
    const { turn, agents } = thread;
    const writes = mayWrite && turn.sandboxPolicy.type !== 'read-only';
    if (!writes) return { turn, copy: undefined, noSideCopy: undefined, end: () => {} };
    const isBeside = this.#writers.has(rootId) && agents.sideCopies === 'parallel';
    const end = this.#add(rootId);
    try {
      const made = isBeside ? await host.makeSideCopy?.(turn.cwd, signal) : undefined;
      if (made === undefined) return { turn, copy: undefined, noSideCopy: undefined, end };
      if (typeof made === 'string') return { turn, copy: undefined, noSideCopy: made, end };
      return { turn: turnIn(turn, made), copy: made, noSideCopy: undefined, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Call when a placed agent has started. `end`: as returned by `place`. */
  begin(agentId: string, { end }: Pick<PlacedAgent, 'end'>): void {
    this.#ends.set(agentId, end);
  }

  /** Call when an agent that may write works, also when it works again after it had ended. */
  working(agentId: string, rootId: string): void {
    if (!this.#ends.has(agentId)) this.#ends.set(agentId, this.#add(rootId));
  }

  /** Call when an agent has ended: a later one may work in the workspace. */
  ended(agentId: string): void {
    this.#ends.get(agentId)?.();
    this.#ends.delete(agentId);
  }

  #add(rootId: string): () => void {
    const writer = Symbol(rootId);
    const writers = this.#writers.get(rootId) ?? new Set();
    this.#writers.set(rootId, writers.add(writer));
    return () => {
      writers.delete(writer);
      if (writers.size === 0 && this.#writers.get(rootId) === writers) this.#writers.delete(rootId);
    };
  }
}

/** The settings of a turn with the folders of a copy in place of those that it was made of. */
function turnIn(turn: TurnSettings, { cwd, folders }: AgentCopy): TurnSettings {
  return { ...turn, cwd, sandboxPolicy: policyIn(turn.sandboxPolicy, folders) };
}

/** A policy of the workspace, as it holds for an agent with this working directory. */
export function policyAt(cwd: string, policy: SandboxPolicy, copies: SideCopyPlaces | undefined): SandboxPolicy {
  const folders = copies?.foldersAround(cwd);
  return folders === undefined ? policy : policyIn(policy, folders);
}

function policyIn(policy: SandboxPolicy, folders: AgentCopy['folders']): SandboxPolicy {
  if (policy.type !== 'workspace-write') return policy;
  return { ...policy, writableRoots: policy.writableRoots.map((root) => placeIn(root, folders)) };
}

function placeIn(place: string, folders: AgentCopy['folders']): string {
  for (const { home, copy } of folders) {
    const below = pathBelow(home, place);
    if (below !== undefined) return path.join(copy, below);
  }
  return place;
}
