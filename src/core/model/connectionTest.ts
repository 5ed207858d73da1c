import type { Clock } from '../ports.ts';
import { deadline } from '../util/abort.ts';
import { type ModelClient, ModelFault, type Prompt } from './client.ts';

export type ConnectionTest =
  /** `warnings`: fields that the server has refused and that were left out. */
  | { readonly type: 'answered'; readonly milliseconds: number; readonly warnings: readonly string[] }
  | { readonly type: 'fault'; readonly fault: ModelFault };

/** A model that has to be loaded first may take this long. */
const WITHIN_MS = 120_000;

/**
 * Sends one short request with a tool, as a turn does, and waits for the end of the answer. Costs a few hundred tokens.
 * @throws the signal's reason when `signal` aborts
 */
export async function testConnection(
  client: ModelClient,
  model: string,
  clock: Pick<Clock, 'now' | 'after'>,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const late = new ModelFault('timeout', 'The server did not answer in two minutes.', {
    retryable: true,
    action: 'retry',
  });
  const within = deadline(clock, WITHIN_MS, late, signal);
  const started = clock.now().getTime();
  const warnings: string[] = [];
  try {
    for await (const event of client.stream(promptFor(model), within.signal)) {
      if (event.type === 'warning') warnings.push(event.message);
    }
    return { type: 'answered', milliseconds: clock.now().getTime() - started, warnings };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelFault) return { type: 'fault', fault: error };
    throw error;
  } finally {
    within.end();
  }
}

function promptFor(model: string): Prompt {
  return {
    model,
    instructions: 'You are being tested for a connection. Answer with one word and call no tool.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Reply with OK.' }] }],
    tools: [
      {
        type: 'function',
        name: 'exec_command',
        description: 'Runs a command.',
        strict: false,
        parameters: {
          type: 'object',
          properties: { cmd: { type: 'string' } },
          required: ['cmd'],
          additionalProperties: false,
        },
      },
    ],
    parallelToolCalls: false,
    effort: null,
    summary: 'none',
    cacheKey: 'connection-test',
  };
}
