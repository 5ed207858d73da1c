/**
 * A scripted model, as a real HTTP server on loopback, on all wires:
 *
 *     const server = await ModelServer.start([[calls('shell', { command: ['ls'] })], [says('Done.')]]);
 *     … server.baseUrl …
 *     server.requests[1].input            // what the client sent the second time
 *     await server.close();               // fails the test if a request was malformed
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  comparedElements,
  INPUT_KEY,
  pairingBreaches,
  rawValue,
  type ModelRequest,
  type Wire,
} from './modelRequest.ts';
import type { Step } from './modelScript.ts';
import type { Imitation } from './imitation.ts';
import { messagesDocument, messagesError, messagesPieces } from './messagesWire.ts';
import { chatDocument, chatPieces, type NextId, responsesPieces, type Piece } from './modelWires.ts';

export * from './modelScript.ts';
export { pairingBreaches, prefixBreaches, sentPrefix, type ModelRequest, type Wire } from './modelRequest.ts';

/** One response: its steps, or a function that returns them for a request. */
export type Answer = readonly Step[] | ((request: ModelRequest) => readonly Step[] | Promise<readonly Step[]>);

/** Responses in the order of the requests, or one function for all of them. */
export type ModelScript = readonly Answer[] | ((request: ModelRequest, index: number) => readonly Step[]);

export interface ModelServerOptions {
  /** The only wire that the server supports; by default it supports all. */
  readonly wire?: Wire | undefined;
  /** The server of a provider to imitate: its other routes, its refusals, its form of chunks. */
  readonly imitates?: Imitation | undefined;
  /** If false, requests with unpaired calls are accepted. */
  readonly checks?: boolean;
  /**
   * If true, steps are sent in one write unless the script separates them by a wait. Then the end of a response always
   * arrives together with its calls, and not sometimes before and sometimes after their first events.
   */
  readonly atOnce?: boolean | undefined;
}

export class ModelServer {
  /** The requests in the order of their arrival. */
  readonly requests: ModelRequest[] = [];
  /** The requests that the imitated server has refused, with its responses. They use no response of the script. */
  readonly refused: { readonly request: ModelRequest; readonly status: number; readonly body: unknown }[] = [];
  /** Errors in requests, and requests for which the script has no response. `close` fails the test if there are any. */
  readonly breaches: string[] = [];
  readonly #script: ModelScript;
  readonly #options: ModelServerOptions;
  readonly #server: http.Server;
  #port = 0;
  readonly #arrivals: (() => void)[] = [];
  readonly #counters = new Map<string, number>();

