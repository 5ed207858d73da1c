import { awaitsUser } from '../../protocol/approval.ts';
import type { ApprovalRequest } from '../../protocol/event.ts';
import { cwdOf, textOfInput, type ThreadState } from '../../protocol/thread.ts';
import { shortened } from '../../protocol/text/truncate.ts';
import { byteLength } from '../util/tokens.ts';
import type { ThreadUpdate } from './liveThreads.ts';
import { isSubAgent } from './threadActivity.ts';

/** The argument of the `notify` program. */
export type Notification = TurnNotification | RequestNotification;

/** In the form that programs written for `@openai/codex` read. */
export interface TurnNotification {
  readonly type: 'agent-turn-complete';
  readonly 'thread-id': string;
  readonly 'turn-id': string;
  readonly cwd: string;
  /** The text of each message of the user in this turn, oldest first. */
  readonly 'input-messages': readonly string[];
  readonly 'last-assistant-message': string | null;
}

/** An approval or a question that waits for the user. */
export interface RequestNotification {
  readonly type: 'approval-requested' | 'input-requested';
  readonly 'thread-id': string;
  readonly cwd: string;
  /** The command, the paths of the patch, the tool, or the question. */
  readonly message: string;
}

/** Linux takes no longer argument than 128 KiB. */
const ARGUMENT_BYTES = 120 * 1024;

/**
 * The notification for an event: only completed turns count, not those that failed or were interrupted, nor those of
 * sub-agents.
 */
export function turnNotification({ event, state }: ThreadUpdate): TurnNotification | undefined {
  const { msg, turnId, threadId } = event;
  if (msg.type !== 'turn_completed' || turnId === null || isSubAgent(state)) return undefined;
  const turn = state.turns.findLast(({ id }) => id === turnId);
  if (!turn) return undefined;
  return {
    type: 'agent-turn-complete',
    'thread-id': threadId,
    'turn-id': turnId,
    cwd: turn.settings.cwd,
    'input-messages': inputOf(turn),
    'last-assistant-message': msg.lastMessage,
  };
}

/** The notification for a request to the user, also one of a sub-agent. */
export function requestNotification({
  event: { msg, threadId },
  state,
}: ThreadUpdate): RequestNotification | undefined {
  const of = (type: RequestNotification['type'], message: string, cwd = cwdOf(state)) => ({
    type,
    'thread-id': threadId,
    cwd,
    message,
  });
  switch (msg.type) {
    case 'approval_requested':
      return awaitsUser(msg) ? of('approval-requested', subjectOf(msg), msg.cwd) : undefined;
    case 'approval_reviewed': {
      const request = state.approvals.find(({ approvalId }) => approvalId === msg.approvalId);
      return request && of('approval-requested', subjectOf(request), request.cwd);
    }
    case 'question_requested': {
      const { request } = msg;
      return of('input-requested', request.source === 'mcp' ? request.message : (request.questions[0]?.question ?? ''));
    }
    default:
      return undefined;
  }
}

/**
 * Returns the JSON for one argument of a program: texts are shortened until it is no longer than an argument may be.
 */
export function notificationArgument(notification: Notification): string {
  const longest = Math.max(...textsOf(notification).map((text) => text.length));
  for (let limit = longest; ; limit = Math.floor(limit / 2)) {
    const argument = JSON.stringify(withTexts(notification, (text) => shortened(text, limit)));
    if (limit < 2 || byteLength(argument) <= ARGUMENT_BYTES) return argument;
  }
}

function subjectOf({ command, changes, tool }: Pick<ApprovalRequest, 'command' | 'changes' | 'tool'>): string {
  return command ?? changes?.map(({ path }) => path).join(', ') ?? tool?.name ?? '';
}

function inputOf({ items }: ThreadState['turns'][number]): string[] {
  return items.flatMap((item) => (item.type === 'user_message' ? [textOfInput(item.content)] : []));
}

function textsOf(notification: Notification): readonly string[] {
  if (notification.type !== 'agent-turn-complete') return [notification.message];
  return [...notification['input-messages'], notification['last-assistant-message'] ?? ''];
}

function withTexts(notification: Notification, change: (text: string) => string): Notification {
  if (notification.type !== 'agent-turn-complete') return { ...notification, message: change(notification.message) };
  const last = notification['last-assistant-message'];
  return {
    ...notification,
    'input-messages': notification['input-messages'].map(change),
    'last-assistant-message': last === null ? null : change(last),
  };
}
