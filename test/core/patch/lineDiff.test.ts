import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { diffLines } from '../../../src/core/patch/lineDiff.ts';
import { seededRandom } from '../../support/random.ts';

describe('the lines in which two lists differ', () => {
  test('turn one into the other, each with common lines around it', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 15 });
    fc.assert(fc.property(lines, lines, (old, now) => leadsTo(old, now)));
  });

  test('are found in a long text as well, also where lines were moved', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = seededRandom(seed);
        const old = Array.from({ length: 3000 }, (_nothing, index) => (index % 7 === 0 ? '' : `line ${index}`));
        const now = old.flatMap((line) => {
          const dice = random.below(20);
          return dice === 0 ? [] : dice === 1 ? [line, `new ${random.below(50)}`] : [line];
        });
        const moved = [...now.slice(500, 700), ...now.slice(0, 500), ...now.slice(700)];
        leadsTo(old, now);
        leadsTo(old, moved);
      }),
      { numRuns: 5 },
    );
  });

  test('are complete in 20,000 lines, too', () => {
    const old = Array.from({ length: 20_000 }, (_nothing, index) => `line ${index}`);
    const now = old.map((line, index) => (index % 20 === 3 ? `changed ${index}` : line));
    assert.equal(diffLines(old, now).length, 1000);
  });
});

function leadsTo(old: readonly string[], now: readonly string[]): void {
  const changes = diffLines(old, now);
  const made: string[] = [];
  let at = 0;
  for (const [index, { start, end, newStart, newEnd }] of changes.entries()) {
    assert.ok(index === 0 || start > at, 'two changes lie side by side');
    made.push(...old.slice(at, start));
    assert.equal(made.length, newStart);
    made.push(...now.slice(newStart, newEnd));
    at = end;
  }
  assert.deepEqual([...made, ...old.slice(at)], now);
}
