import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { CopyCounts } from '../../../src/core/sideCopies/copyCounts.ts';
import type { CopyChange, SideCopy } from '../../../src/core/sideCopies/sideCopy.ts';

const change = (name: string): CopyChange => ({
  home: `/w/${name}`,
  copy: `/c/${name}`,
  base: undefined,
  result: { type: 'absent' },
});

describe('the count of files in the side copy of a thread', () => {
  it('is not known at first, follows what changes there, and ends with the copy', async () => {
    let copy: SideCopy | undefined = { id: 'c', threadId: 'agent', createdAt: '', folders: [] };
    let names = ['a', 'b'];
    const asked: AbortSignal[] = [];
    const store = {
      of: (threadId: string) => (threadId === copy?.threadId ? copy : undefined),
      changes: async (_id: string, signal: AbortSignal) => {
        asked.push(signal);
        return names.map(change);
      },
    };
    const counts = new CopyCounts(store, (error) => assert.fail(String(error)));
    const changed = () => new Promise<void>((resolve) => counts.onChange(resolve));
    const first = changed();
    assert.deepEqual([counts.of('another'), counts.of('agent'), counts.of('agent')], [undefined, null, null]);
    await first;
    assert.deepEqual([counts.of('agent'), asked.length], [2, 1]);
    names = [];
    const second = changed();
    counts.refresh('agent');
    counts.refresh('agent');
    assert.equal(counts.of('agent'), 2, 'until the new one is known');
    await second;
    assert.deepEqual([counts.of('agent'), asked.map(({ aborted }) => aborted)], [0, [false, true, false]]);
    copy = undefined;
    const third = changed();
    counts.refresh('agent');
    await third;
    assert.equal(counts.of('agent'), undefined);
    counts.dispose();
  });

  it('is counted again when it is asked for after it could not be counted', async () => {
    const copy: SideCopy = { id: 'c', threadId: 'agent', createdAt: '', folders: [] };
    let isBroken = true;
    const store = {
      of: () => copy,
      changes: async () => {
        if (isBroken) throw new Error('EMFILE');
        return [change('a')];
      },
    };
    let report: (error: unknown) => void = () => {};
    const reported = new Promise<unknown>((resolve) => (report = resolve));
    const counts = new CopyCounts(store, (error) => report(error));
    counts.of('agent');
    assert.match(String(await reported), /EMFILE/);
    isBroken = false;
    const changed = new Promise<void>((resolve) => counts.onChange(resolve));
    assert.equal(counts.of('agent'), null);
    await changed;
    assert.equal(counts.of('agent'), 1);
    counts.dispose();
  });
});
