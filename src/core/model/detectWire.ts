import type { WireApi } from '../../protocol/providers.ts';
import { assertNever } from '../util/assertNever.ts';
import type { ConnectionTest } from './connectionTest.ts';

export type DetectedWire =
  | { readonly type: 'found'; readonly wireApi: WireApi; readonly test: ConnectionTest }
  /** The answers do not show an API. `test`: the one to show to the user. */
  | { readonly type: 'unknown'; readonly test: ConnectionTest };

/**
 * Finds out which API a server has: Responses, else Chat Completions, else Messages; Messages first where the address names
 * Anthropic, whose own Chat Completions have no prompt cache. A gateway may check the key, the quota and its
 * load before it looks at the address: such an answer shows an API only when the other address does not exist. Without
 * an answer the API is unknown.
 */
export async function detectWire(
  test: (wireApi: WireApi) => Promise<ConnectionTest>,
  baseUrl: string,
): Promise<DetectedWire> {
  if (likelyWireOf(baseUrl) === 'messages') {
    const messages = await test('messages');
    const evidence = evidenceOf(messages);
    if (evidence === 'present') return { type: 'found', wireApi: 'messages', test: messages };
    if (evidence !== 'absent') return { type: 'unknown', test: messages };
  }
  const responses = await test('responses');
  const first = evidenceOf(responses);
  if (first === 'present') return { type: 'found', wireApi: 'responses', test: responses };
  if (first === 'unreachable') return { type: 'unknown', test: responses };

  const chat = await test('chat');
  const second = evidenceOf(chat);
  if (second === 'present') return { type: 'found', wireApi: 'chat', test: chat };
  if (first === 'unclear' && second === 'absent') return { type: 'found', wireApi: 'responses', test: responses };
  if (first === 'absent' && second === 'unclear') return { type: 'found', wireApi: 'chat', test: chat };
  if (first === 'absent' && second === 'absent') {
    const messages = await test('messages');
    const third = evidenceOf(messages);
    if (third === 'present' || third === 'unclear') return { type: 'found', wireApi: 'messages', test: messages };
  }
  return { type: 'unknown', test: first === 'unclear' && second === 'unclear' ? responses : chat };
}

/**
 * The API that an address names: that of Anthropic, and of the services with a copy of it below `/anthropic` (DeepSeek,
 * Kimi, MiniMax, Z.ai, Azure); `undefined` for all others.
 */
export function likelyWireOf(baseUrl: string): WireApi | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname, pathname } = new URL(baseUrl);
  const isAnthropic = hostname === 'anthropic.com' || hostname.endsWith('.anthropic.com');
  return isAnthropic || /\/anthropic(?:\/|$)/i.test(pathname) ? 'messages' : undefined;
}

type Evidence = 'present' | 'absent' | 'unclear' | 'unreachable';

/** Returns the evidence about an API in the answer at its address. */
function evidenceOf(result: ConnectionTest): Evidence {
  if (result.type === 'answered') return 'present';
  const { kind, status } = result.fault;
  switch (kind) {
    case 'invalid_request':
    case 'model_not_found':
    case 'context_exceeded':
    case 'content_filter':
      return 'present';
    case 'config':
      return 'absent';
    case 'bad_response':
      return status === undefined || status === 405 || status === 501 ? 'absent' : 'unclear';
    case 'no_key':
    case 'auth':
    case 'quota':
    case 'rate_limited':
    case 'overloaded':
    case 'stream_closed':
      return 'unclear';
    case 'network':
    case 'tls':
    case 'proxy':
    case 'timeout':
      return 'unreachable';
    case 'storage':
    case 'sandbox':
    case 'paused':
    case 'internal':
      return 'unclear';
    default:
      return assertNever(kind);
  }
}
