/**
 * The demo model as a server: real HTTP on loopback, so that everything between Tiller and a model is tested as it is.
 * It keeps no state between requests; every answer is computed from the request alone.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decide } from './brain/decide.ts';
import { chatWire } from './chatWire.ts';
import { messagesWire } from './messagesWire.ts';
import { createPacer } from './pace.ts';
import { responsesWire } from './responsesWire.ts';
import { estimateUsage } from './usage.ts';
import { BadRequest, type ParsedRequest, type Wire } from './wire.ts';

export const DEMO_MODEL = 'demo';

export interface DemoModelOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The sum of the pauses within one response; 0: none. */
  readonly paceMs?: number;
}

export interface DemoModel {
  /** Ends in `/v1`, without a slash. */
  readonly baseUrl: string;
  readonly model: typeof DEMO_MODEL;
  /** Ends open responses and frees the port. May be called twice. */
  close(): Promise<void>;
}

const DEFAULT_PACE_MS = 50;
const WIRES: readonly Wire[] = [responsesWire, chatWire, messagesWire];

/** Rejects when the port is taken. */
export async function startDemoModel({ port, paceMs = DEFAULT_PACE_MS }: DemoModelOptions): Promise<DemoModel> {
  const server = createServer((request, response) => {
    answer(request, response, paceMs).catch((error: unknown) => fail(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${actualPort}/v1`,
    model: DEMO_MODEL,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, paceMs: number): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/\/$/, '');
  if (request.method === 'GET' && path === '/v1/models') {
    const model = { id: DEMO_MODEL, object: 'model', created: 0, owned_by: 'tiller' };
    return sendJson(response, 200, { object: 'list', data: [model] });
  }
  const wire = WIRES.find((each) => each.path === path);
  if (request.method !== 'POST' || wire === undefined) {
    return sendError(response, 404, 'not_found', `Nothing answers ${request.method} ${path} here.`);
  }
  const body = await readBody(request);
  const parsed = wire.parse(parseJson(body));
  if (parsed.model !== DEMO_MODEL) {
    return sendError(response, 404, 'model_not_found', `The only model here is "${DEMO_MODEL}".`);
  }
  if (!parsed.stream) throw new BadRequest('This server only streams: set "stream" to true.');
  await stream(wire, parsed, body.byteLength, response, paceMs);
}

/** Stops without an error when the client has disconnected. */
async function stream(
  wire: Wire,
  request: ParsedRequest,
  requestBytes: number,
  response: ServerResponse,
  paceMs: number,
): Promise<void> {
  const answer = decide(request.conversation);
  const events = [...wire.events(answer, request, estimateUsage(requestBytes, answer))];
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const pause = createPacer(events.filter((event) => event.pause).length, paceMs, gone.signal);

  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  for (const event of events) {
    if (event.pause) await pause();
    response.write(`${event.event === undefined ? '' : `event: ${event.event}\n`}data: ${event.data}\n\n`);
  }
  response.end();
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new BadRequest('The body is not JSON.');
  }
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) response.destroy();
  else if (error instanceof BadRequest) sendError(response, 400, 'invalid_request_error', error.message);
  else sendError(response, 500, 'server_error', String(error));
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, {
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code },
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
