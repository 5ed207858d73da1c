/** The contract of every `ModelClient`, on every wire. A new client is complete when it passes (design §6). */
import assert from 'node:assert/strict';
import { afterEach, describe, expect, test } from 'vitest';
import type { ModelPorts, ProviderConfig } from '../../../src/core/model/provider.ts';
import type { ModelClient, Prompt, ResponseEvent } from '../../../src/core/model/client.ts';
import { joinDeltas } from '../../../src/core/model/joinDeltas.ts';
import { systemClock } from '../../../src/node/host/clock.ts';
import {
  calls,
  callsCustom,
  closesCleanly,
  cuts,
  cutsAfter,
  failsInStream,
  fails,
  hangs,
  malformed,
  ModelServer,
  raw,
  reasons,
  recordStream,
  says,
  usage,
  waits,
  type ModelScript,
  type Step,
  type Wire,
} from '../../support/modelServer.ts';
import { END_MARKS } from './endMarks.ts';
import {
  clientFor,
  clientReading,
  collectResponse as collect,
  neverAborted,
  PATCH_TOOL,
  prompt as promptOf,
  textIn,
} from './harness.ts';
import type { Imitation } from '../../support/imitation.ts';
import { randomOf } from '../../support/random.ts';
import { isFullRun, placesBelow } from '../../support/rounds.ts';

