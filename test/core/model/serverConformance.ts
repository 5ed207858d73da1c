/**
 * The contract between the clients and any server, for servers that follow no script of the test.
 * The demo model is one.
 */
import type { WireApi } from '../../../src/protocol/providers.ts';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelClient, Prompt } from '../../../src/core/model/client.ts';
import type { ProviderConfig } from '../../../src/core/model/provider.ts';
import { isToolCall, type ResponseItem, textOf, type ToolCallItem } from '../../../src/protocol/responseItem.ts';
import { outputFor } from '../../../src/core/history/normalize.ts';
import { type BadLine, type Spoiling, startBadLine } from '../../support/badLine.ts';
import { placesBelow } from '../../support/rounds.ts';
import { END_MARKS } from './endMarks.ts';
import { clientFor, type Heard, collectResponse, prompt, textIn, userSays } from './harness.ts';

export interface ServerUnderTest {
  readonly baseUrl: string;
  close(): Promise<void>;
}

export interface ServerFacts {
  readonly model: string;
  readonly tools: Prompt['tools'];
  /** Its configuration, besides its address and wire. */
  readonly provider?: Partial<ProviderConfig>;
  /** In each run only every nth place of a response is cut; in a full run all of them. */
  readonly cutStep?: number;
  /** False: it has one model and answers with it whatever the request names. */
  readonly knowsModels?: boolean;
  start(wire: WireApi): Promise<ServerUnderTest>;
}

