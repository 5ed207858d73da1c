import type { WireApi } from './families.ts';
import type { ConnectionTest } from './connectionTest.ts';

export interface DetectedWire {
  readonly wireApi: WireApi;
  readonly test: ConnectionTest;
}

/**
 * Finds out which API a server has: Responses, else Chat Completions. Any answer other than “there is nothing at this
 * address” is one of that API, also an error. When it has neither, the result is the one of Chat Completions.
 */
export async function detectWire(test: (wireApi: WireApi) => Promise<ConnectionTest>): Promise<DetectedWire> {
  const responses = await test('responses');
  if (!isAbsent(responses)) return { wireApi: 'responses', test: responses };
  return { wireApi: 'chat', test: await test('chat') };
}

function isAbsent(result: ConnectionTest): boolean {
  if (result.type === 'answered') return false;
  const { kind, status } = result.fault;
  return kind === 'config' || kind === 'bad_response' || status === 405 || status === 501;
}