  private constructor(script: ModelScript, options: ModelServerOptions) {
    this.#script = script;
    this.#options = options;
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.breaches.push(`the script failed: ${String(error)}`);
        response.destroy();
      });
    });
  }

  static async start(script: ModelScript, options: ModelServerOptions = {}): Promise<ModelServer> {
    const server = new ModelServer(script, options);
    await new Promise<void>((resolve) => {
      server.#server.listen(0, '127.0.0.1', resolve);
    });
    server.#port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  /** The address of the server. It is valid after `close`, too. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** The number of responses in the script that were not requested yet. */
  get unused(): number {
    return Array.isArray(this.#script) ? Math.max(0, this.#script.length - this.requests.length) : 0;
  }

  get lastRequest(): ModelRequest {
    const request = this.requests.at(-1);
    assert(request, 'no request has arrived');
    return request;
  }

  /** Resolves when this number of requests has arrived. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count) {
      await new Promise<void>((resolve) => {
        this.#arrivals.push(resolve);
      });
    }
  }

  /** Closes the server and every connection. Fails if a request was invalid. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
    assert.deepEqual(this.breaches, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  readonly #nextId = (prefix: string): string => {
    const count = (this.#counters.get(prefix) ?? 0) + 1;
    this.#counters.set(prefix, count);
    return `${prefix}_${count}`;
  };

  async #serve(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = incoming.url ?? '/';
    const wire = wireOf(url);
    const { imitates } = this.#options;
    const denied = imitates?.denies?.(incoming.headers);
    if (denied) return sendJson(response, denied.status, denied.body);
    const route = incoming.method === 'GET' ? imitates?.routes[new URL(url, 'http://localhost').pathname] : undefined;
    if (route !== undefined) return sendJson(response, 200, route);
    if (incoming.method !== 'POST' || wire === undefined || (this.#options.wire ?? wire) !== wire) {
      sendJson(response, 404, { error: { message: `nothing at ${url}` } });
      return;
    }
    const request = readRequest(wire, incoming, await textOf(incoming), response);
    const refusal = imitates?.refuses(request);
    if (refusal) {
      this.refused.push({ request, ...refusal });
      return sendJson(response, refusal.status, refusal.body);
    }
    const index = this.requests.push(request) - 1;
    for (const arrived of this.#arrivals.splice(0)) arrived();
    if (this.#options.checks !== false) {
      for (const breach of pairingBreaches(request)) this.breaches.push(`request ${index + 1}: ${breach}`);
    }
    const steps = await this.#stepsFor(request, index);
    if (steps === undefined) {
      this.breaches.push(`the script has no answer for request ${index + 1}`);
      sendJson(response, 400, { error: { message: 'The script is over.' } });
      return;
    }
    await this.#answer(request, steps, response);
  }

  async #stepsFor(request: ModelRequest, index: number): Promise<readonly Step[] | undefined> {
    if (typeof this.#script === 'function') return this.#script(request, index);
    const answer = this.#script[index];
    return typeof answer === 'function' ? await answer(request) : answer;
  }

  async #answer(request: ModelRequest, steps: readonly Step[], response: http.ServerResponse): Promise<void> {
    const failure = steps.find((step) => step.type === 'fails');
    if (failure) {
      const body = typeof failure.body === 'string' ? failure.body : ERRORS[request.wire](failure.status, failure.body);
      response.writeHead(failure.status, { 'content-type': 'application/json', ...failure.headers });
      response.end(body);
      return;
    }
    if (steps.some((step) => step.type === 'answersWhole')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end((request.wire === 'messages' ? messagesDocument : chatDocument)(steps, this.#nextId));
      return;
    }
    const pieces = PIECES[request.wire](steps, this.#nextId, this.#options.imitates, request);
    const limit = steps.find((step) => step.type === 'cutsAfter');
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    const played = limit ? cutAt(pieces, limit.bytes) : pieces;
    await play(this.#options.atOnce === true ? joined(played) : played, response, request.closed);
  }
}

type WritePieces = (
  steps: readonly Step[],
  nextId: NextId,
  imitates: Imitation | undefined,
  request?: ModelRequest,
) => readonly Piece[];

/** Returns the pieces of a response on each wire. Without a request, they contain all that a request may ask for. */
const PIECES: Readonly<Record<Wire, WritePieces>> = {
  responses: (steps, nextId, imitates, request) =>
    responsesPieces(steps, nextId, imitates?.responses, request && functionsOf(request)),
  chat: (steps, nextId, imitates, request) =>
    chatPieces(steps, nextId, request === undefined || asksForUsage(request), imitates?.chat),
  messages: messagesPieces,
};

/** Returns the names of the tools that were offered as functions on Responses. */
function functionsOf({ body }: ModelRequest): ReadonlySet<string> {
  const tools = (body['tools'] ?? []) as readonly ToolOnTheWire[];
  return new Set(tools.flatMap(({ type, name }) => (type === 'function' && name !== undefined ? [name] : [])));
}

/** Returns the text of a response as the server would send it, for tests that cut a recorded stream into pieces. */
export function recordStream(wire: Wire, steps: readonly Step[], imitates?: Imitation): string {
  const counters = new Map<string, number>();
  const nextId = (prefix: string) => {
    counters.set(prefix, (counters.get(prefix) ?? 0) + 1);
    return `${prefix}_${counters.get(prefix)}`;
  };
  const pieces = PIECES[wire](steps, nextId, imitates);
  return pieces.map((piece) => (piece.type === 'text' ? String(piece.text) : '')).join('');
}

/** Joins adjacent pieces of text into one. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.type === 'text' && last?.type === 'text')
      result[result.length - 1] = {
        type: 'text',
        text: Buffer.concat([Buffer.from(last.text), Buffer.from(piece.text)]),
      };
    else result.push(piece);
  }
  return result;
}

async function play(pieces: readonly Piece[], response: http.ServerResponse, closed: Promise<void>): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    switch (piece.type) {
      case 'text':
        await new Promise<void>((resolve) => {
          if (response.write(piece.text)) resolve();
          else
            void Promise.race([new Promise((drained) => response.once('drain', drained)), closed]).then(() =>
              resolve(),
            );
        });
        break;
      case 'wait':
        await Promise.race([typeof piece.for === 'number' ? sleep(piece.for) : piece.for, closed]);
        break;
      case 'cut':
        await flushed(response);
        response.socket?.destroy();
        return;
      case 'hang':
        await closed;
        return;
    }
  }
  response.end();
}

/**
 * Waits until the written bytes have left this process, so that a cut is exactly at the place that the script
 * specifies.
 */
async function flushed(response: http.ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const { socket } = response;
    if (!socket || socket.destroyed) resolve();
    else socket.write('', () => resolve());
  });
}

