/**
 * The one interface behind which every model stands. Each implementation passes the same conformance suite
 * (test/core/model/conformance.ts).
 */
import type { TokenUsage } from '../../protocol/event.ts';
import type { ReasoningEffort, ReasoningSummary } from '../../protocol/op.ts';
import type { ErrorAction, ErrorKind } from '../../protocol/policy.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ToolSpec } from '../../protocol/toolSpec.ts';

/** Everything one request says. Elements of `input` are never changed once they were sent: the prompt cache holds. */
export interface Prompt {
  readonly model: string;
  readonly instructions: string;
  readonly input: readonly ResponseItem[];
  readonly tools: readonly ToolSpec[];
  readonly parallelToolCalls: boolean;
  readonly effort: ReasoningEffort | null;
  readonly summary: ReasoningSummary;
  /** The model family's own default unless told. */
  readonly verbosity?: 'low' | 'medium' | 'high' | undefined;
  /** JSON Schema of the last message. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The thread's id: servers group their cache by it. */
  readonly cacheKey: string;
}

/** What a response is made of, whatever the wire. `key` names one output item within one response. */
export type ResponseEvent =
  | { readonly type: 'created' }
  /** The server refused a field or a tool type; from now on it is left out. To be shown. */
  | { readonly type: 'warning'; readonly message: string }
  /** An item begins; every other event with its key comes later. `name` is known for tool calls only, and there perhaps not yet. */
  | {
      readonly type: 'item_started';
      readonly key: string;
      readonly kind: 'message' | 'reasoning' | 'tool_call' | 'web_search';
      readonly name?: string | undefined;
    }
  /** The deltas of a message add up to its text, also where the server sent only the whole. */
  | { readonly type: 'text_delta'; readonly key: string; readonly text: string }
  | { readonly type: 'reasoning_summary_delta'; readonly key: string; readonly text: string }
  | { readonly type: 'reasoning_section_break'; readonly key: string }
  | { readonly type: 'reasoning_raw_delta'; readonly key: string; readonly text: string }
  /** Arguments (JSON) or input (free text) of a tool call as they are written; for previews only. */
  | {
      readonly type: 'call_delta';
      readonly key: string;
      readonly name: string | undefined;
      readonly kind: 'arguments' | 'input';
      readonly text: string;
    }
  /**
   * The item is whole. A tool call may start now; it always has a call id, though perhaps one that was used before.
   * A tool that was offered as `custom` is answered as `custom_tool_call`, whatever the server made of it.
   */
  | { readonly type: 'item_done'; readonly key: string; readonly item: ResponseItem }
  /** Always last, exactly once. A stream that ends without it has thrown. */
  | {
      readonly type: 'completed';
      readonly usage: TokenUsage | null;
      /** False when the server wants to go on although nothing is owed. */
      readonly endTurn: boolean;
    };

/** What went wrong with one attempt, sorted so that the caller can decide without reading prose. */
export class ModelFault extends Error {
  readonly kind: ErrorKind;
  /** True when the same request may well succeed if sent again. */
  readonly retryable: boolean;
  /** What the server asked us to wait. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** The server's or system's own words. */
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

  /** The same fault with another detail; without its cause, which has the old one. */
  reworded(detail: string): ModelFault {
    const { kind, message, retryable, retryAfterMs, status, action, answerCut } = this;
    return new ModelFault(kind, message, { retryable, retryAfterMs, status, action, answerCut, detail });
  }
}

export interface ModelClient {
  /**
   * One attempt; it never retries by itself, except that what a 400 refuses by name is left out and asked again without
   * (design decision 2). Ends after `completed`, throws `ModelFault`, or, when `signal` aborts,
   * throws the signal's reason. Leaving the loop early closes the connection.
   */
  stream(prompt: Prompt, signal: AbortSignal): AsyncIterable<ResponseEvent>;
}