export function serverConformance(name: string, wire: WireApi, facts: ServerFacts): void {
  describe(`${name} on ${wire}`, () => {
    let server: ServerUnderTest;
    let client: ModelClient;
    beforeEach(async () => {
      server = await facts.start(wire);
      client = clientFor({ baseUrl: server.baseUrl, wireApi: wire, ...facts.provider });
    });
    afterEach(() => server.close());

    const asked = (...more: readonly ResponseItem[]): Prompt =>
      prompt({ model: facts.model, tools: facts.tools, input: [userSays('Repair what is broken.'), ...more] });

    test('an item begins before its deltas, and the end comes once and last', async () => {
      const { events, completed, fault } = await collectResponse(client, asked());
      expect(fault).toBeUndefined();
      const started = new Set<string>();
      for (const event of events) {
        if (event.type === 'item_started') started.add(event.key);
        else if ('key' in event) assert(started.has(event.key), `${event.type} of an item that has not begun`);
      }
      expect(events.filter(({ type }) => type === 'completed')).toEqual([events.at(-1)]);
      expect(completed?.usage?.total).toBeGreaterThan(0);
    });

    test('deltas add up to the text and the calls', async () => {
      const { events } = await collectResponse(client, asked());
      for (const event of events) {
        if (event.type !== 'item_done') continue;
        const pieces = events.filter((each) => 'key' in each && each.key === event.key);
        const text = pieces.flatMap((each) =>
          each.type === 'text_delta' || each.type === 'call_delta' ? [each.text] : [],
        );
        if (event.item.type === 'message') expect(text.join('')).toBe(textOf(event.item.content));
        if (event.item.type === 'function_call') expect(text.join('')).toBe(event.item.arguments);
      }
    });

    test('calls are of offered tools, complete, each with a unique id', async () => {
      const calls = (await collectResponse(client, asked())).items.filter(isToolCall);
      expect(calls.length).toBeGreaterThan(0);
      expect(new Set(calls.map((call) => call.call_id)).size).toBe(calls.length);
      const offered = facts.tools.flatMap((tool) => ('name' in tool ? [tool.name] : [tool.type]));
      for (const call of calls) {
        if (call.type === 'function_call') expect(() => JSON.parse(call.arguments)).not.toThrow();
        if ('name' in call) expect(offered).toContain(call.name);
      }
    });

    test('the outputs of its calls are accepted, and the conversation continues', async () => {
      const { items } = await collectResponse(client, asked());
      const outputs = items.filter(isToolCall).map((call) => outputFor(call, 'Exit code: 0\nOutput:\n'));
      const next = await collectResponse(client, asked(...items, ...outputs));
      expect(next.fault).toBeUndefined();
      expect(next.items.length).toBeGreaterThan(0);
    });

    test('an abort ends the stream at once', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      await expect(async () => {
        for await (const event of client.stream(asked(), controller.signal)) {
          if (event.type !== 'created') controller.abort(reason);
        }
      }).rejects.toBe(reason);
    });

    test('a client that leaves early can send the next request', async () => {
      for await (const _event of client.stream(asked(), new AbortController().signal)) break;
      expect((await collectResponse(client, asked())).completed).toBeDefined();
    });

    describe('over a bad connection', () => {
      let line: BadLine;
      let whole: Heard;
      /** The place in the response where its end is reported. */
      let end: number;
      const ask = async (spoiling: Spoiling): Promise<Heard> => {
        line.spoiling = spoiling;
        const provider = { baseUrl: line.baseUrl, wireApi: wire, ...facts.provider };
        const idle = spoiling.type === 'hangs' ? { streamIdleTimeoutMs: 1000 } : {};
        return collectResponse(clientFor({ ...provider, ...idle }), asked());
      };
      beforeEach(async () => {
        line = await startBadLine(server.baseUrl);
        whole = await ask({ type: 'none' });
        end = line.lastBody.indexOf(END_MARKS[wire]);
        assert(end > 0, 'the answer has no end');
      });
      afterEach(() => line[Symbol.asyncDispose]());

      const boundaries = () => [...line.lastBody.toString('latin1').matchAll(/\n\n/g)].map(({ index }) => index + 2);
      const middle = () => boundaries().find((at) => at > end / 2) ?? 0;

      test.each(['cuts', 'ends', 'hangs', 'garbles'] as const)(
        'one that %s in the middle: the text so far, and a fault worth a retry',
        async (type) => {
          const { events, fault, completed } = await ask({ type, after: middle() });
          expect(completed).toBeUndefined();
          const kind = type === 'garbles' ? 'bad_response' : type === 'hangs' ? 'timeout' : 'stream_closed';
          expect(fault).toMatchObject({ kind, retryable: true });
          expect(fault?.message).toMatch(/^[A-Z].*\.$/);
          expect(textIn(whole.events).startsWith(textIn(events))).toBe(true);
        },
      );

      test('one that is cut anywhere gives complete calls, each at most once, and a retry or the end', async () => {
        const calls = whole.items.filter(isToolCall).map(wordsOf);
        const length = line.lastBody.length;
        const places = [...boundaries().flatMap((at) => [at - 1, at]), ...range(0, length, 311)].filter(
          (at) => at < length,
        );
        const chosen = placesBelow(places.length, facts.cutStep ?? 1).flatMap((index) => places[index] ?? []);
        for (const after of chosen) {
          const { items, fault, completed } = await ask({ type: 'cuts', after });
          const told = items.filter(isToolCall).map(wordsOf);
          expect(told, `cut after ${after} bytes`).toEqual(calls.slice(0, told.length));
          if (completed) expect(after, 'the end came too early').toBeGreaterThan(end);
          else expect(fault, `cut after ${after} bytes`).toMatchObject({ retryable: true });
        }
      });

      test.each([
        [400, 'invalid_request', false],
        [401, 'auth', false],
        [404, 'config', false],
        [429, 'rate_limited', true],
        [500, 'bad_response', true],
        [503, 'overloaded', true],
      ] as const)('HTTP %i is a fault, and afterwards all is well', async (status, kind, retryable) => {
        const { events, fault } = await ask({ type: 'fails', status, headers: { 'retry-after': '7' } });
        expect(events).toEqual([]);
        expect(fault).toMatchObject({ status, kind, retryable, retryAfterMs: 7000 });
        expect((await ask({ type: 'none' })).completed).toBeDefined();
      });

      test('a server that has stopped is a network fault', async () => {
        const lonely = clientFor({ baseUrl: line.baseUrl, wireApi: wire, ...facts.provider });
        await line[Symbol.asyncDispose]();
        // A connection kept open may not be known to be closed yet; that fault is worth a retry, too.
        const told = async () => {
          const { fault } = await collectResponse(lonely, asked());
          expect(fault).toMatchObject({ retryable: true });
          return fault?.kind;
        };
        await expect.poll(told, { timeout: 10_000 }).toBe('network');
      });
    });

    if (facts.knowsModels === false) return;
    test('an unknown model is a fault that names it', async () => {
      const { fault } = await collectResponse(client, { ...asked(), model: 'nobody-knows-this' });
      expect(fault).toMatchObject({ kind: 'model_not_found', retryable: false, action: 'select_model' });
    });
  });
}

/** A call without its id, which differs each time. */
function wordsOf(call: ToolCallItem): string {
  if (call.type === 'local_shell_call') return JSON.stringify(call.action);
  return `${call.name} ${call.type === 'function_call' ? call.arguments : call.input}`;
}

function range(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);
}