function cutAt(pieces: readonly Piece[], limit: number): readonly Piece[] {
  const kept: Piece[] = [];
  let left = limit;
  for (const piece of pieces) {
    if (piece.type !== 'text') {
      kept.push(piece);
      continue;
    }
    const bytes = Buffer.from(piece.text);
    if (bytes.length <= left) {
      kept.push(piece);
      left -= bytes.length;
      continue;
    }
    kept.push({ type: 'text', text: bytes.subarray(0, left) }, { type: 'cut' });
    return kept;
  }
  return [...kept, { type: 'cut' }];
}

function readRequest(
  wire: Wire,
  incoming: http.IncomingMessage,
  text: string,
  response: http.ServerResponse,
): ModelRequest {
  const body = JSON.parse(text) as Record<string, unknown>;
  const key = INPUT_KEY[wire];
  const tools = (body['tools'] ?? []) as readonly ToolOnTheWire[];
  return {
    wire,
    url: incoming.url ?? '/',
    headers: incoming.headers,
    text,
    body,
    input: (body[key] ?? []) as ModelRequest['input'],
    elements: comparedElements(wire, rawValue(text, key)),
    tools: rawValue(text, 'tools'),
    toolNames: tools.map((tool) => tool.name ?? tool.function?.name ?? tool.type),
    remotePort: incoming.socket.remotePort,
    at: performance.now(),
    closed: new Promise((resolve) => {
      response.once('close', () => resolve());
    }),
  };
}

interface ToolOnTheWire {
  readonly type: string;
  readonly name?: string;
  readonly function?: { readonly name: string };
}

function wireOf(url: string): Wire | undefined {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname.endsWith('/responses')) return 'responses';
  if (pathname.endsWith('/messages')) return 'messages';
  return pathname.endsWith('/chat/completions') ? 'chat' : undefined;
}

function asksForUsage({ body }: ModelRequest): boolean {
  return (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true;
}

function errorBody(status: number, body: unknown): string {
  const given = body as Record<string, unknown>;
  if ('error' in given) return JSON.stringify(given);
  return JSON.stringify({ error: { message: `HTTP ${status}`, type: null, param: null, code: null, ...given } });
}

const ERRORS: Readonly<Record<Wire, (status: number, body: unknown) => string>> = {
  responses: errorBody,
  chat: errorBody,
  messages: messagesError,
};

function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function textOf(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
