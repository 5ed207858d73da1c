import type { ApprovalRequest } from './event.ts';

/** False while a model reviews the request: the user may answer, and is not called. */
export function awaitsUser({ reviewer }: Pick<ApprovalRequest, 'reviewer'>): boolean {
  return reviewer?.state !== 'reviewing';
}

/** Returns true for a request to leave the sandbox (even if no sandbox works) or to use the network. */
export function leavesSandbox({ kind }: Pick<ApprovalRequest, 'kind'>): boolean {
  return kind === 'escalation' || kind === 'network';
}

/**
 * Returns true if the call can destroy work that cannot be restored. Records that are older than the field
 * `destructive` show it in the reason of the request or of one of its parts.
 */
export function isDestructive({
  destructive,
  reason,
  parts = [],
}: Pick<ApprovalRequest, 'destructive' | 'reason' | 'parts'>): boolean {
  return destructive === true || [reason, ...parts.map((part) => part.reason)].some(({ id }) => id === 'dangerous');
}

/**
 * Returns true if an approval of several requests at once must point out this one: it leaves the sandbox, can destroy
 * work, or feeds output to an interpreter.
 */
export function needsCare(request: ApprovalRequest): boolean {
  return leavesSandbox(request) || isDestructive(request) || feedsInterpreter(request);
}

/**
 * Returns true for a script such as `curl … | sh`, in which a shell or an interpreter runs the output of another
 * command.
 */
function feedsInterpreter({ command = '' }: ApprovalRequest): boolean {
  return /\|\s*(?:sudo\s+)?(?:\S*\/)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby)\s*(?:-\s*)?(?:$|[;&|\n])/.test(
    command,
  );
}
