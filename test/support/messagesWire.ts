/** Turns the steps of a script into the events of Messages (platform.claude.com/docs/en/build-with-claude/streaming). */
import { isAnswerStep, isConnectionStep, type Step } from './modelScript.ts';
import { connect, finished, inPieces, once, PieceList, usageOf, type NextId, type Piece } from './modelWires.ts';

class MessagesList extends PieceList {
  override event(event: { readonly type: string; readonly [field: string]: unknown }): void {
    this.text(`event: ${event.type}\n`);
    super.event(event);
  }
}

export function messagesPieces(steps: readonly Step[], nextId: NextId): readonly Piece[] {
  const list = new MessagesList();
  const counts = usageOf(steps);
  const input = counts && {
    input_tokens: counts.input - counts.cachedInput,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: counts.cachedInput,
  };
  const message = { id: nextId('msg'), type: 'message', role: 'assistant', model: 'scripted', content: [] };
  const begin = once(() => {
    const usage = input && { usage: { ...input, output_tokens: 1 } };
    list.event({ type: 'message_start', message: { ...message, stop_reason: null, ...usage } });
    list.event({ type: 'ping' });
  });
  let index = -1;
  const block = (content_block: object, deltas: readonly object[], step: Step) => {
    index += 1;
    list.event({ type: 'content_block_start', index, content_block });
    for (const [place, delta] of deltas.entries()) {
      if ('delayMs' in step) list.pause(step.delayMs);
      const isLast = place === deltas.length - 1;
      if (isLast && 'lastAfter' in step && step.lastAfter) list.control({ type: 'wait', for: step.lastAfter });
      list.event({ type: 'content_block_delta', index, delta });
    }
    list.event({ type: 'content_block_stop', index });
  };
  const stop = (stop_reason: string) => {
    const usage = counts && {
      usage: { output_tokens: counts.output, output_tokens_details: { thinking_tokens: counts.reasoning } },
    };
    list.event({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, ...usage });
    list.event({ type: 'message_stop' });
    return finished(list);
  };
  let hasCalls = false;

  for (const step of steps) {
    if (isAnswerStep(step)) continue;
    if (isConnectionStep(step)) {
      if (connect(step, list)) return finished(list);
      continue;
    }
    begin();
    switch (step.type) {
      case 'says': {
        const texts = step.deltas === 0 ? [step.text] : inPieces(step.text, step.deltas);
        block(
          { type: 'text', text: '' },
          texts.map((text) => ({ type: 'text_delta', text })),
          step,
        );
        break;
      }
      case 'reasons': {
        const thoughts = inPieces(step.raw ?? step.summary.join('\n\n'), step.deltas);
        const signature = { type: 'signature_delta', signature: step.encrypted ?? nextId('sig') };
        const deltas = thoughts.map((thinking) => ({ type: 'thinking_delta', thinking }));
        block({ type: 'thinking', thinking: '', signature: '' }, [...deltas, signature], step);
        break;
      }
      case 'calls':
      case 'callsCustom':
      case 'callsLocalShell': {
        hasCalls = true;
        const { name, args } = callOf(step);
        const pieces = inPieces(args, 'deltas' in step && step.deltas !== 0 ? step.deltas : 1);
        const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
        block({ type: 'tool_use', id: step.callId ?? nextId('call'), name, input: {} }, deltas, step);
        break;
      }
      case 'failsInStream':
        list.event({ type: 'error', error: { type: step.code ?? 'api_error', message: step.message } });
        return finished(list);
      case 'incomplete':
        return stop(STOP_REASONS[step.reason] ?? step.reason);
      case 'searches':
        block({ type: 'server_tool_use', id: nextId('srvtoolu'), name: 'web_search', input: {} }, [], step);
        break;
    }
  }

  begin();
  const pauses = steps.some((step) => step.type === 'endTurn' && !step.endTurn);
  return stop(pauses ? 'pause_turn' : hasCalls ? 'tool_use' : 'end_turn');
}

const STOP_REASONS: Readonly<Record<string, string>> = { max_output_tokens: 'max_tokens', content_filter: 'refusal' };

function callOf(step: Extract<Step, { type: 'calls' | 'callsCustom' | 'callsLocalShell' }>) {
  switch (step.type) {
    case 'calls':
      return { name: step.name, args: step.arguments };
    case 'callsCustom':
      return { name: step.name, args: JSON.stringify({ input: step.input }) };
    case 'callsLocalShell':
      return { name: 'shell', args: JSON.stringify({ command: step.command }) };
  }
}

/** Returns the message as one document, for servers that ignore `stream`. */
export function messagesDocument(steps: readonly Step[], nextId: NextId): string {
  const content = steps.flatMap((step): object[] => {
    if (step.type === 'says') return [{ type: 'text', text: step.text }];
    if (step.type !== 'calls' && step.type !== 'callsCustom') return [];
    const { name, args } = callOf(step);
    return [{ type: 'tool_use', id: step.callId ?? nextId('call'), name, input: JSON.parse(args) as unknown }];
  });
  const hasCalls = steps.some((step) => step.type === 'calls' || step.type === 'callsCustom');
  const counts = usageOf(steps);
  const usage = counts && { usage: { input_tokens: counts.input, output_tokens: counts.output } };
  const stop_reason = hasCalls ? 'tool_use' : 'end_turn';
  return JSON.stringify({ id: nextId('msg'), type: 'message', role: 'assistant', content, stop_reason, ...usage });
}

/** Returns an HTTP error in the form of the server (platform.claude.com/docs/en/api/errors). */
export function messagesError(status: number, body: unknown): string {
  const given = body as Readonly<Record<string, unknown>>;
  if ('error' in given) return JSON.stringify({ type: 'error', request_id: 'req_1', ...given });
  const { code, ...rest } = given;
  const error = { type: code ?? TYPES[status] ?? 'api_error', message: `HTTP ${status}`, ...rest };
  return JSON.stringify({ type: 'error', error, request_id: 'req_1' });
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
