/**
 * The Fetch port on `node:http`. The global `fetch` gives up after 300 s of silence, in VS Code without a way to change
 * that, and a local model may well take longer; `node:http` has no such timers, and VS Code routes it through the
 * user's proxy as well (docs/reference/libraries.md §4.1).
 *
 * Redirects are not followed: a key is sent to the origin it was entered for and to no other. Compression is not
 * requested, so that every event of a stream arrives when it is sent; a response that is compressed anyway is
 * decompressed.
 */
import http from 'node:http';
import https from 'node:https';
import type { Fetch, FetchInit, FetchResponse } from '../../core/ports.ts';
import { onAbort } from '../../core/util/abort.ts';
import { errorCode } from '../../core/util/fileErrors.ts';
import { HeaderList } from '../../core/util/headerList.ts';
import { type Connection, ProxyRoute } from './proxy/proxyRoute.ts';
import { bodyOf, decoded } from './responseBody.ts';

interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

interface NodeFetchOptions {
  /** `undefined`: no proxy is set up by Tiller. Called for each request. */
  readonly proxyFor?: ((url: URL) => URL | undefined) | undefined;
  /** Called when the system has taken a whole request: what follows is the wait for the answer. */
  readonly onSent?: (() => void) | undefined;
}

/**
 * Connections are kept alive for the next request, by the global agent of the process: under
 * `"http.proxySupport": "on"` VS Code applies the user's proxy only to requests without an agent of their own. Errors
 * of the system pass through.
 */
export function createNodeFetch({ proxyFor, onSent }: NodeFetchOptions = {}): Fetch {
  const routes = new Map<string, ProxyRoute>();
  const routeTo = (url: URL) => {
    const proxy = proxyFor?.(url);
    if (proxy === undefined) return undefined;
    const route = routes.get(proxy.href) ?? new ProxyRoute(proxy);
    routes.set(proxy.href, route);
    return route;
  };
  /** Origins that closed a kept connection: others may be closed too, so the next request uses a new one. */
  const hungUp = new Set<string>();
  return async (address, init = {}) => {
    const outgoing = outgoingOf(address, init);
    outgoing.signal?.throwIfAborted();
    const { url } = outgoing;
    try {
      return await send(outgoing, {
        route: routeTo(url),
        connection: hungUp.delete(url.origin) ? 'new' : 'kept',
        onSent,
      });
    } catch (error) {
      if (error instanceof HungUp) hungUp.add(url.origin);
      throw error;
    }
  };
}

/**
 * A connection that had been used before was closed without an answer. It is unknown whether the server had closed it
 * earlier, or failed while it handled the request; so the request is not repeated here, where no attempt is counted or
 * shown.
 */
class HungUp extends Error {
  readonly code = 'ECONNRESET';
}

function isHangUp(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
}

interface Sending {
  readonly route: ProxyRoute | undefined;
  /** Requires a new connection. */
  readonly connection: Connection;
  readonly onSent: (() => void) | undefined;
}

function send(outgoing: Outgoing, { route, connection, onSent }: Sending): Promise<FetchResponse> {
  const { method, body, signal } = outgoing;
  return new Promise((resolve, reject) => {
    const request = open(outgoing, route, connection);
    let streaming: http.IncomingMessage | undefined;
    if (onSent !== undefined) request.once('finish', onSent);
    request.once('response', (incoming) => {
      streaming = incoming;
      incoming.on('error', () => {});
      try {
        resolve(toResponse(incoming, method));
      } catch (error) {
        // An exception thrown in this callback would be uncaught.
        reject(unusable(`HTTP ${incoming.statusCode}`, error));
        incoming.destroy();
      }
    });
    // Upgrades are never requested; without this listener the request would wait without end.
    request.once('upgrade', (incoming, socket) => {
      socket.destroy();
      reject(unusable(`HTTP ${incoming.statusCode}, another protocol`));
    });
    request.on('error', (error) => {
      if (signal?.aborted) reject(signal.reason);
      else if (request.reusedSocket && isHangUp(error)) reject(new HungUp(error.message));
      else reject(route?.describe(error) ?? error);
    });
    const abort = () => {
      // A request that still waits for its tunnel would not emit an error by itself.
      reject(asError(signal?.reason));
      (streaming ?? request).destroy(asError(signal?.reason));
    };
    request.once('close', signal === undefined ? () => {} : onAbort(signal, abort));
    request.end(body);
  });
}

function open({ url, method, headers }: Outgoing, route: ProxyRoute | undefined, connection: Connection) {
  if (route) return route.request(url, { method, headers }, connection);
  const agent = connection === 'new' ? false : undefined;
  return (url.protocol === 'https:' ? https : http).request(url, { method, headers, agent });
}

function outgoingOf(address: string | URL, { method = 'GET', headers, body, signal }: FetchInit): Outgoing {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : (body ?? undefined);
  const length = bytes && { 'content-length': String(bytes.length) };
  return {
    url: new URL(address),
    method,
    headers: { ...headers, ...length },
    body: bytes,
    signal: signal ?? undefined,
  };
}

/** A response that is valid HTTP but of no use. */
function unusable(words: string, cause?: unknown): Error {
  return Object.assign(new Error(`The server answered with ${words}.`, { cause }), { code: 'ERR_UNUSABLE_ANSWER' });
}

/** @throws RangeError for a status that HTTP does not define */
function toResponse(incoming: http.IncomingMessage, method: string): FetchResponse {
  const headers = new HeaderList();
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  const encoding = headers.get('content-encoding');
  headers.delete('content-encoding');
  const status = incoming.statusCode ?? 0;
  if (status < 200 || status > 599) throw new RangeError(`There is no status ${status}.`);
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304;
  if (!hasBody) incoming.resume();
  const body = hasBody ? bodyOf(decoded(incoming, encoding)) : null;
  return { status, ok: status < 300, headers, body };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('The request was aborted.', 'AbortError');
}
