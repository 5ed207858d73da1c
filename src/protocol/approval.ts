import type { ApprovalRequest } from './event.ts';

/** Something leaves the box, or there is none. */
export function leavesSandbox({ kind }: ApprovalRequest): boolean {
  return kind === 'escalation' || kind === 'network';
}

/** What leaves the box or can destroy work is not part of a yes to many unless it is named. */
export function needsCare(request: ApprovalRequest): boolean {
  return leavesSandbox(request) || request.reason.id === 'dangerous';
}
