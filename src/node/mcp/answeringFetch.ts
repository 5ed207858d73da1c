import { McpFault } from '../../core/mcp/connection.ts';

/** The status codes of a response without a message. */
const NO_MESSAGE: ReadonlySet<number> = new Set([202, 204]);

type Message = Readonly<Record<string, unknown>>;

/**
 * The fetch, which fails a request of JSON-RPC that the server has only accepted, or whose answer in JSON has no
 * response to it. The protocol allows the first for notifications and responses alone, and the second never
 * (2025-11-25, "Sending Messages to the Server"); the SDK would wait for the response until the time-out.
 */
export function answeringFetch(send: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const id = requestId(init?.body);
    if (id === undefined || !response.ok) return response;
    const { status, headers } = response;
    if (NO_MESSAGE.has(status))
      throw new McpFault('protocol', `It answered the request with HTTP ${status} and no message.`);
    if (!isJson(headers.get('content-type'))) return response;
    const text = await response.text();
    const fault = faultIn(text, id);
    if (fault !== undefined) throw new McpFault('protocol', fault);
    return new Response(text, { status, headers });
  };
}

/** Returns the id of the request that the body is; `undefined` for any other body. */
function requestId(body: unknown): unknown {
  const message = typeof body === 'string' ? parsed(body) : undefined;
  return isMessage(message) && 'method' in message ? message['id'] : undefined;
}

function isJson(contentType: string | null): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** Returns why the answer has no response to the request. The SDK itself refuses a text that is not JSON. */
function faultIn(text: string, id: unknown): string | undefined {
  const answer = parsed(text);
  if (answer === undefined) return undefined;
  const messages = (Array.isArray(answer) ? answer : [answer]).filter(isMessage);
  if (messages.some((message) => !('method' in message) && String(message['id']) === String(id))) return undefined;
  // JSON-RPC: the server could not read which request it was.
  const error = messages.map((message) => message['error']).find(isMessage)?.['message'];
  return typeof error === 'string' ? `It failed: ${error}` : 'Its answer has no response to the request.';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null;
}
