import http from 'node:http';
import https from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { errorCode } from '../../../core/util/fileErrors.ts';
import { ProxyFailure } from './proxyFailure.ts';

type Asked = Pick<https.RequestOptions, 'method'> & { readonly headers: Readonly<Record<string, string>> };

/** The connection of a request: a new one, or one that is kept from an earlier request where there is one. */
export type Connection = 'new' | 'kept';

/** Requests through one proxy: plain HTTP is sent to it, for HTTPS it opens a tunnel that it cannot look into. */
export class ProxyRoute {
  readonly #proxy: URL;
  readonly #plain: http.Agent;
  readonly #tunnels: TunnelAgent;

  constructor(proxy: URL) {
    this.#proxy = proxy;
    this.#plain = new (moduleFor(proxy).Agent)({ keepAlive: true });
    this.#tunnels = new TunnelAgent(proxy, { keepAlive: true });
  }

  request(url: URL, asked: Asked, connection: Connection): http.ClientRequest {
    if (url.protocol === 'https:') {
      return https.request(url, {
        ...asked,
        agent: connection === 'new' ? new TunnelAgent(this.#proxy) : this.#tunnels,
      });
    }
    return moduleFor(this.#proxy).request({
      ...placeOf(this.#proxy),
      ...asked,
      path: url.href,
      headers: { ...asked.headers, host: url.host, ...authorizationOf(this.#proxy) },
      agent: connection === 'new' ? false : this.#plain,
    });
  }

  /** Turns a connection error into one that names the proxy. */
  describe(error: NodeJS.ErrnoException): Error {
    return error.syscall === 'connect' || error.syscall === 'getaddrinfo' ? unreachable(this.#proxy, error) : error;
  }
}

/** Maximum time for the proxy to open a tunnel. */
const TUNNEL_WITHIN_MS = 30_000;

class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: https.AgentOptions = {}) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: https.RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const host = String(options.host);
    const target = `${isIPv6(host) ? `[${host}]` : host}:${options.port}`;
    openTunnel(this.#proxy, target, (failure, socket) => {
      if (socket === undefined) callback(failure, new Duplex());
      else callback(null, super.createConnection({ ...options, socket } as https.RequestOptions) ?? socket);
    });
    return undefined;
  }
}

/**
 * Asks a proxy for a connection to `target`, which is `host:port`. `done` is called once. The request that is returned
 * can be destroyed until then.
 */
export function openTunnel(
  proxy: URL,
  target: string,
  done: (failure: ProxyFailure | null, socket?: Socket) => void,
): http.ClientRequest {
  const connect = moduleFor(proxy).request({
    ...placeOf(proxy),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...authorizationOf(proxy) },
    agent: false,
    timeout: TUNNEL_WITHIN_MS,
  });
  connect.once('connect', (response, socket, head) => {
    if (response.statusCode === 200) {
      socket.setTimeout(0);
      // A server that speaks first may have answered already.
      if (head.length > 0) socket.unshift(head);
      done(null, socket);
      return;
    }
    socket.destroy();
    const message = `CONNECT response ${response.statusCode} from the proxy ${proxy.host}`;
    done(new ProxyFailure(message, 'ERR_PROXY_TUNNEL'));
  });
  connect.once('timeout', () => connect.destroy(new Error('it did not answer')));
  connect.once('error', (error) => done(unreachable(proxy, error)));
  connect.end();
  return connect;
}

function unreachable(proxy: URL, error: Error): ProxyFailure {
  const message = `The proxy ${proxy.host} cannot be reached: ${error.message}`;
  return new ProxyFailure(message, errorCode(error) ?? 'ERR_PROXY_TUNNEL');
}

function moduleFor(proxy: URL): typeof http | typeof https {
  return proxy.protocol === 'https:' ? https : http;
}

function placeOf(proxy: URL): { host: string; port: string | undefined } {
  return { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port || undefined };
}

/** Returns the header for the proxy alone: it is not forwarded within a tunnel. */
function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A part with a percent sign that begins no escape is taken as it is written, as its redaction does (providerSecrets.ts). */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
