import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { ChangeLedger } from '../../../src/core/baseline/changeLedger.ts';
import type { BaselineStore, Look, LookedChange, RecordedFile } from '../../../src/core/ports.ts';
import { systemClock } from '../../../src/node/host/clock.ts';
import { ThreadChanges } from '../../../src/core/session/threadChanges.ts';
import type { FileState } from '../../../src/protocol/baseline.ts';
import type { TurnSettings } from '../../../src/protocol/event.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { MemoryWorkspace } from '../../support/memoryWorkspace.ts';

const unexpected = (error: unknown): never => {
  throw error;
};

const file = (letter: string): FileState => ({ type: 'file', hash: letter.repeat(64), size: 1, mode: 0o644 });
const { signal } = new AbortController();
const WAIT = { roots: ['/w'], maxBytes: 1 };

/** Looks answer what they are given, each when it is released. */
class FakeStore implements BaselineStore {
  readonly looks: ((look: Partial<Look>) => void)[] = [];
  recorded: readonly RecordedFile[] = [];
  states = new Map<string, FileState>();

  look(): Promise<Look> {
    return new Promise((resolve) => {
      this.looks.push((look) => resolve({ changes: [], newFolders: [], goneFolders: [], isFirst: false, ...look }));
    });
  }

  /** Ends the look that was begun as the `index`th. */
  async end(index: number, look: Partial<Look> = {}): Promise<void> {
    while (this.looks[index] === undefined) await sleep(1);
    this.looks[index](look);
    await sleep(1);
  }

  async changedSince(): Promise<readonly RecordedFile[]> {
    return this.recorded;
  }

  async capture(paths: readonly string[]): Promise<ReadonlyMap<string, FileState>> {
    return new Map(paths.map((path) => [path, this.states.get(path) ?? { type: 'absent' }]));
  }

  async missingFolders(): Promise<readonly string[]> {
    return [];
  }

  async keep(): Promise<never> {
    throw new Error('not used');
  }

  async read(): Promise<undefined> {}

  async dispose(): Promise<void> {}
}

const changed = (path: string, changedAt: number, before = file('a'), after = file('b')): LookedChange => ({
  path,
  before,
  after,
  changedAt,
});

