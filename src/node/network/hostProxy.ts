/**
 * The proxy through which a command in the sandbox reaches the hosts that it may (docs/decisions/0081). It understands
 * CONNECT and plain HTTP, and decides on the name and port that the client asks for. It looks up names itself and
 * connects to the addresses that were checked, so that a name that changes its address (DNS rebinding) leads nowhere
 * else. It does not look into a tunnel.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { isIP, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { HostLimits, HostReport } from '../../core/ports.ts';
import { mayBePrivate, mayReach } from '../../core/policy/hosts.ts';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';
import { canonicalHost, formatHost, type HostAndPort, parseHostAndPort } from '../../protocol/hostPattern.ts';
import { type Address, pinned, type Resolve, resolveAll } from './addresses.ts';
import { isPrivateAddress, isPrivateName } from './privateAddresses.ts';
import { openTunnel, ProxyRoute } from './proxy/proxyRoute.ts';

export interface HostProxyOptions {
  /** The proxy that leads out of this machine, for a URL; `undefined`: none. @throws ProxyFailure */
  readonly proxyFor?: ((url: URL) => URL | undefined) | undefined;
  readonly resolve?: Resolve | undefined;
  /** A connection on which nothing is sent for so long is closed. */
  readonly idleMs?: number;
}

const HEADER_BYTES = 16 * 1024;
const CONNECTS_WITHIN_MS = 30_000;
const IDLE_MS = 10 * 60_000;
/** Connections of the command, each counted twice while it is a tunnel. */
const MOST_CONNECTIONS = 256;
/** Requests on one connection that are sent before the first of them is answered. apt sends ten. */
const MOST_PIPELINED = 32;
/** Hosts that are named in the report. */
const MOST_REPORTED = 50;
/** Headers between client and proxy (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A request that is not passed on. The message is one line for the program and its user. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The proxy of one command. It listens nowhere itself: `take` gets its connections. */
export class HostProxy {
  readonly #limits: HostLimits;
  readonly #proxyFor: NonNullable<HostProxyOptions['proxyFor']>;
  readonly #resolve: Resolve;
  readonly #idleMs: number;
  readonly #server: http.Server;
  readonly #sockets = new Set<Duplex>();
  /** Requests of a connection that are not answered, and the end of the last one. */
  readonly #unanswered = new WeakMap<Duplex, { count: number; last: Promise<void> }>();
  readonly #refused = new Set<string>();
  readonly #misleading = new Set<string>();
  #isClosed = false;

  constructor(
    limits: HostLimits,
    { proxyFor = () => undefined, resolve = resolveAll, idleMs = IDLE_MS }: HostProxyOptions = {},
  ) {
    this.#limits = limits;
    this.#proxyFor = proxyFor;
    this.#resolve = resolve;
    this.#idleMs = idleMs;
    this.#server = http.createServer({ maxHeaderSize: HEADER_BYTES, keepAliveTimeout: idleMs });
    this.#server.timeout = idleMs;
    this.#server.on('request', (request, response) => this.#enqueue(request, response));
    this.#server.on('connect', (request, client, head) => void this.#tunnel(request, client as Socket, head));
    this.#server.on('clientError', (_error, client) => client.destroy());
  }

