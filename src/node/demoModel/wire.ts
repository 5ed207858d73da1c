/** What the server needs to know of a wire. */
import type { Answer, Conversation } from './conversation.ts';
import type { UsageEstimate } from './usage.ts';

export interface ParsedRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly conversation: Conversation;
  /** True when the client wants to be told what the model thinks. */
  readonly reasoning: boolean;
  /** True when the client wants to be told the usage. */
  readonly usage: boolean;
}

/** A request that cannot be understood; the message goes to the client with status 400. */
export class BadRequest extends Error {}

/** One server-sent event. `pause` asks for a little time before it. */
export interface WireEvent {
  /** Absent on wires whose events have no names. */
  readonly event?: string;
  readonly data: string;
  readonly pause?: boolean;
}

export interface Wire {
  readonly path: string;
  /** Throws `BadRequest`. */
  parse(body: unknown): ParsedRequest;
  /** The whole answer as events, in order; nothing comes after the last. */
  events(answer: Answer, request: ParsedRequest, usage: UsageEstimate): Iterable<WireEvent>;
}