describe('the changes of a command', () => {
  it('start to be gathered without a wait where the last look took longer than the command may wait', async () => {
    const store = new FakeStore();
    let elapsed = 0;
    const waits: number[] = [];
    const clock = {
      ...systemClock,
      // The time of day was set back during the look.
      now: () => new Date(1_000 - elapsed),
      monotonic: () => elapsed,
      sleep: (milliseconds: number, stop?: AbortSignal) => {
        waits.push(milliseconds);
        return systemClock.sleep(20_000, stop);
      },
    };
    const ledger = new ChangeLedger({ store, clock, report: unexpected });
    const starting = ledger.begin({ id: 'a', ...WAIT, waitMs: 5_000 }, signal);
    while (store.looks.length === 0) await sleep(1);
    elapsed = 80;
    await store.end(0);
    const first = await starting;
    const second = await ledger.begin({ id: 'b', ...WAIT, waitMs: 10 }, signal);
    assert.deepEqual(waits, [5_000]);
    await store.end(1);
    const ending = Promise.all([first.end(), second.end()]);
    await store.end(2);
    await ending;
    const third = ledger.begin({ id: 'c', ...WAIT, waitMs: 10 }, signal);
    await store.end(3);
    await third;
    assert.deepEqual(waits, [5_000, 10]);
  });

  it('are those that were made while it ran, as one change for each file', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const starting = ledger.begin({ id: 'c', ...WAIT, waitMs: 5_000 }, signal);
    await store.end(0, { changes: [changed('/w/before', Date.now() - 10_000)] });
    const command = await starting;
    const ending = command.end();
    const now = Date.now();
    await store.end(1, {
      changes: [changed('/w/a', now), changed('/v/elsewhere', now), changed('/w/old', now - 9_000)],
    });
    assert.deepEqual((await ending).changes, [{ path: '/w/a', before: file('a'), after: file('b'), by: 'this' }]);
  });

  it('do not wait for a slow look: the command starts, and its look is shared with the next one', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const first = await ledger.begin({ id: 'one', ...WAIT, waitMs: 5 }, signal);
    const ending = first.end();
    const second = await ledger.begin({ id: 'two', ...WAIT, waitMs: 5 }, signal);
    const endingToo = second.end();
    for (let index = 0; index < 2; index++) await store.end(index);
    await Promise.all([ending, endingToo]);
    assert.equal(store.looks.length, 2);
  });

  it('are uncertain where the command started before the look was over and another program was at work', async () => {
    for (const [by, gap] of [
      ['uncertain', 5_000],
      ['this', undefined],
    ] as const) {
      const store = new FakeStore();
      const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
      const command = await ledger.begin({ id: 'c', ...WAIT, waitMs: 5 }, signal);
      const now = Date.now();
      const early = gap === undefined ? [] : [changed('/w/z', now - gap)];
      await store.end(0, { changes: [changed('/w/a', now), ...early] });
      const ending = command.end();
      await store.end(1);
      assert.deepEqual(
        (await ending).changes.map((one) => [one.path, one.by]),
        [['/w/a', by]],
      );
    }
  });

  it('follow from the times of the files where the first recording was not over', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const command = await ledger.begin({ id: 'c', ...WAIT, waitMs: 5 }, signal);
    const now = Date.now();
    store.recorded = [
      { path: '/w/new', state: file('n'), changedAt: now, bornAt: now },
      { path: '/w/old', state: file('o'), changedAt: now, bornAt: now - 60_000 },
    ];
    await store.end(0, { isFirst: true });
    const ending = command.end();
    await store.end(1);
    const { changes, problem } = await ending;
    assert.deepEqual(
      changes.map(({ path, before }) => [path, before.type === 'left_out' ? before.reason : before.type]),
      [
        ['/w/new', 'absent'],
        ['/w/old', 'late'],
      ],
    );
    assert.match(problem ?? '', /for the first time/);
  });

  it('a patch that waits for a look is not applied after Stop, and the next one is', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const looking = ledger.lookForOthers(['/w'], { maxBytes: 1 });
    const stop = new AbortController();
    const applied: string[] = [];
    const apply = (patch: string) => async () => void applied.push(patch);
    const waiting = ledger.write(['/w/a'], apply('first'), stop.signal);
    const storage = new MemoryStorage();
    const changes = new ThreadChanges({
      ledger,
      store,
      storage,
      workspace: new MemoryWorkspace(),
      clock: systemClock,
      log: { debug: unexpected, info: unexpected, warn: unexpected, error: unexpected },
      threadId: 't',
      maxBytes: 1,
      secretsAmong: async () => new Set(),
      emit: unexpected,
    });
    const hooks = { turnId: 't1', settings: {} as TurnSettings, signal: stop.signal, onChanges: unexpected };
    const patch = changes.forTurn(hooks).patchApplies({ itemId: 'i', paths: ['/w/b'] }, apply('second'), () => true);
    stop.abort(new Error('stopped'));
    await assert.rejects(waiting, /^Error: stopped$/);
    await assert.rejects(patch, /^Error: stopped$/);
    const next = ledger.write(['/w/c'], apply('third'), signal);
    await store.end(0);
    await Promise.all([looking, next]);
    assert.deepEqual(applied, ['third']);
  });

  it('leave out what a patch wrote meanwhile', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const starting = ledger.begin({ id: 'c', ...WAIT, waitMs: 5_000 }, signal);
    await store.end(0);
    const command = await starting;
    store.states.set('/w/patched', file('a'));
    const { changes, result } = await ledger.write(['/w/patched'], async () => {
      store.states.set('/w/patched', file('b'));
      return 'applied';
    });
    assert.deepEqual([changes.length, result], [1, 'applied']);
    const ending = command.end();
    await store.end(1, { changes: [changed('/w/patched', Date.now()), changed('/w/a', Date.now())] });
    assert.deepEqual(
      (await ending).changes.map(({ path }) => path),
      ['/w/a'],
    );
  });

  it('end an interrupted wait with the reason of the signal', async () => {
    const ledger = new ChangeLedger({ store: new FakeStore(), clock: systemClock, report: unexpected });
    const abort = new AbortController();
    const starting = ledger.begin({ id: 'c', ...WAIT, waitMs: 5_000 }, abort.signal);
    abort.abort(new Error('Interrupted.'));
    await assert.rejects(starting, /Interrupted/);
  });
});

describe('the changes of other programs', () => {
  it('are those of no command, no save and no folder that the user has removed', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const told: string[] = [];
    ledger.onOtherChanges((changes) => told.push(...changes.map(({ path, by }) => `${path} ${by}`)));
    const now = Date.now();
    ledger.noteWrite('/w/saved');
    ledger.noteWrite('/w/removed');
    const looking = ledger.lookForOthers(['/w'], { maxBytes: 1 });
    await store.end(0, {
      changes: [
        changed('/w/other', now),
        changed('/w/saved', now),
        changed('/w/removed/a', now, file('a'), { type: 'absent' }),
        changed('/w/saved2', now),
      ],
    });
    await looking;
    assert.deepEqual(told, ['/w/other this', '/w/saved2 this']);

    const starting = ledger.begin({ id: 'c', ...WAIT, waitMs: 5_000 }, signal);
    await store.end(1);
    const command = await starting;
    const ending = command.end();
    await store.end(2, { changes: [changed('/w/by-command', Date.now())] });
    await ending;
    assert.equal(told.length, 2);
  });

  it('include one of a file that was saved long before', async () => {
    const store = new FakeStore();
    const ledger = new ChangeLedger({ store, clock: systemClock, report: unexpected });
    const told: string[] = [];
    ledger.onOtherChanges((changes) => told.push(...changes.map(({ path }) => path)));
    ledger.noteWrite('/w/a');
    const looking = ledger.lookForOthers(['/w'], { maxBytes: 1 });
    await store.end(0, { changes: [changed('/w/a', Date.now() + 10_000)] });
    await looking;
    assert.deepEqual(told, ['/w/a']);
  });
});
