import type { ApprovalRequest } from './event.ts';

/** False while a model reviews the request: the user may answer, and is not called. */
export function awaitsUser({ reviewer }: Pick<ApprovalRequest, 'reviewer'>): boolean {
  return reviewer?.state !== 'reviewing';
}

/** True for a request to leave the sandbox (even if no sandbox works) or to use the network. */
export function leavesSandbox({ kind }: Pick<ApprovalRequest, 'kind'>): boolean {
  return kind === 'escalation' || kind === 'network';
}

/**
 * True when the call can destroy work that cannot be restored. Records older than the field `destructive` have it in
 * the reason, of the request or of a part.
 */
export function isDestructive({
  destructive,
  reason,
  parts = [],
}: Pick<ApprovalRequest, 'destructive' | 'reason' | 'parts'>): boolean {
  return destructive === true || [reason, ...parts.map((part) => part.reason)].some(({ id }) => id === 'dangerous');
}

/** True when the call leaves the sandbox or can destroy work: an approval of several requests at once must name it. */
export function needsCare(request: ApprovalRequest): boolean {
  return leavesSandbox(request) || isDestructive(request) || feedsInterpreter(request);
}

/** `curl … | sh`: a shell or interpreter runs the output of another command of the script. */
function feedsInterpreter({ command = '' }: ApprovalRequest): boolean {
  return /\|\s*(?:sudo\s+)?(?:\S*\/)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby)\s*(?:-\s*)?(?:$|[;&|\n])/.test(
    command,
  );
}
