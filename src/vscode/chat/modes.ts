import type { ApprovalPolicy, ChatMode, SandboxMode } from '../../protocol/policy.ts';

/** A chat mode is only a named pair of approval policy and sandbox mode (docs/design.md decision 6). */
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

/** `null` for a pair without a name. */
export function modeOf(policy: ApprovalPolicy, sandbox: SandboxMode): ChatMode | null {
  return MODES.find((bundle) => bundle.policy === policy && bundle.sandbox === sandbox)?.mode ?? null;
}
