/** The input of a summary when the history is too long for the window. */
import { describe, expect, it, test } from 'vitest';
import { summaryMessage } from '../../../src/core/prompt/compaction.ts';
import { userText } from '../../../src/core/prompt/notices.ts';
import { roughTokens } from '../../../src/core/session/contextSize.ts';
import { fitting, shorter, withCallsAsText, withoutOldest } from '../../../src/core/session/summaryInput.ts';
import type { ResponseItem } from '../../../src/protocol/responseItem.ts';

const says = (text: string): ResponseItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const thinks: ResponseItem = { type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(2000) };
const call = (call_id: string): ResponseItem => ({
  type: 'function_call',
  call_id,
  name: 'exec_command',
  arguments: '{}',
});
const output = (call_id: string, text = 'out'): ResponseItem => ({
  type: 'function_call_output',
  call_id,
  output: text,
});

describe('the oldest part of a history', () => {
  it('is removed in whole rounds, each time at least a tenth', () => {
    const first = [userText('one'), thinks, call('a'), call('b'), output('a'), output('b')];
    const second = [thinks, call('c'), output('c')];
    const third = [says('Done.'), userText('two'), says('Well.')];
    const history = [...first, ...second, ...third];
    expect(withoutOldest(history)).toEqual([...second, ...third]);
    expect(withoutOldest([...second, ...third])).toEqual(third);
    expect(withoutOldest(third)).toEqual(third.slice(1));
    expect(withoutOldest(third.slice(1))).toBeUndefined();
  });

  it('never includes an earlier summary', () => {
    const summary = summaryMessage('All that was before.');
    const history = [userText('one'), summary, userText('x'.repeat(400)), says('Done.'), userText('three')];
    let left: readonly ResponseItem[] | undefined = history;
    for (let steps = 0; left !== undefined; steps++) {
      expect(left.filter((item) => item === summary)).toHaveLength(1);
      expect(steps).toBeLessThan(5);
      left = withoutOldest(left);
    }
  });
});

describe('a history that was refused', () => {
  it('gets shorter each time, and ends in words without long texts', () => {
    const history = [
      userText('m'.repeat(20_000)),
      call('a'),
      output('a', 'x'.repeat(40_000)),
      says('Well.'),
      userText('two'),
      call('b'),
      output('b', 'y'.repeat(1000)),
    ];
    const forms: (readonly ResponseItem[])[] = [history];
    for (let next = shorter(history); next !== undefined; next = shorter(next)) forms.push(next);
    const sizes = forms.map(roughTokens);
    expect(sizes).toEqual(sizes.toSorted((left, right) => right - left));
    expect(forms.map((form) => form.length)).toEqual([7, 7, 4, 4]);
    expect(sizes.at(-1)).toBeLessThan(500);

    const single = [userText('m'.repeat(20_000)), call('a'), output('a', 'x'.repeat(40_000))];
    let last: readonly ResponseItem[] = single;
    for (let next = shorter(last); next !== undefined; next = shorter(next)) last = next;
    expect(new Set(last.map(({ type }) => type))).toEqual(new Set(['message']));
    expect(roughTokens(last)).toBeLessThan(1500);
  });
});

test('calls as text have no reasoning, which servers take only before a call', () => {
  const texts = withCallsAsText([userText('one'), thinks, call('a'), output('a')]);
  expect(texts?.map(({ type }) => type)).toEqual(['message', 'message', 'message']);
});

describe('a history that must fit', () => {
  const history = [
    userText('one'),
    call('a'),
    output('a', 'x'.repeat(40_000)),
    says(`${'y'.repeat(4000)} end`),
    userText('two'),
  ];
  const within = (tokens: number) => fitting(history, (items) => roughTokens(items) <= tokens);

  it('is unchanged where it fits', () => {
    expect(within(20_000)).toBe(history);
  });

  it('has its long texts cut before a round is removed, and keeps messages of the user whole', () => {
    const cut = within(4000);
    expect(cut).toHaveLength(history.length);
    expect([cut[0], cut[3], cut[4]]).toEqual([history[0], history[3], history[4]]);
    expect(JSON.stringify(cut[2])).toMatch(/x…\d+ tokens truncated…x/);
    expect(within(500)).toHaveLength(history.length);
    // Each form is made of the whole text, and says how much of it is missing.
    expect(Number(/x…(\d+) tokens truncated…x/.exec(JSON.stringify(within(500)))?.[1])).toBeGreaterThan(9000);
    expect(within(100)).toEqual([history.at(-1)]);
  });

  it('has a long message cut where no round can be removed, and an earlier summary whole', () => {
    const summary = summaryMessage('s'.repeat(20_000));
    const long = [summary, userText('m'.repeat(20_000))];
    const cut = fitting(long, (items) => roughTokens(items) <= 7000);
    expect([cut.length, cut[0]]).toEqual([2, summary]);
    expect(roughTokens(cut)).toBeLessThan(7000);
  });

  it('is sent although it does not fit, for the server to refuse', () => {
    expect(within(0)).toEqual([history.at(-1)]);
  });
});
