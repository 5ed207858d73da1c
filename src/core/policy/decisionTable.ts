/**
 * What happens to a command that no rule speaks of: the table of codex-behaviour.md §6.3 with the column of design
 * decision 9 for a machine whose sandbox does not work.
 */
import type { ApprovalPolicy, SandboxMechanism, SandboxPermissions, SandboxPolicy } from '../../protocol/policy.ts';
import type { CommandClass } from './commandTree.ts';

/** What keeps a command in bounds: the box, nothing although the policy wants one, or nothing because it wants none. */
export type Containment = 'sandboxed' | 'no-box' | 'unrestricted';

/** Rows of the table. `escalated`: not known safe, and the model asks to run it outside the sandbox. */
export type TableRow = CommandClass | 'escalated';
/** `refuse_no_box`: it would be asked about, or run, if only the sandbox worked. */
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

/** The circumstances in which a command would run. */
export interface Circumstances {
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly box: SandboxMechanism;
  readonly noBoxCause?: string | undefined;
  readonly sandboxPermissions: SandboxPermissions;
  /** False when there is nobody to answer a question (contract.md, exec). */
  readonly canAsk: boolean;
}

export function containmentOf({ sandboxPolicy, box }: Pick<Circumstances, 'sandboxPolicy' | 'box'>): Containment {
  if (sandboxPolicy.type === 'danger-full-access' || sandboxPolicy.type === 'external-sandbox') return 'unrestricted';
  return box === 'none' ? 'no-box' : 'sandboxed';
}

/**
 * Known-safe commands need no escalation and run inside. Outside `on-request` a request to escalate is refused before
 * danger is looked at (§6.3, footnote); under it danger is the stronger word.
 */
export function tableRow(commandClass: CommandClass, circumstances: Circumstances): TableRow {
  const escalated = circumstances.sandboxPermissions === 'require_escalated' && commandClass !== 'known-safe';
  if (!escalated) return commandClass;
  return commandClass === 'dangerous' && circumstances.approvalPolicy === 'on-request' ? 'dangerous' : 'escalated';
}

export function lookUp(row: TableRow, circumstances: Circumstances): Answer {
  const containment = containmentOf(circumstances);
  const cell = DECISION_TABLE[row][circumstances.approvalPolicy];
  const answer = typeof cell === 'string' ? cell : cell[containment];
  const cannotAsk = answer === 'ask' && containment === 'no-box' && !circumstances.canAsk;
  return cannotAsk ? 'refuse_no_box' : answer;
}
