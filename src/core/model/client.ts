/**
 * The interface of every model. Each implementation passes the same conformance suite (test/core/model/conformance.ts).
 */
import type { RateLimits, TokenUsage } from '../../protocol/event.ts';
import type { ReasoningEffort, ReasoningSummary } from '../../protocol/op.ts';
import type { ErrorAction, ErrorKind } from '../../protocol/policy.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ToolSpec } from '../../protocol/toolSpec.ts';

/**
 * The content of one request. Elements of `input` must never change once they were sent, so that the prompt cache
 * holds.
 */
export interface Prompt {
  readonly model: string;
  readonly instructions: string;
  readonly input: readonly ResponseItem[];
  readonly tools: readonly ToolSpec[];
  readonly parallelToolCalls: boolean;
  readonly effort: ReasoningEffort | null;
  readonly summary: ReasoningSummary;
  /** The default of the model family if absent. */
  readonly verbosity?: 'low' | 'medium' | 'high' | undefined;
  /** The JSON Schema that the last message must follow. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The tag of items of this provider (`foreignItems.ts`). */
  readonly origin?: string | undefined;
  /** The thread's id, by which servers group their cache. */
  readonly cacheKey: string;
}

/** The events of a response, the same for all wires. `key` identifies one output item within one response. */
export type ResponseEvent =
  | { readonly type: 'created' }
  /** The server refused a field or a tool type, which is left out from now on. To be shown. */
  | { readonly type: 'warning'; readonly message: string }
  /** Before the first item, where the server reports its limits. */
  | { readonly type: 'rate_limits'; readonly limits: RateLimits }
  /**
   * An item begins; all other events with its key follow. `name` is set for tool calls only, and may still be unknown
   * there.
   */
  | {
      readonly type: 'item_started';
      readonly key: string;
      readonly kind: 'message' | 'reasoning' | 'tool_call' | 'web_search';
      readonly name?: string | undefined;
    }
  /** The deltas of a message add up to its text, even if the server sent only the whole text. */
  | { readonly type: 'text_delta'; readonly key: string; readonly text: string }
  | { readonly type: 'reasoning_summary_delta'; readonly key: string; readonly text: string }
  | { readonly type: 'reasoning_section_break'; readonly key: string }
  | { readonly type: 'reasoning_raw_delta'; readonly key: string; readonly text: string }
  /** Arguments (JSON) or input (free text) of a tool call as the model writes them; for previews only. */
  | {
      readonly type: 'call_delta';
      readonly key: string;
      readonly name: string | undefined;
      readonly kind: 'arguments' | 'input';
      readonly text: string;
    }
  /**
   * The item is complete. A tool call may start now; it always has a call id, though perhaps one that was used before.
   * A call of a tool that was offered as `custom` is a `custom_tool_call`, whatever form the server sent.
   */
  | { readonly type: 'item_done'; readonly key: string; readonly item: ResponseItem }
  /** Always the last event, exactly once. A stream without it throws. */
  | {
      readonly type: 'completed';
      readonly usage: TokenUsage | null;
      /** False when the server requests to continue although no tool output is pending. */
      readonly endTurn: boolean;
    };

/** The failure of one attempt, classified so that callers need not parse messages. */
export class ModelFault extends Error {
  readonly kind: ErrorKind;
  /** True when the same request may succeed if it is sent again. */
  readonly retryable: boolean;
  /** The pause that the server requested. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** The original message of the server or the system. */
  readonly detail: string | undefined;
  readonly action: ErrorAction | undefined;
  /** The answer had begun and was cut for its length, which may be a limit on answers and not the window. */
  readonly answerCut: boolean;

  constructor(
    kind: ErrorKind,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      status?: number | undefined;
      detail?: string | undefined;
      action?: ErrorAction | undefined;
      answerCut?: boolean | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelFault';
    this.kind = kind;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.detail = options.detail;
    this.action = options.action;
    this.answerCut = options.answerCut ?? false;
  }

  /** The same fault with another detail, and without its cause, which contains the old one. */
  reworded(detail: string): ModelFault {
    const { kind, message, retryable, retryAfterMs, status, action, answerCut } = this;
    return new ModelFault(kind, message, { retryable, retryAfterMs, status, action, answerCut, detail });
  }
}

export interface ModelClient {
  /**
   * Makes one attempt. Never retries, except that fields which a 400 refuses by name are left out and the request is
   * sent again without them (design decision 2). Ends after `completed`, throws `ModelFault`, or throws the signal's
   * reason when `signal` aborts. Leaving the loop early closes the connection.
   */
  stream(prompt: Prompt, signal: AbortSignal): AsyncIterable<ResponseEvent>;
}
