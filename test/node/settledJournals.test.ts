/** A patch that is complete, or rolled back, keeps its journal until its files are on the disk. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, describe, test } from 'vitest';
import { applyPatch } from '../../src/node/apply/applyPatch.ts';
import { flushed } from '../../src/node/apply/flush.ts';
import { recoverJournals } from '../../src/node/apply/recoverJournals.ts';
import { createLocks } from '../../src/node/storage/locks.ts';
import { crash, killedAfter, newTree, oldTree, tree, treesOf, write } from '../support/crashedApply.ts';
import { decidedHere } from '../support/decided.ts';
import { randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const random = randomOf('settledJournals');

afterEach(() => flushed());

/** Settled ones, too. */
const journals = (folder: TempFolder): string[] => readdirSync(folder.at('home', 'journal'));

const found = (folder: TempFolder) => recoverJournals(folder.at('home'), createLocks(folder.at('home'), 'cli'));

async function choose(folder: TempFolder, way: 'finish' | 'rollback'): Promise<unknown> {
  const [interrupted] = await found(folder);
  return interrupted?.settle((ways) => ways[way](), { signal: AbortSignal.timeout(20_000) });
}

/** The journal of an applied patch whose process was killed before its files were on the disk. */
async function killedBeforeFlush(folder: TempFolder, { powerFailed }: { powerFailed: boolean }): Promise<void> {
  write(folder, oldTree);
  await crash(folder, 60);
  await choose(folder, 'finish');
  const [name = ''] = journals(folder);
  const bytes = readFileSync(folder.at('home', 'journal', name), 'latin1');
  await flushed();
  assert.deepEqual([tree(folder), journals(folder)], [newTree, []]);
  const boot = /"bootId":"[^"]+"/;
  assert.match(bytes, boot);
  const after = powerFailed ? bytes.replace(boot, `"bootId":"${'0'.repeat(36)}"`) : bytes;
  writeFileSync(folder.at('home', 'journal', name), after, 'latin1');
}

const update = (folder: TempFolder, name: string, before: string, after: string) =>
  decidedHere({
    ...{ kind: 'update', path: folder.at('work', name), before, after },
    ...{ hunks: [], movedTo: null, movedOver: null },
  });

describe('a settled patch', () => {
  test('keeps its journal until its files are on the disk', async () => {
    using folder = tempFolder();
    write(folder, { 'a.txt': 'a' });
    const result = await applyPatch([update(folder, 'a.txt', 'a', 'b')], { home: folder.at('home') });
    assert.equal(result.type, 'applied');
    assert.match(journals(folder).join(), /^[^,]+\.settled$/);
    await flushed([folder.at('work', 'a.txt')]);
    assert.deepEqual(journals(folder), []);
  });

  test('is on the disk before another one changes one of its files', async () => {
    using folder = tempFolder();
    // So many that bringing them to the disk takes longer than the journal of the next patch.
    const names = Array.from({ length: 300 }, (_, index) => `f${index}.txt`);
    write(folder, Object.fromEntries(names.map((name) => [name, 'a'])));
    const [home, seen] = [folder.at('home'), [] as string[][]];
    await applyPatch(
      names.map((name) => update(folder, name, 'a', 'b')),
      { home },
    );
    const beforeStep = () => void seen.push(journals(folder));
    await applyPatch([update(folder, 'f299.txt', 'b', 'c')], { home, beforeStep });
    assert.equal(seen.length, 1);
    assert.match(seen.join(), /^[^,]+\.journal$/);
  });

  test('is not offered after a crash, whatever its files hold by then', async () => {
    using folder = tempFolder();
    await killedBeforeFlush(folder, { powerFailed: false });
    const changed = { ...newTree, 'f2.txt': 'my own words', 'f3.txt': oldTree['f3.txt'] ?? '' };
    write(folder, changed);
    assert.deepEqual(await found(folder), []);
    assert.deepEqual(tree(folder), changed);
    await flushed();
    assert.deepEqual(journals(folder), []);
  });

  test.each([
    ['all its files', newTree],
    ['its files, of which some were changed since', { ...newTree, 'f2.txt': 'my own words' }],
    ['none of its files', oldTree],
  ])('is not offered after a power failure that has kept %s', async (_which, kept) => {
    using folder = tempFolder();
    await killedBeforeFlush(folder, { powerFailed: true });
    renameSync(folder.at('work'), folder.at('aside'));
    write(folder, kept);
    assert.deepEqual(await found(folder), []);
    assert.deepEqual(tree(folder), kept);
    await flushed();
    assert.deepEqual(journals(folder), []);
  });

  test('is offered after a power failure that has kept some of its files', async () => {
    for (const way of ['rollback', 'finish'] as const) {
      using folder = tempFolder();
      await killedBeforeFlush(folder, { powerFailed: true });
      write(folder, { 'f2.txt': oldTree['f2.txt'] ?? '' });
      assert.deepEqual(await choose(folder, way), { type: 'settled', result: { leftAlone: [] } });
      assert.deepEqual(tree(folder), way === 'finish' ? newTree : oldTree);
    }
  });
});

test.each(['rollback', 'finish'] as const)(
  'a file of which a power failure has kept some blocks is brought back whole by %s',
  async (way) => {
    using folder = tempFolder();
    const textOf = (word: string) => `${word} of a line that is long enough\n`.repeat(200);
    const [before, after] = [textOf('one'), textOf('another')];
    write(folder, { 'a.txt': before });
    await applyPatch([update(folder, 'a.txt', before, after)], { home: folder.at('home') });
    const [name = ''] = journals(folder);
    const journal = readFileSync(folder.at('home', 'journal', name), 'latin1');
    await flushed();
    const ended = journal.replace(/"bootId":"[^"]+"/, `"bootId":"${'0'.repeat(36)}"`);
    writeFileSync(folder.at('home', 'journal', name), ended, 'latin1');
    // The first and the third block are new, the second is old, the fourth was never written.
    const torn = after.slice(0, 1024) + before.slice(1024, 2048) + after.slice(2048, 3072) + '\0'.repeat(1024);
    write(folder, { 'a.txt': torn });
    assert.deepEqual(await choose(folder, way), { type: 'settled', result: { leftAlone: [] } });
    assert.deepEqual(tree(folder), { 'a.txt': way === 'finish' ? after : before });
  },
);

const ROUNDS = rounds(3, 200);

test(
  'kill -9 at any moment of a patch of 500 files leaves it old, new, or to be finished or rolled back',
  async () => {
    const [old, now] = treesOf(500);
    for (let round = 0; round < ROUNDS; round++) {
      using folder = tempFolder();
      write(folder, old);
      await killedAfter(folder, old, random.below(640));
      const way = random.below(2) === 0 ? 'finish' : 'rollback';
      const settlement = await choose(folder, way);
      const left = tree(folder);
      const expected =
        settlement === undefined ? (left['f2.txt'] === old['f2.txt'] ? old : now) : way === 'finish' ? now : old;
      assert.deepEqual(left, expected, `round ${round}`);
      await flushed();
      assert.deepEqual(journals(folder), []);
    }
  },
  120_000 + 10_000 * ROUNDS,
);
