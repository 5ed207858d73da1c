/** The requests, the responses and the actions of the user that a rollout records. */
import type { ApprovalRequest, EventMsgOf, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ApprovalDecision, ErrorKind } from '../../protocol/policy.ts';
import type { CallOutput, ResponseItem } from '../../protocol/responseItem.ts';

/** The answer of the server to a request. */
export type RecordedAnswer =
  | {
      readonly type: 'items';
      readonly items: readonly ResponseItem[];
      /** `waits`: the turn was stopped before the response was complete. */
      readonly end: 'end_turn' | 'goes_on' | 'waits';
    }
  | { readonly type: 'failure'; readonly kind: ErrorKind; readonly detail: string }
  | { readonly type: 'image_refused' };

/** One request and its response. */
export interface RecordedExchange {
  readonly turnId: string;
  /** Lines of the rollout before this index are the base of the request. */
  readonly line: number;
  readonly answer: RecordedAnswer;
  /** Messages that join the turn after this response. */
  readonly steers: readonly (readonly UserInput[])[];
}

export interface RecordedApproval {
  readonly request: ApprovalRequest;
  /** `undefined` where the process ended before an answer. */
  readonly resolved: EventMsgOf<'approval_resolved'> | undefined;
}

/** One call of a tool in one process. */
export interface RecordedCall {
  /** In the order of the requests; a call shares the approval of another one where `request.callId` names that call. */
  readonly approvals: readonly RecordedApproval[];
  /** `undefined` where the process ended before it. */
  readonly output: CallOutput | undefined;
}

/** The end of a turn or a process from outside, and the number of items of the history that were recorded before. */
export interface RecordedStop {
  readonly type: 'interrupt' | 'cut';
  readonly items: number;
  /** The last of these items, if it is the beginning of a message that the model did not finish. */
  readonly unfinished?: string | undefined;
}

export interface RecordedTurn {
  readonly turnId: string;
  /** ISO 8601. */
  readonly at: string;
  /** `null`: continued without a message; `recovered`: the process before this one had begun it. */
  readonly input: readonly UserInput[] | null | 'recovered';
  readonly settings: TurnSettings;
  /** Set before it: changes of the user to the approvals that the thread remembers. */
  readonly memory: Pick<EventMsgOf<'memory_changed'>, 'keys' | 'rules'> | undefined;
  /** The items sent when the turn began: the thread's surroundings and the message. */
  readonly context: readonly ResponseItem[];
  /** Messages that joined it. */
  readonly messages: readonly ResponseItem[];
  readonly stop: RecordedStop | undefined;
  /** Rounds after which it paused, at the limit of rounds or at a cap; `undefined` when it did not. */
  readonly pausedAfter: number | undefined;
}

/** The work of one process on the thread. */
export interface RecordedPart {
  readonly started: EventMsgOf<'thread_started'>;
  /** ISO 8601. */
  readonly at: string;
  /** Lines of the rollout before this process. */
  readonly line: number;
  readonly turns: readonly RecordedTurn[];
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** Tools that were called and offered, built in or not. */
  readonly tools: readonly string[];
  /** False: no user could answer requests. */
  readonly interactive: boolean;
}

/** A call that ended with its turn. */
export function isStopped(output: CallOutput | undefined): boolean {
  return (
    typeof output === 'string' &&
    /^(?:aborted by user after [\d.]+ s|Denied by the user, who stopped the turn\..*)$/.test(output)
  );
}

/** The submitted answer of the user: the parts of a patch that was approved in part are in its recorded output. */
export function replayedDecision(decision: ApprovalDecision): ApprovalDecision {
  if (typeof decision === 'string') return decision === 'approved_saving' ? 'approved' : decision;
  return 'approved_reviewed' in decision || 'approved_discarding' in decision ? 'approved' : decision;
}
