/** Side copies for agents that would write beside each other. */
import path from 'node:path';
import type { TurnSettings } from '../../protocol/event.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import type { SideCopyPlaces } from '../ports.ts';
import type { AgentCopy, ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import { pathBelow } from '../util/pathBelow.ts';

/** The agents of this process that may write and have not ended, by root thread. */
export class AgentCopies {
  readonly #writers = new Map<string, number>();

  /**
   * Where a new agent works: the first that writes in the workspace, each further one in a copy of its own until those
   * before it have ended. Call `end` once, when the agent has ended or could not be started. Rejects with the signal's
   * reason.
   */
  async place(
    rootId: string,
    thread: ThreadSettings,
    { host, mayWrite, signal }: { readonly host: ThreadHost; readonly mayWrite: boolean; readonly signal: AbortSignal },
  ): Promise<{ readonly turn: TurnSettings; readonly copy: AgentCopy | undefined; readonly end: () => void }> {
    const { turn, agents } = thread;
    const writes = mayWrite && turn.sandboxPolicy.type !== 'read-only';
    if (!writes) return { turn, copy: undefined, end: () => {} };
    const before = this.#writers.get(rootId) ?? 0;
    this.#writers.set(rootId, before + 1);
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      const left = (this.#writers.get(rootId) ?? 1) - 1;
      if (left === 0) this.#writers.delete(rootId);
      else this.#writers.set(rootId, left);
    };
    try {
      const isBeside = before > 0 && agents.sideCopies === 'parallel';
      const copy = isBeside ? await host.makeSideCopy?.(turn.cwd, signal) : undefined;
      return { turn: copy === undefined ? turn : turnIn(turn, copy.folders), copy, end };
    } catch (error) {
      end();
      throw error;
    }
  }
}

/** The settings of a turn with the folders of a copy in place of those that it was made of. */
function turnIn(turn: TurnSettings, folders: AgentCopy['folders']): TurnSettings {
  const cwd = folders[0]?.copy ?? turn.cwd;
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
