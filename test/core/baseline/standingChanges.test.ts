import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { lastChangingTurn } from '../../../src/core/baseline/agentTurns.ts';
import { changesOfRedo, changesOfTurns } from '../../../src/core/baseline/standingChanges.ts';
import type { ChangeRecord, ChangeStep, FileState, RecordedChange } from '../../../src/protocol/baseline.ts';

const file = (letter: string): FileState => ({ type: 'file', hash: letter.repeat(64), size: 1, mode: 0o644 });
const change = (path: string, from: string, to: string): RecordedChange => ({
  path,
  before: file(from),
  after: file(to),
  by: 'this',
});
const step = (turnId: string, ...changes: RecordedChange[]): ChangeStep => ({
  type: 'step',
  turnId,
  itemId: `item of ${turnId}`,
  source: 'command',
  at: '2026-01-01T00:00:00.000Z',
  changes,
  newFolders: [],
});
const reverted = (direction: 'undo' | 'redo', turnIds: string[], ...changes: RecordedChange[]): ChangeRecord => ({
  type: 'reverted',
  turnIds,
  direction,
  at: '2026-01-01T00:00:00.000Z',
  changes,
  newFolders: [],
});

describe('the subject of an undo', () => {
  it('is one change for a file that several steps of the turn changed', () => {
    const records = [step('t1', change('/a', 'a', 'b')), step('t1', change('/a', 'b', 'c'), change('/b', 'x', 'y'))];
    assert.deepEqual(changesOfTurns(records, ['t1']).changes, [change('/a', 'a', 'c'), change('/b', 'x', 'y')]);
  });

  it('is uncertain where another program wrote between two steps', () => {
    const records = [step('t1', change('/a', 'a', 'b')), step('t1', change('/a', 'x', 'c'))];
    assert.deepEqual(changesOfTurns(records, ['t1']).changes, [{ ...change('/a', 'a', 'c'), by: 'uncertain' }]);
  });

  it('is nothing of what was undone already, and all of it again after a redo', async () => {
    const first = [step('t1', change('/a', 'a', 'b')), step('t2', change('/a', 'b', 'c'))];
    const undone = [...first, reverted('undo', ['t2'], change('/a', 'c', 'b'))];
    assert.deepEqual(changesOfTurns(undone, ['t2']).changes, []);
    assert.deepEqual(changesOfTurns(undone, ['t1', 't2']).changes, [change('/a', 'a', 'b')]);
    assert.equal(await lastChangingTurn(undone, async () => []), 't1');
    const redone = [...undone, reverted('redo', ['t2'], change('/a', 'b', 'c'))];
    assert.deepEqual(changesOfTurns(redone, ['t2']).changes, [change('/a', 'b', 'c')]);
  });

  it('is still a file that an earlier undo left alone', () => {
    const records = [
      step('t1', change('/a', 'a', 'b'), change('/b', 'x', 'y')),
      reverted('undo', ['t1'], change('/a', 'b', 'a')),
    ];
    assert.deepEqual(changesOfTurns(records, ['t1']).changes, [change('/b', 'x', 'y')]);
  });
});

describe('the folders of an undo', () => {
  const made: ChangeRecord = { ...step('t1'), newFolders: ['/d'] };

  it('are those that the turn has made, also without a file', async () => {
    assert.deepEqual(changesOfTurns([made], ['t1']).newFolders, ['/d']);
    assert.equal(await lastChangingTurn([made], async () => []), 't1');
  });

  it('are none once the turn is undone, except while a file of it was left alone', () => {
    const undo = reverted('undo', ['t1'], change('/d/a', 'b', 'a'));
    const whole: ChangeRecord = { ...step('t1', change('/d/a', 'a', 'b')), newFolders: ['/d'] };
    assert.deepEqual(changesOfTurns([whole, undo], ['t1']).newFolders, []);
    const more: ChangeRecord = {
      ...step('t1', change('/d/a', 'a', 'b'), change('/d/b', 'x', 'y')),
      newFolders: ['/d'],
    };
    assert.deepEqual(changesOfTurns([more, undo], ['t1']).newFolders, ['/d']);
  });
});

describe('the subject of a redo', () => {
  const undo = (letter: string) => reverted('undo', ['t1'], change('/a', letter, 'a'));

  it('is the last undo that was not redone', () => {
    const records = [step('t1', change('/a', 'a', 'b')), undo('b'), reverted('redo', ['t1'], change('/a', 'a', 'b'))];
    assert.equal(changesOfRedo(records), undefined);
    assert.deepEqual(changesOfRedo(records.slice(0, 2))?.changes, [change('/a', 'b', 'a')]);
  });

  it('is nothing after a further change', () => {
    assert.equal(changesOfRedo([step('t1'), undo('b'), step('t2', change('/c', 'a', 'b'))]), undefined);
  });
});
