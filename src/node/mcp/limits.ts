import { MAX_TIMER_MS } from '../../protocol/mcp.ts';

/** For the SDK's own time-out, in milliseconds: the limits are those of `McpServer` and of the call. */
export const NO_TIMEOUT = MAX_TIMER_MS;

/** Bytes of one message of a server: a larger one ends the connection. JSON of this size takes half a second to read. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Messages that Tiller did not ask for, in one period of time: more of them end the connection. */
export const MAX_UNASKED = { messages: 5_000, withinMs: 5_000 } as const;
