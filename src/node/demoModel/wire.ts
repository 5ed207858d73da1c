/** The interface between the server and a wire. */
import type { Answer, Conversation } from './conversation.ts';
import type { UsageEstimate } from './usage.ts';

export interface ParsedRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly conversation: Conversation;
  /** True when the client requests reasoning. */
  readonly reasoning: boolean;
  /** True when the client requests the usage. */
  readonly usage: boolean;
}

/** A request that cannot be understood; the message goes to the client with status 400. */
export class BadRequest extends Error {}

/** One server-sent event. `pause`: wait a little before it. */
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
