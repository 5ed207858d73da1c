/** The loop guard and the view of one response. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LoopGuard } from '../../../src/core/session/loopGuard.ts';
import { ResponseView } from '../../../src/core/session/responseView.ts';
import type { ToolCall } from '../../../src/core/tools/handler.ts';
import type { Event, EventMsg } from '../../../src/protocol/event.ts';
import type { MessageItem } from '../../../src/protocol/responseItem.ts';
import { initialThreadState } from '../../../src/protocol/thread.ts';
import { threadReducer } from '../../../src/protocol/threadReducer.ts';

describe('the loop guard', () => {
  const call = (args: string): ToolCall => ({
    callId: 'c',
    name: 'exec_command',
    payload: { type: 'function', arguments: args },
  });
  const answers = (text: string) => ({ output: text, success: true });
  const noted = (...pairs: [string, string][]) => {
    const guard = new LoopGuard();
    return pairs.map(([args, output]) => guard.note(call(args), answers(output)) !== undefined);
  };

  it('adds a note at every third identical call with an identical output in a row', () => {
    expect(noted(...Array.from({ length: 7 }, (): [string, string] => ['ls', 'a']))).toEqual([
      ...[false, false, true],
      ...[false, false, true],
      false,
    ]);
  });

  it('warns the user at the first of them only, until the call changes', () => {
    const guard = new LoopGuard();
    const calls = 'aaaaaabbb'.split('').map((args) => guard.note(call(args), answers('x'))?.isFirst);
    expect(calls.filter((isFirst) => isFirst !== undefined)).toEqual([true, false, true]);
  });

  it('adds no note when anything differs in between', () => {
    expect(noted(['ls', 'a'], ['ls', 'a'], ['ls', 'b'], ['ls', 'a'], ['ls', 'a'])).toEqual(Array(5).fill(false));
    expect(noted(['ls', 'a'], ['ls', 'a'], ['pwd', 'a'], ['ls', 'a'])).toEqual(Array(4).fill(false));
  });

  it('ignores the duration of a command', () => {
    const took = (seconds: string): [string, string] => ['ls', `Wall time: ${seconds} seconds\nOutput:\na`];
    expect(noted(took('0.1'), took('0.2'), took('0.3'))).toEqual([false, false, true]);
  });
});

function view() {
  const said: EventMsg[] = [];
  let count = 0;
  const ids = { uuid: () => '', next: (prefix: string) => `${prefix}-${++count}`, random: () => 0 };
  return { said, view: new ResponseView((msg) => said.push(msg), ids) };
}

function message(text: string): MessageItem {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

describe('the view of a response', () => {
  it('completes a message only when no retry can replace it any more', () => {
    const { said, view: response } = view();
    response.growText('0', 'Hel');
    response.finishMessage('0', message('Hello.'));
    expect(said.map(({ type }) => type)).toEqual(['item_started', 'item_delta', 'item_delta']);
    expect(response.lastMessage).toBe(null);
    response.commit();
    expect(said.at(-1)).toEqual({
      type: 'item_completed',
      item: { id: 'item-1', type: 'agent_message', status: 'completed', text: 'Hello.' },
    });
    expect(response.lastMessage).toBe('Hello.');
  });

  it('ends every item that it began, once, when the response fails', () => {
    const { said, view: response } = view();
    response.growText('0', 'One');
    response.finishMessage('0', message('One'));
    response.growSummary('1', 'Hm');
    response.webSearch('2');
    response.abandon();
    response.abandon();
    const ended = said.flatMap((msg) => (msg.type === 'item_completed' ? [[msg.item.type, msg.item.status]] : []));
    expect(ended).toEqual([
      ['agent_message', 'aborted'],
      ['reasoning', 'aborted'],
      ['web_search', 'aborted'],
    ]);
    expect(response.lastMessage).toBe(null);
  });

  it('shows the final text: folding the deltas gives the completed items', () => {
    const piece = fc.record({ key: fc.constantFrom('m', 'r'), text: fc.string(), breaks: fc.boolean() });
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const { said, view: response } = view();
        let text = '';
        const summary: string[] = [];
        for (const { key, text: more, breaks } of pieces) {
          if (key === 'm') {
            text += more;
            response.growText('m', more);
          } else {
            if (breaks) response.breakSection('r');
            if (breaks && summary.length > 0) summary.push('');
            if (summary.length === 0) summary.push('');
            summary.push(`${summary.pop()}${more}`);
            response.growSummary('r', more);
          }
        }
        const shown = fold(said);
        expect(shown.find(({ type }) => type === 'agent_message') ?? { text: '' }).toMatchObject({ text });
        expect(shown.find(({ type }) => type === 'reasoning') ?? { summary: [] }).toMatchObject({ summary });
      }),
    );
  });

  it('emits no raw reasoning unless it is turned on', () => {
    const reasoning = {
      type: 'reasoning' as const,
      summary: [],
      content: [{ type: 'reasoning_text' as const, text: 'raw' }],
    };
    const quiet = view();
    quiet.view.finishReasoning('0', reasoning, false);
    expect(JSON.stringify(quiet.said)).not.toContain('raw');
    const open = view();
    open.view.finishReasoning('0', reasoning, true);
    expect(open.said.at(-1)).toMatchObject({ item: { raw: 'raw' } });
  });
});

function fold(said: readonly EventMsg[]) {
  const settings = {
    model: 'm',
    effort: null,
    summary: 'auto',
    cwd: '/',
    approvalPolicy: 'never',
    sandboxPolicy: { type: 'danger-full-access' },
    box: 'none',
  } as const;
  const all: EventMsg[] = [{ type: 'turn_started', settings, contextWindow: null }, ...said];
  const events = all.map(
    (msg, index): Event => ({ v: 1, seq: index + 1, at: '', threadId: 't', turnId: 'turn', submissionId: null, msg }),
  );
  return events.reduce(threadReducer, initialThreadState('t')).turns[0]?.items ?? [];
}
