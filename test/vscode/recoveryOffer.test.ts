import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import type { WayOut } from '../../src/protocol/wire.ts';
import type { HalfLandedPatch, SettledPatch } from '../../src/vscode/halfLanded.ts';
import { RecoveryOffer } from '../../src/vscode/recoveryOffer.ts';

const DONE: SettledPatch = { leftAlone: [], unsaved: [] };

/** A disk with patches on it that a crash has left; what is settled is gone from it, as a journal is. */
class Disk {
  readonly settled: string[] = [];
  readonly reported: unknown[] = [];
  changes = 0;
  /** Lets whoever is at work go on. */
  work: () => Promise<SettledPatch | null> = async () => DONE;
  readonly #ids = new Set<string>();
  readonly offer = new RecoveryOffer({
    find: async () => [...this.#ids].map((id) => this.#patch(id)),
    onChange: () => this.changes++,
    report: (error) => this.reported.push(error),
  });

  crash(id: string): Promise<void> {
    this.#ids.add(id);
    return this.offer.look();
  }

  settledElsewhere(id: string): void {
    this.#ids.delete(id);
  }

  waiting(): readonly string[] {
    return this.offer.patches.map(({ id, settling }) => (settling === null ? id : `${id}: ${settling}`));
  }

  #patch(id: string): HalfLandedPatch {
    const settle = async (way: WayOut) => {
      const outcome = await this.work();
      this.settled.push(`${id}: ${way}`);
      this.#ids.delete(id);
      return outcome;
    };
    return { id, startedAt: new Date(0), changes: [{ path: '/w/a.txt', kind: 'update' }], settle };
  }
}

suite('what a crash left half landed', () => {
  test('waits until it is decided, and is decided once', async () => {
    const disk = new Disk();
    await disk.crash('one');
    await disk.crash('two');
    assert.deepEqual(disk.waiting(), ['one', 'two']);
    let goOn = () => {};
    disk.work = () => new Promise((resolve) => (goOn = () => resolve(DONE)));
    const first = disk.offer.settle('two', 'put_back');
    const second = disk.offer.settle('two', 'finish');
    while (disk.waiting().includes('two')) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(disk.waiting(), ['one', 'two: put_back']);
    await disk.offer.look();
    assert.deepEqual(disk.waiting(), ['one', 'two: put_back']);
    while (!disk.settled.includes('two: put_back')) {
      goOn();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([first, second]);
    assert.deepEqual(disk.settled, ['two: put_back']);
    assert.deepEqual(disk.waiting(), ['one']);
    disk.offer.dispose();
  });

  test('goes when it was settled elsewhere, and the panel is told of nothing else', async () => {
    const disk = new Disk();
    await disk.crash('one');
    assert.equal(disk.changes, 1);
    await disk.offer.look();
    assert.equal(disk.changes, 1);
    disk.settledElsewhere('one');
    await disk.offer.look();
    assert.deepEqual(disk.waiting(), []);
    assert.equal(disk.changes, 2);
    await disk.offer.settle('one', 'finish');
    assert.deepEqual(disk.settled, []);
    disk.offer.dispose();
  });

  test('waits on when it could not be settled', async () => {
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
