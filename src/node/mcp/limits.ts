/** Bytes of one message of a server: a larger one ends the connection. JSON of this size takes half a second to read. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Messages that Tiller did not ask for, in one period of time: more of them end the connection. */
export const MAX_UNASKED = { messages: 5_000, withinMs: 5_000 } as const;
