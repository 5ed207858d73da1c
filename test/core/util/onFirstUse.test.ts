import { expect, test } from 'vitest';
import { onFirstUse } from '../../../src/core/util/onFirstUse.ts';

test('onFirstUse makes the value once for all uses, and again at the next use after a failure', async () => {
  const outcomes = [new Error('one'), new Error('two'), 'made', 'made again'];
  const use = onFirstUse(async () => {
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  expect(outcomes).toHaveLength(4);
  const shared = await Promise.allSettled([use(), use()]);
  expect(shared.map((end) => end.status === 'rejected' && String(end.reason))).toEqual(['Error: one', 'Error: one']);
  await expect(use()).rejects.toThrow('two');
  expect(await Promise.all([use(), use()])).toEqual(['made', 'made']);
  expect(await use()).toBe('made');
});
