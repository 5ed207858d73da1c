import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  type Baseline,
  type BaselineEntry,
  composed,
  diffBaselines,
  sameState,
} from '../../../src/core/baseline/diffBaselines.ts';
import { mergeTexts } from '../../../src/core/baseline/mergeTexts.ts';
import type { FileState } from '../../../src/protocol/baseline.ts';

const file = (letter: string, mode = 0o644) =>
  ({ type: 'file', hash: letter.repeat(64), size: 1, mode }) as const satisfies FileState;
const entry = (state: BaselineEntry['state'], changedAt = 1): BaselineEntry => ({ state, changedAt, bornAt: null });
const absent: FileState = { type: 'absent' };

describe('two baselines', () => {
  it('differ in what came, went, changed its content or its mode', () => {
    const before: Baseline = new Map([
      ['/w/changed', entry(file('a'))],
      ['/w/gone', entry(file('b'))],
      ['/w/mode', entry(file('c'))],
      ['/w/same', entry(file('d'))],
    ]);
    const after: Baseline = new Map([
      ['/w/same', entry(file('d'), 9)],
      ['/w/new', entry(file('e'), 7)],
      ['/w/mode', entry(file('c', 0o755), 8)],
      ['/w/changed', entry(file('f'), 6)],
    ]);
    assert.deepEqual(diffBaselines(before, after), [
      { path: '/w/changed', before: file('a'), after: file('f'), changedAt: 6 },
      { path: '/w/gone', before: file('b'), after: absent, changedAt: null },
      { path: '/w/mode', before: file('c'), after: file('c', 0o755), changedAt: 8 },
      { path: '/w/new', before: absent, after: file('e'), changedAt: 7 },
    ]);
  });

  it('have the same state of a file only with the same content, mode and kind', () => {
    const states: readonly FileState[] = [
      absent,
      file('a'),
      file('a', 0o755),
      file('b'),
      { type: 'link', target: 'a', hash: 'a' },
      { type: 'link', target: 'b', hash: 'b' },
      { type: 'left_out', reason: 'ignored', stamp: '1' },
      { type: 'left_out', reason: 'ignored', stamp: '2' },
      { type: 'left_out', reason: 'too_large', stamp: '1' },
    ];
    const same = states.map((one) => states.filter((other) => sameState(one, { ...other })));
    assert.deepEqual(
      same,
      states.map((state) => [state]),
    );
  });

  it('differ in nothing where a second change reverted the first one', () => {
    const there = { path: '/w/a', before: file('a'), after: file('b'), changedAt: 1 };
    const back = { path: '/w/a', before: file('b'), after: file('a'), changedAt: 2 };
    assert.equal(composed(there, back), undefined);
    const gone = { ...back, after: absent };
    assert.deepEqual(composed<typeof gone>({ ...there, after: absent }, gone), { ...gone, before: file('a') });
  });
});

describe('two changes of one text', () => {
  it('are both kept where they are apart', () => {
    assert.equal(mergeTexts('a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nF\n'), 'A\nb\nc\nd\nE\nF\n');
  });

  it('are not merged on the same line or on lines side by side', () => {
    assert.equal(mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'Z\nb\nc\n'), undefined);
    assert.equal(mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nB\nc\n'), undefined);
    assert.equal(mergeTexts('a\nb\n', 'a\nb\nmine\n', 'a\nb\ntheirs\n'), undefined);
  });

  it('are merged where several of each alternate, and not where one of them is beside another', () => {
    const lines = Array.from({ length: 16 }, (_, index) => `${index}\n`);
    const edited = (...at: readonly number[]) =>
      lines.map((line, index) => (at.includes(index) ? `changed ${line}` : line)).join('');
    const one = edited(0, 4, 8, 12);
    assert.equal(mergeTexts(lines.join(''), one, edited(2, 6, 10, 14)), edited(0, 2, 4, 6, 8, 10, 12, 14));
    assert.equal(mergeTexts(lines.join(''), one, edited(2, 6, 11, 14)), undefined);
    assert.equal(mergeTexts(lines.join(''), one, lines.toSpliced(3, 3).join('')), undefined);
  });

  it('keep a text without a newline at its end as it is', () => {
    assert.equal(mergeTexts('a\nb\nc\nd', 'X\nb\nc\nd', 'a\nb\nc\nD'), 'X\nb\nc\nD');
  });

  it('merge to the one change where the other changes nothing, and never lose a line of either', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (base, other) => {
        const [one, two] = [base, other].map((each) => each.map((line) => `${line}\n`).join('')) as [string, string];
        assert.equal(mergeTexts(one, one, two), two);
        assert.equal(mergeTexts(one, two, one), two);
      }),
    );
    fc.assert(
      fc.property(lines, fc.nat(11), fc.nat(11), (base, left, right) => {
        const all = base.map((line, index) => `${index}${line}\n`);
        if (left >= all.length || right >= all.length) return;
        const edited = (at: number, word: string) => all.with(at, `${word}\n`).join('');
        const merged = mergeTexts(all.join(''), edited(left, 'left'), edited(right, 'right'));
        if (Math.abs(left - right) < 2) assert.equal(merged, undefined);
        else assert.equal(merged, all.with(left, 'left\n').with(right, 'right\n').join(''));
      }),
    );
  });
});