/** Tests a client; with an imitation against its server, with shorter slow parts except in a full run. */
export function conformance(wire: Wire, imitates?: Imitation): void {
  const provider = { wireApi: wire, ...imitates?.provider };
  const prompt = (more: Partial<Prompt> = {}) => promptOf({ ...(imitates && { model: imitates.model }), ...more });
  const collectResponse = (client: ModelClient, said = prompt(), signal = neverAborted) =>
    collect(client, said, signal);
  const record = (steps: readonly Step[]) => recordStream(wire, steps, imitates);
  const isShort = imitates !== undefined && !isFullRun();
  // The decoder of events is the same on all wires: a few places are enough on the third, except in a full run.
  const isThird = wire === 'messages' && !isFullRun();
  const cutStep = imitates || isThird ? 40 : 4;
  const socketStep = isShort || isThird ? 185 : 37;
  const deltas = isShort || isThird ? 2000 : 20_000;

  describe(`a ModelClient on ${wire}${imitates ? ` of ${imitates.name}` : ''}`, () => {
    const open: ModelServer[] = [];
    afterEach(async () => {
      await Promise.all(open.splice(0).map((server) => server.close()));
    });

    async function start(script: ModelScript): Promise<ModelServer> {
      const server = await ModelServer.start(script, { wire, imitates });
      open.push(server);
      return server;
    }

    async function talkTo(
      script: ModelScript,
      more: Partial<ProviderConfig> = {},
      ports: Partial<ModelPorts> = {},
    ): Promise<ModelClient> {
      const server = await start(script);
      return clientFor({ baseUrl: server.baseUrl, ...provider, ...more }, ports);
    }

    test('text arrives in deltas and then complete', async () => {
      const { events, items, completed } = await collectResponse(await talkTo([[says('Hello there', { deltas: 4 })]]));
      expect(textIn(events)).toBe('Hello there');
      expect(items).toMatchObject([{ type: 'message', role: 'assistant', content: [{ text: 'Hello there' }] }]);
      expect(completed).toEqual({
        type: 'completed',
        usage: { input: 100, cachedInput: 0, output: 10, reasoning: 0, total: 110 },
        endTurn: true,
      });
    });

    test('the deltas of one read are one event, those of several reads several', async () => {
      const stream = record([says('Hello there', { deltas: 4 })]);
      const events = stream.split(/(?<=\n\n)/).map((event) => Buffer.from(event));
      for (const [reads, count] of [
        [events, 4],
        [[Buffer.concat(events)], 1],
      ] as const) {
        const fetch = async () => sse(reads);
        const response = await collectResponse(clientFor({ baseUrl: NOWHERE, ...provider }, { fetch }));
        expect(response.events.filter((event) => event.type === 'text_delta')).toHaveLength(count);
        expect(textIn(response.events)).toBe('Hello there');
      }
    });

    test('an item begins before its first delta', async () => {
      const script = [[reasons('Hm', { raw: 'hmm' }), says('a'), calls('shell', { command: ['ls'] })]];
      const { events } = await collectResponse(await talkTo(script));
      const started = new Set<string>();
      for (const event of events) {
        if (event.type === 'item_started') started.add(event.key);
        else if ('key' in event) assert(started.has(event.key), `${event.type} of an item that has not begun`);
      }
      expect(started.size).toBe(3);
      expect(events.filter((event) => event.type === 'completed')).toEqual([events.at(-1)]);
    });

    test('reasoning, text and calls become history in this order', async () => {
      const { items } = await collectResponse(
        await talkTo([[reasons('Hm', { raw: 'hmm' }), says('Looking.'), calls('a', { n: 1 }), calls('b', { n: 2 })]]),
      );
      expect(items.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
      expect(items.slice(2)).toMatchObject([
        { name: 'a', arguments: '{"n":1}', call_id: 'call_1' },
        { name: 'b', arguments: '{"n":2}', call_id: 'call_2' },
      ]);
    });

    test('arguments are streamed', async () => {
      const { events } = await collectResponse(
        await talkTo([[calls('shell', { command: ['ls', '-l'] }, { deltas: 5 })]]),
      );
      const deltas = events.filter((event) => event.type === 'call_delta');
      expect(deltas.map((delta) => delta.text).join('')).toBe('{"command":["ls","-l"]}');
      expect(new Set(deltas.map((delta) => delta.name))).toEqual(new Set(['shell']));
    });

    test('malformed arguments are passed on unchanged', async () => {
      const { items } = await collectResponse(await talkTo([[calls('shell', '{"command": ["l')]]));
      expect(items).toMatchObject([{ type: 'function_call', arguments: '{"command": ["l' }]);
    });

    test('a free-text tool is called as one, even where it is declared as a function', async () => {
      const client = await talkTo([[callsCustom('apply_patch', '*** Begin Patch\n…')]]);
      const { items } = await collectResponse(client, prompt({ tools: [PATCH_TOOL] }));
      expect(items).toMatchObject([
        { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n…', call_id: 'call_1' },
      ]);
    });

    test('missing usage is reported as missing', async () => {
      const { completed } = await collectResponse(await talkTo([[says('a'), usage(null)]]));
      expect(completed?.usage).toBeNull();
    });

    test('usage is reported in full', async () => {
      const counts = { input: 1000, cachedInput: 900, output: 50, reasoning: 30 };
      const { completed } = await collectResponse(await talkTo([[says('a'), usage(counts)]]));
      expect(completed?.usage).toEqual({ ...counts, total: 1050 });
    });

    test('comments, unknown fields and carriage returns are ignored', async () => {
      const stream = record([says('Grüße 🌻')]).replaceAll('\n', '\r\n');
      const client = await talkTo([[raw(`: ping\r\nid: 7\r\nretry: 5\r\n\r\n${stream}`), closesCleanly()]]);
      const { events, completed } = await collectResponse(client);
      expect(textIn(events)).toBe('Grüße 🌻');
      expect(completed).toBeDefined();
    });

    const inStream = [
      ['an event by its name alone', 'event: error\ndata: {"code":429,"message":"Busy."}\n\n'],
      ['the field of llama.cpp', 'error: {"code":429,"message":"Busy."}\n\n'],
    ] as const;
    const document = [
      'a document that calls itself a stream',
      '\n{"error": {"code": 429, "message": "Busy."}}',
    ] as const;
    // A response that begins with chunks or comments is a stream: these servers send such an error as an event.
    const beginsAsStream = wire === 'chat' && imitates?.chat?.prelude !== undefined;
    test.each(beginsAsStream ? inStream : [...inStream, document])(
      'an error as %s is a fault in the words of the server',
      async (_case, text) => {
        const { fault } = await collectResponse(await talkTo([[raw(text), closesCleanly()]]));
        expect(fault).toMatchObject({ kind: 'rate_limited', detail: '429: Busy.' });
      },
    );

    test.each([
      ['the socket dies', cuts(), 'stream_closed'],
      ['the stream ends early', closesCleanly(), 'stream_closed'],
      ['an event is broken', malformed(), 'bad_response'],
      ['the server gives up', failsInStream('server_error'), 'bad_response'],
      ['the server falls silent', hangs(), 'timeout'],
    ] as const)('%s: what was said so far, then a fault worth a retry', async (_case, step, kind) => {
      const client = await talkTo([[says('Half a'), step]], { streamIdleTimeoutMs: 600 });
      const { events, fault } = await collectResponse(client);
      expect(textIn(events)).toBe('Half a');
      expect(fault).toMatchObject({ kind, retryable: true });
      expect(fault?.message).toMatch(/^[A-Z].*\.$/);
    });

    const silences = [
      ['does not answer', [waits(60_000)]],
      ['sends its headers and nothing else', [raw(''), hangs()]],
      ['sends a comment and nothing else', [raw(': hello\n\n'), hangs()]],
      ['sends half an event', [raw('data: {"type"'), hangs()]],
      ['sends half a document', [raw('{"id":'), hangs()]],
    ] as const;
    const silent = isShort ? [randomOf(`silence of ${imitates.name} on ${wire}`).pick(silences)] : silences;
    test.each(silent)('a server that %s has as long as the idle timeout says', async (_case, steps) => {
      const { fault } = await collectResponse(
        await talkTo([steps], { streamIdleTimeoutMs: 200, progressTimeoutMs: 60_000 }),
      );
      expect(fault).toMatchObject({ kind: 'timeout', retryable: true, detail: 'nothing received for 0.2 s' });
    });

    test('an idle timeout of years never fires', async () => {
      const clock = { ...systemClock };
      const client = await talkTo([[waits(50), says('At last.')]], { streamIdleTimeoutMs: 2 ** 40 }, { clock });
      expect(textIn((await collectResponse(client)).events)).toBe('At last.');
    });

    test.each([
      [400, {}, 'invalid_request', false],
      [401, {}, 'auth', false],
      [404, { message: 'The model `x` does not exist' }, 'model_not_found', false],
      [429, {}, 'rate_limited', true],
      [429, { code: 'insufficient_quota' }, 'quota', false],
      [500, {}, 'bad_response', true],
      [503, {}, 'overloaded', true],
    ] as const)('HTTP %i %o is a fault', async (status, body, kind, retryable) => {
      const { events, fault } = await collectResponse(await talkTo([[fails(status, body)]]));
      expect(events).toEqual([]);
      expect(fault).toMatchObject({ status, kind, retryable });
    });

    test('Retry-After is read', async () => {
      const { fault } = await collectResponse(await talkTo([[fails(429, {}, { 'retry-after': '7' })]]));
      expect(fault?.retryAfterMs).toBe(7000);
    });

    test('an address without a listener is a fault', async () => {
      const server = await ModelServer.start([]);
      await server.close();
      const { fault } = await collectResponse(clientFor({ baseUrl: server.baseUrl, ...provider }));
      expect(fault).toMatchObject({ kind: 'network', retryable: true });
      expect(fault?.detail).toContain('ECONNREFUSED');
    });

    test.each(['before the first byte', 'in mid-stream'])('an abort %s ends the stream at once', async (when) => {
      const server = await start([when === 'in mid-stream' ? [says('a'), hangs()] : [waits(60_000)]]);
      const client = clientFor({ baseUrl: server.baseUrl, ...provider });
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const listening = collectResponse(client, prompt(), controller.signal);
      await server.received(1);
      setTimeout(() => controller.abort(reason), 30);
      await expect(listening).rejects.toBe(reason);
      await server.lastRequest.closed;
    });

    test('an abort between two events of one chunk ends the stream', async () => {
      const client = await talkTo([[says('one two three', { deltas: 3 })]]);
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const seen: string[] = [];
      await expect(async () => {
        for await (const event of client.stream(prompt(), controller.signal)) {
          seen.push(event.type);
          if (event.type === 'text_delta') controller.abort(reason);
        }
      }).rejects.toBe(reason);
      expect(seen.filter((type) => type === 'text_delta')).toHaveLength(1);
    });

    test('leaving the stream early closes the connection', async () => {
      const server = await start([[says('a'), hangs()]]);
      for await (const event of clientFor({ baseUrl: server.baseUrl, ...provider }).stream(
        prompt(),
        new AbortController().signal,
      )) {
        if (event.type === 'text_delta') break;
      }
      await server.lastRequest.closed;
    });

    test('a stream cut at any byte ends as intended or in a retry, without an incomplete call', async () => {
      const stream = record([reasons('Hm', { raw: 'hm' }), says('Hi ✓'), calls('shell', { command: ['ls'] })]);
      const bytes = Buffer.from(stream);
      // From here on the server has reported the end, whatever follows.
      const done = Buffer.byteLength(stream.slice(0, endOfTerminalEvent(wire, stream)));
      let length = 0;
      const client = clientReading(wire, () => sse([bytes.subarray(0, length)], new TypeError('terminated')));
      for (length of placesBelow(bytes.length, cutStep, [done - 1, done, bytes.length - 1])) {
        const { items, completed, fault } = await collectResponse(client);
        if (length < done) expect(fault, `cut after ${length} bytes`).toMatchObject({ retryable: true });
        else expect(completed, `cut after ${length} bytes`).toBeDefined();
        for (const item of items) {
          if (item.type === 'function_call') expect(item.arguments).toBe('{"command":["ls"]}');
        }
      }
    });

    test('the same holds over real sockets', async () => {
      const steps = [says('Hi'), calls('shell', { command: ['ls'] })];
      const whole = Buffer.byteLength(record(steps));
      const server = await start((_request, index) => [...steps, cutsAfter(index * socketStep)]);
      const client = clientFor({ baseUrl: server.baseUrl, ...provider });
      for (let length = 0; length < whole; length += socketStep) {
        const { completed, fault } = await collectResponse(client);
        if (!completed) expect(fault, `cut after ${length} bytes`).toMatchObject({ retryable: true });
      }
    });

    test('the same stream in other chunks gives the same events', async () => {
      const stream = record([reasons('Hm', { raw: 'ä' }), says('Grüße 🌻'), calls('shell', { a: 'é' })]);
      const bytes = Buffer.from(stream);
      const whole = await collectResponse(await talkTo([[raw(stream), closesCleanly()]]));
      for (const size of [1, 2, 3, 7, 64]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const fetch = async () => sse(pieces);
        const response = await collectResponse(clientFor({ baseUrl: NOWHERE, ...provider }, { fetch }));
        expect(joined(response.events)).toEqual(joined(whole.events));
      }
    });

    test('the connection serves the next request too', async () => {
      const server = await start([[says('a')], [says('b')], [says('c')]]);
      const ports = new Set<string>();
      const client = clientFor({ baseUrl: server.baseUrl, ...provider });
      for (let turn = 0; turn < 3; turn += 1) {
        await collectResponse(client);
        ports.add(String(server.lastRequest.remotePort));
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
      }
      expect(ports.size).toBe(1);
    });

    test(`${deltas.toLocaleString('en')} deltas all arrive`, async () => {
      const text = 'word '.repeat(deltas);
      const { events } = await collectResponse(await talkTo([[says(text, { deltas })]]));
      expect(textIn(events)).toBe(text);
    });
  });
}

/** As if all had arrived in one read. */
const joined = (events: readonly ResponseEvent[]) => [...joinDeltas(events, (event) => [event])];

const NOWHERE = 'http://127.0.0.1:1/v1';

/** A stream of these chunks that ends normally, or with an error. */
function sse(pieces: readonly Uint8Array[], error?: Error): Response {
  const body = new ReadableStream({
    async start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      // Enqueued chunks are read before the error is.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (error) controller.error(error);
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function endOfTerminalEvent(wire: Wire, stream: string): number {
  return stream.indexOf('\n\n', stream.indexOf(END_MARKS[wire])) + 2;
}
