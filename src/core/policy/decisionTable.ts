/**
 * Decides commands that no rule matches: the table of codex-behaviour.md §6.3, with the column of design decision 9 for
 * a machine without a working sandbox.
 */
import type { ApprovalPolicy, SandboxMechanism, SandboxPermissions, SandboxPolicy } from '../../protocol/policy.ts';
import type { CommandClass } from './commandTree.ts';

/**
 * The confinement of a command: the sandbox; none, although the policy requires a sandbox; or none, because the policy
 * requires none.
 */
export type Containment = 'sandboxed' | 'no-box' | 'unrestricted';

/** Rows of the table. `escalated`: not known safe, and the model asks to run it outside the sandbox. */
export type TableRow = CommandClass | 'escalated';
/** `refuse_no_box`: refused only because no sandbox works; with one it would run or need approval. */
export type Answer = 'run' | 'ask' | 'refuse' | 'refuse_no_box';

type Cell = Answer | Readonly<Record<Containment, Answer>>;

const SANDBOX_GUARDS: Cell = { sandboxed: 'run', 'no-box': 'ask', unrestricted: 'run' };

const DECISION_TABLE: Readonly<Record<TableRow, Readonly<Record<ApprovalPolicy, Cell>>>> = {
  'known-safe': { untrusted: 'run', 'on-failure': 'run', 'on-request': 'run', never: 'run' },
  dangerous: { untrusted: 'ask', 'on-failure': 'ask', 'on-request': 'ask', never: 'refuse' },
  other: {
    untrusted: 'ask',
    'on-failure': SANDBOX_GUARDS,
    'on-request': SANDBOX_GUARDS,
    never: { sandboxed: 'run', 'no-box': 'refuse_no_box', unrestricted: 'run' },
  },
  escalated: {
    untrusted: 'refuse',
    'on-failure': 'refuse',
    'on-request': { sandboxed: 'ask', 'no-box': 'ask', unrestricted: 'run' },
    never: 'refuse',
  },
};

/** The conditions under which a command would run. */
export interface Circumstances {
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly box: SandboxMechanism;
  readonly noSandboxCause?: string | undefined;
  readonly sandboxPermissions: SandboxPermissions;
  /** False when no user can answer (docs/cli.md, exec). */
  readonly canAsk: boolean;
}

/** `no-box`: the policy wants a sandbox, and the machine has none. */
export function containmentOf({ sandboxPolicy, box }: Pick<Circumstances, 'sandboxPolicy' | 'box'>): Containment {
  if (sandboxPolicy.type === 'danger-full-access' || sandboxPolicy.type === 'external-sandbox') return 'unrestricted';
  return box === 'none' ? 'no-box' : 'sandboxed';
}

/**
 * Known-safe commands need no escalation and run inside. Outside `on-request` a request to escalate is refused before
 * danger is checked (§6.3, footnote); under `on-request` danger takes precedence.
 */
export function tableRow(commandClass: CommandClass, circumstances: Circumstances): TableRow {
  const escalated = circumstances.sandboxPermissions === 'require_escalated' && commandClass !== 'known-safe';
  if (!escalated) return commandClass;
  return commandClass === 'dangerous' && circumstances.approvalPolicy === 'on-request' ? 'dangerous' : 'escalated';
}

/**
 * Reads a row of the table. A refusal takes the place of a question that cannot be asked where no sandbox confines the
 * command.
 */
export function lookUp(row: TableRow, circumstances: Circumstances): Answer {
  const containment = containmentOf(circumstances);
  const cell = DECISION_TABLE[row][circumstances.approvalPolicy];
  const answer = typeof cell === 'string' ? cell : cell[containment];
  const cannotAsk = answer === 'ask' && containment === 'no-box' && !circumstances.canAsk;
  return cannotAsk ? 'refuse_no_box' : answer;
}
