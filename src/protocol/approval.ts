import type { ApprovalRequest } from './event.ts';

/** True for a request to leave the sandbox (even if no sandbox works) or to use the network. */
export function leavesSandbox({ kind }: ApprovalRequest): boolean {
  return kind === 'escalation' || kind === 'network';
}

/** True when the call leaves the sandbox or can destroy work: an approval of several requests at once must name it. */
export function needsCare(request: ApprovalRequest): boolean {
  return leavesSandbox(request) || request.reason.id === 'dangerous';
}
