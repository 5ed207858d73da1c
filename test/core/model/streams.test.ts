/** Recorded responses of servers (test/fixtures/streams), read whole and cut at every byte. */
import type { WireApi } from '../../../src/protocol/providers.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ResponseItem, textOf } from '../../../src/protocol/responseItem.ts';
import { clientReading, type Heard, collectResponse, textIn } from './harness.ts';
import { placesBelow } from '../../support/rounds.ts';

const FOLDER = new URL('../../fixtures/streams/', import.meta.url);

/** The content of each: its items, then input (of it cached), output (of it reasoning) and total. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  'responses-openai-call.sse': [
    'reasoning **Looking around**',
    'message I’ll look first.',
    'call_Uj exec_command {"cmd":"rg --files"}',
    '4211 (4096) 61 (24) 4272',
  ],
  'responses-local-sparse.sse': ['message Hello there.', 'c1 exec_command {"cmd":"ls"}', '12 (0) 9 (0) 21'],
  'chat-openai-parallel.sse': [
    'call_A exec_command {"cmd": "ls"}',
    'call_B exec_command {"cmd": "pwd"}',
    '1503 (1408) 44 (0) 1547',
  ],
  'chat-llamacpp.sse': ['reasoning We should greet.', 'message Grüße 👋', '90 (0) 12 (0) 102'],
  'chat-ollama.sse': ['call_hk exec_command {"cmd":"ls -la"}', 'no usage'],
  'chat-openrouter.sse': [
    'reasoning Let me see.',
    'message Looking.',
    'toolu_1 exec_command {"cmd": "ls"}',
    '700 (512) 60 (20) 760',
  ],
  'responses-vllm.sse': ['reasoning Hm.', 'call_1 exec_command {"cmd":"ls"}', '40 (0) 7 (2) 47'],
  'chat-azure.sse': ['message Hello there.', '12 (0) 3 (0) 15'],
  'chat-deepseek.sse': ['reasoning Look first.', 'call_00_x exec_command {"cmd":"ls"}', '300 (256) 20 (9) 320'],
  'chat-gateway-repeating.sse': ['call_a exec_command {"cmd":"ls"}', '70 (0) 9 (0) 79'],
  'chat-gemini.sse': [
    'function-call-17 exec_command {"cmd":"ls"}',
    'function-call-18 exec_command {"cmd":"pwd"}',
    '210 (0) 31 (0) 402',
  ],
  'chat-mistral.sse': [
    'reasoning Two files.',
    'message I look.',
    'D681PevKs exec_command {"cmd":"ls"}',
    '90 (0) 40 (0) 130',
  ],
  'chat-vllm.sse': ['reasoning Hm.', 'chatcmpl-tool-1 exec_command {"cmd": "ls"}', '50 (0) 11 (0) 61'],
  'chat-empty-finish-reasons.sse': ['message Hello there.', '8 (0) 4 (0) 12'],
};

function tell(item: ResponseItem): string {
  if (item.type === 'function_call') return `${item.call_id} ${item.name} ${item.arguments}`;
  if (item.type === 'message') return `message ${textOf(item.content)}`;
  if (item.type === 'reasoning') return `reasoning ${textOf(item.summary)}${textOf(item.content ?? '')}`;
  return item.type;
}

function usageOf({ completed }: Heard): string {
  if (!completed?.usage) return 'no usage';
  const { input, cachedInput, output, reasoning, total } = completed.usage;
  return `${input} (${cachedInput}) ${output} (${reasoning}) ${total}`;
}

/** Reads this many bytes of the file, each time with a client that knows nothing of the server. */
function reader(name: string, bytes: Uint8Array): (length: number) => Promise<Heard> {
  let length = 0;
  const headers = { 'content-type': 'text/event-stream' };
  const answer = () => new Response(bytes.slice(0, length), { headers });
  return (wanted) => {
    length = wanted;
    return collectResponse(clientReading(name.split('-')[0] as WireApi, answer));
  };
}

test('every fixture is listed', () => {
  expect(readdirSync(FOLDER).filter((name) => name.endsWith('.sse'))).toEqual(Object.keys(SAID).toSorted());
});

describe.each(Object.entries(SAID))('%s', (name, said) => {
  const bytes = readFileSync(new URL(name, FOLDER));
  const read = reader(name, bytes);

  test('is read as intended', async () => {
    const heard = await read(bytes.length);
    expect(heard.fault).toBeUndefined();
    expect([...heard.items.map(tell), usageOf(heard)]).toEqual(said);
    const message = said.find((line) => line.startsWith('message '));
    expect(textIn(heard.events)).toBe(message?.slice('message '.length) ?? '');
  });

  test('ends normally or in a retry wherever it is cut, and gives no unintended call', async () => {
    // Not every byte of a long one: conformance.ts does that.
    const step = bytes.length > 2500 ? 20 : 4;
    for (const length of placesBelow(bytes.length, step)) {
      const { items, completed, fault } = await read(length);
      if (completed) expect(items.map(tell), `cut after ${length} bytes`).toEqual(said.slice(0, items.length));
      else expect(fault, `cut after ${length} bytes`).toMatchObject({ retryable: true });
      for (const item of items) expect(said, `cut after ${length} bytes`).toContain(tell(item));
    }
  });
});
