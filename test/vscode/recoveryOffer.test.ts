import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import type { RecoveryChoice } from '../../src/protocol/wire.ts';
import type {
  RecoverablePatch,
  PatchSettlement,
  SettlingPatience,
} from '../../src/vscode/recovery/interruptedPatch.ts';
import { RecoveryOffer } from '../../src/vscode/recovery/recoveryOffer.ts';

const DONE: PatchSettlement = { type: 'settled', result: { leftAlone: [], unsaved: [] } };
const THEY = { pid: 4711, name: 'vscode', since: '2026-01-01T00:00:00.000Z' };

/** A disk with patches that a crash interrupted; a settled one is removed from it, as a journal is. */
class Disk {
  readonly settled: string[] = [];
  readonly reported: unknown[] = [];
  changes = 0;
  /** Lets pending work continue. */
  work: (patience: SettlingPatience) => Promise<PatchSettlement> = async () => DONE;
  readonly #watchers = new Set<() => void>();
  readonly #ids = new Set<string>();
  readonly offer = new RecoveryOffer({
    find: async () => [...this.#ids].map((id) => this.#patch(id)),
    watch: (onSettled) => {
      this.#watchers.add(onSettled);
      return { dispose: () => void this.#watchers.delete(onSettled) };
    },
    onChange: () => this.changes++,
    report: (error) => this.reported.push(error),
  });

  crash(id: string): Promise<void> {
    this.#ids.add(id);
    return this.offer.look();
  }

  settledElsewhere(id: string): void {
    this.#ids.delete(id);
    for (const listener of this.#watchers) listener();
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  waiting(): readonly string[] {
    return this.offer.patches.map(({ id, settling }) => (settling === null ? id : `${id}: ${settling}`));
  }

  #patch(id: string): RecoverablePatch {
    const settle = async (way: RecoveryChoice, patience: SettlingPatience) => {
      const outcome = await this.work(patience);
      if (outcome.type !== 'settled') return outcome;
      this.settled.push(`${id}: ${way}`);
      this.#ids.delete(id);
      return outcome;
    };
    return { id, startedAt: new Date(0), changes: [{ path: '/w/a.txt', kind: 'update' }], settle };
  }
}

suite('an interrupted patch', () => {
  test('is offered until it is settled, and settled once', async () => {
    const disk = new Disk();
    await disk.crash('one');
    await disk.crash('two');
    assert.deepEqual(disk.waiting(), ['one', 'two']);
    let goOn = () => {};
    disk.work = () => new Promise((resolve) => (goOn = () => resolve(DONE)));
    const first = disk.offer.settle('two', 'roll_back');
    const second = disk.offer.settle('two', 'finish');
    while (disk.waiting().includes('two')) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(disk.waiting(), ['one', 'two: roll_back']);
    await disk.offer.look();
    assert.deepEqual(disk.waiting(), ['one', 'two: roll_back']);
    while (!disk.settled.includes('two: roll_back')) {
      goOn();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([first, second]);
    assert.deepEqual(disk.settled, ['two: roll_back']);
    assert.deepEqual(disk.waiting(), ['one']);
    disk.offer.dispose();
  });

  test('is withdrawn when it was settled elsewhere, and the panel gets no other change', async () => {
    const disk = new Disk();
    await disk.crash('one');
    assert.equal(disk.changes, 1);
    assert.equal(disk.watchers, 1);
    await disk.offer.look();
    assert.equal(disk.changes, 1);
    disk.settledElsewhere('one');
    // The user has not used this window meanwhile.
    while (disk.waiting().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(disk.changes, 2);
    assert.equal(disk.watchers, 0);
    await disk.offer.settle('one', 'finish');
    assert.deepEqual(disk.settled, []);
    disk.offer.dispose();
  });

  test('that another window settles is waited for, and not settled twice', async () => {
    const disk = new Disk();
    await disk.crash('one');
    const end = new Promise<(settlement: PatchSettlement) => void>((entered) => {
      disk.work = ({ onWait }) => {
        onWait(THEY);
        return new Promise(entered);
      };
    });
    const settling = disk.offer.settle('one', 'finish');
    await end;
    assert.deepEqual(disk.waiting(), ['one: finish']);
    disk.settledElsewhere('one');
    (await end)({ type: 'settled_elsewhere', by: THEY });
    await settling;
    assert.deepEqual([disk.waiting(), disk.settled], [[], []]);
    disk.offer.dispose();
  });

  test('that is left to another window is offered until that has settled it', async () => {
    const disk = new Disk();
    await disk.crash('one');
    disk.work = async () => ({ type: 'busy', owner: THEY });
    await disk.offer.settle('one', 'finish');
    assert.deepEqual([disk.waiting(), disk.settled], [['one'], []]);
    disk.settledElsewhere('one');
    while (disk.waiting().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    disk.offer.dispose();
  });

  test('stays pending when it could not be settled', async () => {
    const disk = new Disk();
    await disk.crash('one');
    disk.work = () => Promise.reject(new Error('The disk is full.'));
    await disk.offer.settle('one', 'finish');
    assert.deepEqual(disk.waiting(), ['one']);
    assert.deepEqual(disk.reported.map(String), ['Error: The disk is full.']);
    disk.work = async () => DONE;
    await disk.offer.settle('one', 'finish');
    assert.deepEqual(disk.waiting(), []);
    disk.offer.dispose();
  });
});
