import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type RequestId = string | number;

/** JSON-RPC: an error of the server that has no code of its own. */
const SERVER_ERROR = -32_000;

/**
 * Fails each request over HTTP whose stream has ended without its answer and cannot be resumed; the SDK would wait until the
 * time-out. Call when the client is connected.
 */
export function failCutRequests(transport: StreamableHTTPClientTransport): void {
  const waiting = new Set<RequestId>();
  const deliver = transport.onmessage;
  const send = transport.send.bind(transport);
  const receive: typeof deliver = (message, ...more) => {
    if (!('method' in message) && message.id !== undefined) waiting.delete(message.id);
    deliver?.call(transport, message, ...more);
  };
  const sendWatched: typeof send = async (message, options) => {
    // A request that handles the end of its stream itself is a subscription.
    if (Array.isArray(message) || !('method' in message && 'id' in message) || options?.onRequestStreamEnd) {
      return send(message, options);
    }
    const { id } = message;
    waiting.add(id);
    const onRequestStreamEnd = () => {
      if (!waiting.has(id)) return;
      const error = { code: SERVER_ERROR, message: 'It closed the connection before it had answered.' };
      transport.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      waiting.delete(id);
      throw error;
    }
  };
  Object.assign(transport, { onmessage: receive, send: sendWatched });
}
