/** Shared by the model tests: working ports, a prompt to start from, and readers of a stream. */
import type { WireApi } from '../../../src/protocol/providers.ts';
import { clientOf, createModelClient, type ModelPorts, type ProviderConfig } from '../../../src/core/model/provider.ts';
import { RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import { ModelFault, type Prompt, type ResponseEvent } from '../../../src/core/model/client.ts';
import type { ModelClient } from '../../../src/core/model/client.ts';
import type { ResponseItem } from '../../../src/protocol/responseItem.ts';

export function testPorts(overrides: Partial<ModelPorts> = {}): ModelPorts {
  let count = 0;
  return {
    fetch: globalThis.fetch,
    secrets: { keyFor: async () => 'sk-test' },
    clock: {
      now: () => new Date('2026-11-21T00:00:00Z'),
      after: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    ids: {
      next: (prefix) => {
        count += 1;
        return `${prefix}_made_${count}`;
      },
    },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...overrides,
  };
}

export function clientFor(
  provider: Partial<ProviderConfig> & Pick<ProviderConfig, 'baseUrl'>,
  ports: Partial<ModelPorts> = {},
): ModelClient {
  return createModelClient({ id: 'test', wireApi: 'responses', ...provider }, testPorts(ports));
}

/**
 * A client whose requests are answered by `answer`, without a network: for tests that parse the same bytes
 * thousands of times.
 */
export function clientReading(
  wire: WireApi,
  answer: () => Response | Promise<Response>,
  ports: Partial<ModelPorts> = {},
): ModelClient {
  const { clock, ids, log } = testPorts(ports);
  const provider = { id: 'test', baseUrl: 'http://127.0.0.1:1/v1', wireApi: wire };
  const parts = { provider, transport: { post: async () => answer() }, refused: new RefusedFields(), clock, ids, log };
  return clientOf(parts);
}

export function prompt(overrides: Partial<Prompt> = {}): Prompt {
  return {
    model: 'gpt-5.1-codex',
    instructions: 'Be brief.',
    input: [userSays('Hello')],
    tools: [],
    parallelToolCalls: true,
    effort: null,
    summary: 'auto',
    cacheKey: 'thread-1',
    ...overrides,
  };
}

/** A tool that takes free text. */
export const PATCH_TOOL = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
} as const;

export function userSays(text: string): ResponseItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

export const neverAborted = new AbortController().signal;

export interface Heard {
  readonly events: readonly ResponseEvent[];
  readonly items: readonly ResponseItem[];
  /** The end of the stream: the thrown fault, or the last event. */
  readonly fault: ModelFault | undefined;
  readonly completed: Extract<ResponseEvent, { type: 'completed' }> | undefined;
}

/** Reads a stream to its end. Rethrows anything but a `ModelFault`. */
export async function collectResponse(client: ModelClient, said = prompt(), signal = neverAborted): Promise<Heard> {
  const events: ResponseEvent[] = [];
  let fault: ModelFault | undefined;
  try {
    for await (const event of client.stream(said, signal)) events.push(event);
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error;
    fault = error;
  }
  const completed = events.findLast((event) => event.type === 'completed');
  const items = events.flatMap((event) => (event.type === 'item_done' ? [event.item] : []));
  return { events, items, fault, completed };
}

export function textIn(events: readonly ResponseEvent[]): string {
  return events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
}
