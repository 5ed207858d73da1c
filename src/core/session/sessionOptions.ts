import type { TurnSettings } from '../../protocol/event.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import type { EnvironmentSettings } from '../../protocol/settings.ts';
import type { ChangeLedger } from '../baseline/changeLedger.ts';
import type { Verbosity } from '../model/families.ts';
import type { ConnectedModel } from '../model/modelClientFactory.ts';
import type { Ports } from '../ports.ts';
import type { SessionMeta } from '../rollout/line.ts';
import type { ReplayedThread } from '../rollout/replay.ts';
import type { RulesStore } from '../rules/rulesStore.ts';
import type { OnProposal } from './approvals.ts';
import type { EventSequence } from './events.ts';
import type { Ownership } from './ownership.ts';
import type { RunningCommand } from './workspaceCoordinator.ts';

/** What surrounds commands, and why nothing does where the policy wants something to. */
export type ChosenSandbox = Pick<TurnSettings, 'box' | 'noBoxCause'>;

export interface SessionOptions {
  readonly ports: Ports;
  readonly sequence: EventSequence;
  readonly meta: SessionMeta;
  /** The rollout, relative to TILLER_HOME. */
  readonly rolloutPath: string;
  readonly ownership: Ownership;
  /** The thread as it was, when it is taken up again. */
  readonly replayed: ReplayedThread | null;
  readonly settings: TurnSettings;
  /** How models are reached. One that cannot be says so when it is asked. */
  readonly connect: (model: string) => ConnectedModel;
  readonly rules: RulesStore;
  /** What other threads of this host run right now; nobody else is here where it is absent. */
  readonly commandsOfOthers?: () => readonly RunningCommand[];
  /** What surrounds commands on this machine under a policy. */
  readonly sandboxFor: (policy: SandboxPolicy) => ChosenSandbox;
  /** What commands in a box must not read, as the setting says it. */
  readonly unreadable: readonly string[];
  /** False: no tool touches the workspace, and nothing of it is told to the model (design decision 12). */
  readonly isTrusted: () => boolean;
  readonly review: 'before' | 'after';
  /** What commands get of ours. */
  readonly environment: EnvironmentSettings;
  /** What happens to files that a patch left unsaved when a command is about to run. */
  readonly saveBeforeCommands: 'ask' | 'always' | 'never';
  /** Hears what a patch would do before the person is asked about it, for whoever shows it in an editor. */
  readonly onProposal?: OnProposal | undefined;
  /** Puts back what a turn has landed, where somebody remembers it. Never rejects. */
  readonly undoTurn?: ((turnId: string) => Promise<RevertedFiles>) | undefined;
  /** False when there is nobody to ask: every question is answered no. */
  readonly interactive: boolean;
  /** Waits for listeners that cannot take more events now; `undefined` when all can. An answer is read no faster. */
  readonly pace?: (() => Promise<void> | undefined) | undefined;
  readonly showRawReasoning: boolean;
  /** Gathers what commands and patches change; nothing is gathered without it. */
  readonly ledger?: ChangeLedger;
  /** Bytes of kept content; 0 keeps none. */
  readonly undoMaxBytes: number;
  readonly maxToolRounds: number;
  readonly maxAttempts: number;
  /** The model family's own where `null`. */
  readonly verbosity: Verbosity | null;
  /** Bytes; 0 leaves the project's instructions out. */
  readonly projectDocMaxBytes: number;
  /** Names besides AGENTS.md. */
  readonly projectDocFallbackFilenames: readonly string[];
  /** The person's own, after the base instructions. */
  readonly userInstructions: string;
}

export interface RevertedFiles {
  readonly paths: readonly string[];
  /** Left alone, each with its reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}
