/** A patch that is complete, or rolled back, keeps its journal until its files are on the disk. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, describe, test } from 'vitest';
import { applyPatch } from '../../src/node/apply/applyPatch.ts';
import { applyDeps } from '../../src/extension/applyPorts.ts';
import { flushed, flushInBackground, placesToFlush } from '../../src/node/apply/flush.ts';
import { hasUnflushed, isSettledJournal, openJournal } from '../../src/node/apply/journal.ts';
import { recoverJournals } from '../../src/node/apply/recoverJournals.ts';
import { createLocks } from '../../src/node/storage/locks.ts';
import type { FileMoves } from '../../src/vscode/apply/fileMoves.ts';
import type { JournalEntry } from '../../src/vscode/apply/model.ts';
import { crash, killedAfter, newTree, oldTree, tree, treesOf, write } from '../support/crashedApply.ts';
import { decidedHere } from '../support/decided.ts';
import { randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const random = randomOf('settledJournals');
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

afterEach(() => flushed());

/** Settled ones, too. */
const journals = (folder: TempFolder): string[] => readdirSync(folder.at('home', 'journal'));

const found = (folder: TempFolder) =>
  recoverJournals(folder.at('home'), createLocks(folder.at('home'), 'cli'), assert.fail);

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

/** Runs a program that may have 64 open files, with the path of a file as its argument. */
async function withFewFiles(folder: TempFolder, contents: string): Promise<{ readonly stdout: string }> {
  const stdin = { contents, resolveDir: process.cwd(), loader: 'ts' as const };
  const outfile = folder.at('program.mjs');
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
  const argv = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, outfile, folder.at('work', 'a.txt')];
  return promisify(execFile)('sh', argv);
}

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

  test('is on the disk before the editor changes one of its files, unless that is stopped', async () => {
    using folder = tempFolder();
    write(folder, { 'a.txt': 'a', 'b.txt': 'b' });
    const ids = { uuid: randomUUID };
    const { journal } = applyDeps(folder.at('home'), ids, {} as FileMoves, NO_LOG);
    const entry = (name: string): JournalEntry => ({
      path: folder.at('work', name),
      before: { type: 'file', bytes: Buffer.from('b'), mode: null },
      after: { type: 'file', bytes: Buffer.from('c'), mode: null },
    });
    const [seen, earlier] = [[] as string[], new AbortController()];
    flushInBackground([entry('a.txt')], async () => {
      await once(earlier.signal, 'abort');
      seen.push('on the disk');
    });
    try {
      const abort = new AbortController();
      const stopped = assert.rejects(journal.open([entry('a.txt')], abort.signal), /stopped/);
      const waiting = journal.open([entry('a.txt')]).then(() => seen.push('opened'));
      // Journals of other files are written in the meantime.
      for (let round = 0; round < 3; round++) await (await journal.open([entry('b.txt')])).close();
      abort.abort(new Error('stopped'));
      await stopped;
      assert.deepEqual(seen, []);
      earlier.abort();
      await waiting;
    } finally {
      earlier.abort();
    }
    assert.deepEqual(seen, ['on the disk', 'opened']);
    await flushed();
    assert.equal(journals(folder).length, 1);
  });

  test('of another process is brought to the disk before a patch changes one of its files', async () => {
    using folder = tempFolder();
    const home = folder.at('home');
    write(folder, { 'a.txt': 'a' });
    assert.equal((await applyPatch([update(folder, 'a.txt', 'a', 'b')], { home })).type, 'applied');
    const [name = ''] = journals(folder);
    const paths = [folder.at('work', 'a.txt')];
    assert.deepEqual([isSettledJournal(name), await hasUnflushed(home, paths)], [true, false]);
    const journal = readFileSync(folder.at('home', 'journal', name));
    await flushed();
    assert.equal(await hasUnflushed(home, paths), false);
    // Cannot be opened, so only a patch that does not try to flush it gets a journal.
    const image = { type: 'file', bytes: Buffer.from('b'), mode: null, owner: null } as const;
    const place = (file: string) => folder.at('home', 'journal', file);
    // It was made by the other patch, and would be made again by this one.
    const steps = [{ path: folder.at('work', 'x'.repeat(300)), before: { type: 'absent' }, after: image } as const];
    await (await openJournal(home, 'first', steps)).keep();
    writeFileSync(place(`of-another-process${name}`), journal);
    writeFileSync(place('damaged.settled'), '{"version":2}\n');
    assert.equal(await hasUnflushed(home, paths), true);
    // Neither a patch of other files nor a damaged journal concerns it.
    await (await openJournal(home, 'second', steps)).keep();
    renameSync(place('first.kept'), place('first.settled'));
    await assert.rejects(openJournal(home, 'third', steps), /cannot be brought to the disk/);
    assert.equal((await applyPatch([update(folder, 'a.txt', 'b', 'c')], { home })).type, 'applied');
  });

  test.skipIf(process.platform === 'win32')('keeps its journal while its files cannot be opened', async () => {
    using folder = tempFolder();
    write(folder, { 'a.txt': 'a' });
    const { stdout } = await withFewFiles(
      folder,
      `
        import { closeSync, openSync } from 'node:fs';
        import { flushed, flushFiles, flushInBackground } from './src/node/apply/flush.ts';
        const path = process.argv[2];
        const held = [];
        const fill = () => { try { for (;;) held.push(openSync('/dev/null')); } catch {} };
        const outcome = () => new Promise((resolve) => flushInBackground([{ path }], async (found) => resolve(found)));
        const words = [await outcome()];
        fill();
        words.push(await outcome(), await flushFiles([path]).catch((error) => error.message));
        const again = [];
        await new Promise((resolve) =>
          flushInBackground([{ path }], async (found) => resolve(again.push(found))),
        );
        while (held.length > 0) closeSync(held.pop());
        await flushed();
        words.push(await outcome(), ...again);
        process.stdout.write(words.join('\\n'));
      `,
    );
    const refused = `an earlier change of ${folder.at('work', 'a.txt')} cannot be brought to the disk`;
    assert.deepEqual(stdout.split('\n'), ['on_disk', 'not_flushed', refused, 'on_disk', 'not_flushed', 'on_disk']);
  });

  test('is brought to the disk with the folder of each file, which may have been replaced by a rename', () => {
    const places = placesToFlush(['/w/a.txt', '/w/b.txt', '/w/sub/c.txt'].map((path) => ({ path })));
    assert.deepEqual(places, ['/w/a.txt', '/w/b.txt', '/w/sub/c.txt', '/w', '/w/sub']);
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
