import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History } from '../../../src/core/history/history.ts';
import { ABORTED_OUTPUT, normalize } from '../../../src/core/history/normalize.ts';
import { callIdOf, isToolCall, type ResponseItem } from '../../../src/protocol/responseItem.ts';
import { pairingBreaches } from '../../support/modelServer.ts';

const call = (call_id: string): ResponseItem => ({ type: 'function_call', call_id, name: 'x', arguments: '{}' });
const output = (call_id: string, output = 'done'): ResponseItem => ({ type: 'function_call_output', call_id, output });
const said = (text: string): ResponseItem => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

const id = fc.constantFrom('a', 'b', 'c');
const item: fc.Arbitrary<ResponseItem> = fc.oneof(
  id.map(call),
  id.map((call_id): ResponseItem => ({ type: 'custom_tool_call', call_id, name: 'x', input: '' })),
  id.map(
    (id): ResponseItem => ({
      type: 'local_shell_call',
      id,
      status: 'completed',
      action: { type: 'exec', command: ['ls'] },
    }),
  ),
  id.map((id) => output(id)),
  id.map((call_id): ResponseItem => ({ type: 'custom_tool_call_output', call_id, output: 'done' })),
  fc.string().map(said),
);

describe('the history of a resumed thread', () => {
  it('has exactly one output for every call and one call for every output, whatever was recorded', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 15 }), (items) => {
        const history = normalize(items);
        expect(pairingBreaches({ wire: 'responses', input: history })).toEqual([]);
        expect(normalize(history)).toEqual(history);
        const others = (all: readonly ResponseItem[]) => all.filter(({ type }) => type === 'message');
        expect(others(history)).toEqual(others(items));
      }),
    );
  });

  it('keeps recorded outputs, and adds missing ones after their calls', () => {
    expect(normalize([call('a'), said('x'), output('a'), call('b'), said('y')])).toEqual([
      call('a'),
      said('x'),
      output('a'),
      call('b'),
      output('b', ABORTED_OUTPUT),
      said('y'),
    ]);
  });

  it('keeps reasoning with the message or the call that follows it, and leaves out what stands alone', () => {
    const thought = (id: string): ResponseItem => ({ type: 'reasoning', id, summary: [] });
    const answer: ResponseItem = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
    const search: ResponseItem = { type: 'web_search_call', status: 'completed' };
    const whole = [
      thought('1'),
      thought('2'),
      call('a'),
      thought('3'),
      call('b'),
      output('a'),
      output('b'),
      thought('4'),
    ];
    expect(normalize([...whole, search, thought('5'), answer])).toEqual([...whole, search, thought('5'), answer]);
    expect(normalize([thought('1'), said('x'), thought('2'), answer, thought('3'), thought('4')])).toEqual([
      said('x'),
      thought('2'),
      answer,
    ]);
    expect(normalize([call('a'), thought('1'), output('a')])).toEqual([call('a'), output('a')]);
  });

  it('leaves out outputs without a call, second outputs and second calls', () => {
    expect(normalize([output('a'), call('a'), output('a', '1'), output('a', '2'), call('a'), output('b')])).toEqual([
      call('a'),
      output('a', '1'),
    ]);
  });

  it('adds outputs in the form of the call', () => {
    expect(normalize([{ type: 'custom_tool_call', call_id: 'a', name: 'x', input: '' }])[1]).toEqual({
      type: 'custom_tool_call_output',
      call_id: 'a',
      output: ABORTED_OUTPUT,
    });
  });

  it('leaves calls open that may still get an output', () => {
    const history = new History([call('a'), call('b')], new Set(['b']));
    expect(history.owed).toEqual([call('b')]);
    history.append(output('b'));
    expect(history.owed).toEqual([]);
  });
});

describe('call ids', () => {
  it('are unique in a thread, and stay as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'a', 'b')), (ids) => {
        const history = new History();
        let made = 0;
        for (const id of ids) {
          const unique = history.withUniqueId(
            { type: 'function_call', call_id: id, name: 'x', arguments: '' },
            () => `new${made++}`,
          );
          history.append(unique);
        }
        const calls = history.items.filter(isToolCall).map(callIdOf);
        expect(new Set(calls).size).toBe(ids.length);
        for (const id of new Set(ids)) if (id !== '') expect(calls).toContain(id);
      }),
    );
  });

  it('of a local shell call may be that of its item', () => {
    const shell = {
      type: 'local_shell_call' as const,
      id: 'item',
      status: 'completed' as const,
      action: { type: 'exec' as const, command: ['ls'] },
    };
    expect(new History().withUniqueId(shell, () => 'never').call_id).toBe('item');
  });
});
