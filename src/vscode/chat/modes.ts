import type { TurnSettings } from '../../protocol/event.ts';
import type { ApprovalPolicy, ChatMode, SandboxMode } from '../../protocol/policy.ts';

/** A chat mode is only a named pair of approval policy and sandbox mode (docs/design.md decision 6), or plan mode. */
export interface ModeBundle {
  readonly mode: ChatMode;
  readonly policy: ApprovalPolicy;
  readonly sandbox: SandboxMode;
}

export const MODES: readonly ModeBundle[] = [
  { mode: 'chat', policy: 'never', sandbox: 'read-only' },
  { mode: 'agent', policy: 'on-request', sandbox: 'workspace-write' },
  { mode: 'plan', policy: 'on-request', sandbox: 'read-only' },
  { mode: 'full-access', policy: 'never', sandbox: 'danger-full-access' },
];

/** `null` for a pair without a name. In plan mode neither the policy nor the sandbox allows more than reading. */
export function modeOf({ approvalPolicy, sandboxPolicy, planMode }: ModeSettings): ChatMode | null {
  if (planMode === true) return 'plan';
  const isNamed = ({ mode, policy, sandbox }: ModeBundle) =>
    mode !== 'plan' && policy === approvalPolicy && sandbox === sandboxPolicy.type;
  return MODES.find(isNamed)?.mode ?? null;
}

type ModeSettings = Pick<TurnSettings, 'approvalPolicy' | 'sandboxPolicy' | 'planMode'>;