  get report(): HostReport {
    return { refused: [...this.#refused], misleading: [...this.#misleading] };
  }

  /** Serves a connection of the command. */
  take(client: Socket): void {
    if (this.#isClosed || this.#sockets.size >= MOST_CONNECTIONS) return void client.destroy();
    this.#follow(client);
    this.#server.emit('connection', client);
  }

  /** Ends all connections; later ones are closed at once. */
  close(): void {
    this.#isClosed = true;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #follow(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    socket.setTimeout(this.#idleMs, () => socket.destroy());
    if (this.#isClosed) socket.destroy();
  }

  /** Forwards the requests of a connection one after the other, so that it never leads to more than one other. */
  #enqueue(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const unanswered = this.#unanswered.get(socket) ?? { count: 0, last: Promise.resolve() };
    this.#unanswered.set(socket, unanswered);
    if (unanswered.count === MOST_PIPELINED) return void socket.destroy();
    unanswered.count += 1;
    unanswered.last = unanswered.last.then(async () => {
      await this.#forward(request, response);
      unanswered.count -= 1;
    });
  }

  async #tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on('error', () => {});
    if ((this.#unanswered.get(client)?.count ?? 0) > 0) return void client.destroy();
    try {
      const target = parseHostAndPort(request.url ?? '');
      if (target === undefined) throw new Refusal(400, 'CONNECT needs a host and a port.');
      const server = await this.#connect(target, client);
      client.setTimeout(this.#idleMs, () => client.destroy());
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) server.write(head);
      // Each direction ends by itself. What the server has sent before it closed is delivered.
      client.pipe(server);
      server.pipe(client);
      server.once('close', () => client.destroySoon());
    } catch (error) {
      const { status, message } = refusalOf(error, request.url ?? '');
      const text = `${message}\n`;
      client.end(
        `HTTP/1.1 ${status} ${message}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
      );
    }
  }

  /** The connection of a tunnel, to an address that was checked. Ends with `client`. */
  async #connect(target: HostAndPort, client: Socket): Promise<Socket> {
    const proxy = this.#proxyOf(new URL(`https://${formatHost(target)}/`));
    const addresses = await this.#addressesOf(target, proxy !== undefined);
    if (client.destroyed) throw new Refusal(499, 'The client is gone.');
    return new Promise<Socket>((resolve, reject) => {
      const late = setTimeout(() => pending.destroy(new Error('it did not answer')), CONNECTS_WITHIN_MS);
      const gone = () => pending.destroy(new Error('the client is gone'));
      client.once('close', gone);
      const settle = (error: Error | null, socket?: Socket) => {
        clearTimeout(late);
        client.off('close', gone);
        if (socket === undefined) return reject(error ?? new Error('no connection'));
        this.#follow(socket);
        client.once('close', () => socket.destroy());
        resolve(socket);
      };
      let pending: { destroy(error: Error): unknown };
      if (proxy !== undefined) {
        pending = openTunnel(proxy, formatHost(target), settle);
        return;
      }
      const { host, port } = target;
      const socket = net.connect({ host: bare(host), port, lookup: pinned(bare(host), addresses ?? []) });
      pending = socket;
      socket.once('connect', () => settle(null, socket));
      socket.once('error', (error) => settle(error));
    });
  }

  /** Resolves when the answer has been sent, or the client is gone. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = request.socket;
    // Closed by the client, or after a refusal.
    if (!client.writable) return;
    const sent = new Promise<void>((resolve) => void response.once('close', resolve));
    const written = request.url ?? '';
    try {
      const url = URL.canParse(written) ? new URL(written) : undefined;
      const host = url?.protocol === 'http:' ? canonicalHost(url.hostname) : undefined;
      if (url === undefined || host === undefined) {
        throw new Refusal(400, 'This is a proxy: it takes CONNECT and requests for http:// addresses.');
      }
      const target = { host, port: Number(url.port || 80) };
      const proxy = this.#proxyOf(url);
      const addresses = await this.#addressesOf(target, proxy !== undefined);
      if (!client.writable) return;
      // The host of the address counts, whatever the client sends as `Host`.
      const headers = { ...passedOn(request.headers), host: url.host };
      const asked = { method: request.method, headers };
      const outgoing = proxy
        ? new ProxyRoute(proxy).request(withoutUser(url), asked, 'new')
        : http.request({
            ...asked,
            host: bare(host),
            port: target.port,
            path: `${url.pathname}${url.search}`,
            agent: false,
            lookup: pinned(bare(host), addresses ?? []),
          });
      outgoing.setTimeout(this.#idleMs, () => outgoing.destroy(new Error('it did not answer')));
      await exchange(request, response, outgoing);
    } catch (error) {
      const { status, message } = refusalOf(error, written);
      if (response.headersSent) return void response.destroy();
      response.writeHead(status, message, { 'content-type': 'text/plain', connection: 'close' });
      response.end(`${message}\n`);
      await sent;
    }
  }

  #proxyOf(url: URL): URL | undefined {
    return this.#proxyFor(url);
  }

  /**
   * The addresses that may be connected to; `undefined` where another proxy resolves a name that is not known here.
   * @throws Refusal
   */
  async #addressesOf(target: HostAndPort, hasProxy: boolean): Promise<readonly Address[] | undefined> {
    const name = formatHost(target);
    if (!mayReach(this.#limits, target)) {
      note(this.#refused, name);
      throw new Refusal(403, `The sandbox of Tiller does not let this command reach ${name}.`);
    }
    const literal = bare(target.host);
    let found: readonly Address[];
    try {
      found = isIP(literal) === 0 ? await this.#resolve(literal) : [{ address: literal, family: isIP(literal) }];
    } catch (error) {
      if (hasProxy) return undefined;
      throw error;
    }
    const isPrivate = isPrivateName(target.host);
    const fits = ({ address }: Address) =>
      !isPrivateAddress(address) || mayBePrivate(this.#limits, target, canonicalAddress(address), isPrivate);
    const refused = found.find((address) => !fits(address));
    if (refused === undefined) return found;
    const address = canonicalAddress(refused.address);
    note(this.#misleading, `${name} (${address})`);
    throw new Refusal(403, `${name} leads to ${address}, an address on this machine or in a private network.`);
  }
}

/** Resolves when the answer has been passed on, or the client is gone. */
function exchange(request: IncomingMessage, response: ServerResponse, outgoing: http.ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('close', () => {
      outgoing.destroy();
      resolve();
    });
    outgoing.once('error', reject);
    outgoing.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('it answered with another protocol'));
    });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, rawPassedOn(answer.rawHeaders));
      pipeline(answer, response, () => {});
    });
    // The answer may come before the end of the request.
    pipeline(request, outgoing, () => {});
  });
}

function refusalOf(error: unknown, asked: string): Refusal {
  if (error instanceof Refusal) return error;
  const what = URL.canParse(asked) && asked.startsWith('http:') ? new URL(asked).host : asked;
  const cause = errorCode(error) ?? messageOf(error);
  return new Refusal(
    502,
    `${what.replaceAll(/[^\w.:[\]-]/g, '').slice(0, 300)} could not be reached (${cause.replaceAll(/[^ -~]/g, ' ')}).`,
  );
}

/**
 * The headers for the server. They say where the body ends, also for a method that usually has none: a body without a
 * length would be read as a second request, for which nothing was decided.
 * @throws Refusal
 */
function passedOn(headers: http.IncomingHttpHeaders): Record<string, string> {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/));
  named.delete('content-length');
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name));
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding !== undefined && coding !== 'chunked') throw new Refusal(501, 'This proxy knows no coding but chunked.');
  return {
    ...Object.fromEntries(kept.map(([name, value = '']) => [name, Array.isArray(value) ? value.join(', ') : value])),
    ...(coding === undefined ? {} : { 'transfer-encoding': coding }),
  };
}

/** Names and values, one after the other; headers that come several times stay apart. */
function rawPassedOn(raw: readonly string[]): string[] {
  return raw.flatMap((name, index) =>
    index % 2 === 1 || HOP_BY_HOP.has(name.toLowerCase()) ? [] : [name, raw[index + 1] ?? ''],
  );
}

function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/** Returns an address as `patternsCovering` writes it. */
function canonicalAddress(address: string): string {
  return canonicalHost(isIP(address) === 6 ? `[${address}]` : address) ?? address;
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

function note(names: Set<string>, name: string): void {
  if (names.size < MOST_REPORTED) names.add(name);
}
