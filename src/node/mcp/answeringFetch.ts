import { McpFault } from '../../core/mcp/connection.ts';

/** The status codes of a response without a message. */
const NO_MESSAGE: ReadonlySet<number> = new Set([202, 204]);

/**
 * The fetch, which fails a request of JSON-RPC that the server has only accepted. The protocol allows that for notifications
 * and responses alone (2025-11-25, "Sending Messages to the Server"); the SDK would wait for the answer until the time-out.
 */
export function answeringFetch(send: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (NO_MESSAGE.has(response.status) && isRequest(init?.body))
      throw new McpFault('protocol', `It answered the request with HTTP ${response.status} and no message.`);
    return response;
  };
}

function isRequest(body: unknown): boolean {
  if (typeof body !== 'string') return false;
  try {
    const message: unknown = JSON.parse(body);
    return typeof message === 'object' && message !== null && 'method' in message && 'id' in message;
  } catch {
    return false;
  }
}
