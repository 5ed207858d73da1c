// The store in its worker thread, several at once, what is removed from it, and a full disk.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ChangeRecords } from '../../../src/core/baseline/changeRecords.ts';
import { Blobs } from '../../../src/node/baseline/blobs.ts';
import { collectGarbage } from '../../../src/node/baseline/collectGarbage.ts';
import { createBaselineStore } from '../../../src/node/baseline/store.ts';
import { thisProcess } from '../../../src/node/host/processIdentity.ts';
import { tryLock } from '../../../src/node/host/processLock.ts';
import { createStorage } from '../../../src/node/storage/storage.ts';
import type { ChangeRecord, FileState } from '../../../src/protocol/baseline.ts';
import { randomOf } from '../../support/random.ts';
import { bundled } from '../../support/runTypeScript.ts';
import { type TempFolder, tempFolder } from '../../support/tempFolder.ts';

const LIMITS = { maxBytes: 64 * 1024 * 1024 };

describe('the store in a worker', () => {
  let built: TempFolder;
  let worker = '';
  beforeAll(async () => {
    built = tempFolder();
    worker = built.at('worker.cjs');
    const entry = path.join(import.meta.dirname, '../../../src/node/baseline/worker.ts');
    // As scripts/build.mjs does.
    await esbuild.build({
      entryPoints: [entry],
      outfile: worker,
      bundle: true,
      platform: 'node',
      mainFields: ['module', 'main'],
      logLevel: 'warning',
    });
  });
  afterAll(() => built[Symbol.dispose]());

  it('answers as the one without, and starts again after it was ended', async () => {
    using work = tempFolder();
    using home = tempFolder();
    writeFileSync(work.at('a.txt'), 'one\n');
    const store = createBaselineStore({ home: home.path, userHome: '/nowhere', worker });
    assert.equal((await store.look([work.path], LIMITS)).isFirst, true);
    writeFileSync(work.at('a.txt'), 'two\n');
    const { changes } = await store.look([work.path], LIMITS);
    const [change] = changes;
    assert.ok(change?.before.type === 'file');
    assert.equal(Buffer.from((await store.read(change.before.hash)) ?? []).toString(), 'one\n');
    const [state] = [...(await store.capture([work.at('a.txt')])).values()];
    assert.deepEqual(state, change.after);
    await store.dispose();
    writeFileSync(work.at('b.txt'), 'three\n');
    const again = await store.look([work.path], LIMITS);
    assert.deepEqual(
      again.changes.map((one) => path.basename(one.path)),
      ['b.txt'],
    );
    await store.dispose();
  });

  it('answers a call that comes while its worker ends', async () => {
    using home = tempFolder();
    const store = createBaselineStore({ home: home.path, userHome: '/nowhere', worker });
    assert.deepEqual([...(await store.capture([])).keys()], []);
    const ended = store.dispose();
    assert.deepEqual([...(await store.capture([home.at('a.txt')])).values()], [{ type: 'absent' }]);
    await ended;
    await store.dispose();
  });

  it('keeps the main thread free while it looks at 2,000 files', async () => {
    using work = tempFolder();
    using home = tempFolder();
    for (let file = 0; file < 2_000; file++) writeFileSync(work.at(`f${file}`), `${file}\n`);
    const store = createBaselineStore({ home: home.path, userHome: '/nowhere', worker });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await store.look([work.path], LIMITS);
    clearInterval(timer);
    await store.dispose();
    assert.ok(turns > 5, `${turns} turns of the event loop`);
  });

  it('fails the calls that wait when its script cannot be run, and the next ones, too', async () => {
    using home = tempFolder();
    const broken = home.at('broken.cjs');
    writeFileSync(broken, 'throw new Error("broken");');
    const store = createBaselineStore({ home: home.path, userHome: '/nowhere', worker: broken });
    await assert.rejects(store.look([home.path], LIMITS));
    await assert.rejects(store.capture([]));
  });
});

describe('several stores of one TILLER_HOME', () => {
  it('look at one folder at the same time, and each finds what it has not seen', async () => {
    using work = tempFolder();
    using home = tempFolder();
    for (let file = 0; file < 50; file++) writeFileSync(work.at(`f${file}`), `${file % 7}\n`);
    const open = () => createBaselineStore({ home: home.path, userHome: '/nowhere' });
    const stores = [open(), open(), open()];
    await Promise.all(stores.map((store) => store.look([work.path], LIMITS)));
    writeFileSync(work.at('f0'), 'changed\n');
    const looks = await Promise.all(stores.map((store) => store.look([work.path], LIMITS)));
    assert.deepEqual(
      looks.map(({ changes }) => changes.length),
      [1, 1, 1],
    );
    const blobs = new Blobs(home.at('baselines/blobs'));
    assert.equal([...blobs.all()].length, 8);
  });
});

describe('a process that is killed while it looks', () => {
  it('leaves contents that are whole, and an index that the next process goes on from', async () => {
    using work = tempFolder();
    using home = tempFolder();
    const script = await bundled('lookProcess.ts');
    const random = randomOf('killed looks');
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, [script, work.path, home.path, `${round}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      await once(child.stdout, 'data');
      await sleep(random.below(60));
      child.kill('SIGKILL');
      await ended;
      const store = createBaselineStore({ home: home.path, userHome: '/nowhere' });
      await store.look([work.path], LIMITS);
      const paths = readdirSync(work.path).map((name) => work.at(name));
      for (const [file, state] of await store.capture(paths)) {
        assert.ok(state.type === 'file');
        assert.deepEqual(Buffer.from((await store.read(state.hash)) ?? []), readFileSync(file));
      }
      const blobs = new Blobs(home.at('baselines/blobs'));
      for (const { hash } of blobs.all()) assert.ok(blobs.read(hash) !== undefined, `content ${hash} is damaged`);
      assert.deepEqual((await store.look([work.path], LIMITS)).changes, []);
    }
  });
});

describe('content that is not needed any more', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  /** Above the pids of Linux. */
  const ENDED = `${2 ** 22 + 1}-1`;

  class Kept implements Disposable {
    readonly home = tempFolder();
    readonly blobs = new Blobs(this.home.at('baselines/blobs'));
    readonly #storage = createStorage(this.home.path);

    /** Content that was written a day ago. */
    put(letter: string, bytes = 1_000): FileState & { readonly type: 'file' } {
      const hash = this.blobs.put(Buffer.alloc(bytes, letter));
      const before = (Date.now() - DAY_MS) / 1000;
      utimesSync(this.home.at('baselines/blobs', hash.slice(0, 2), hash), before, before);
      return { type: 'file', hash, size: bytes, mode: 0o644 };
    }

    async step(threadId: string, day: number, before: FileState): Promise<void> {
      const changes = [{ path: '/w/a', before, after: { type: 'absent' as const }, by: 'this' as const }];
      const at = `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
      const record: ChangeRecord = {
        type: 'step',
        turnId: `turn ${day}`,
        itemId: 'i',
        source: 'command',
        at,
        changes,
        newFolders: [],
      };
      await new ChangeRecords(this.#storage, threadId).append(record);
    }

    async turns(threadId: string): Promise<string[]> {
      const records = await new ChangeRecords(this.#storage, threadId).read();
      return records.flatMap((record) => (record.type === 'step' ? [record.turnId] : []));
    }

    /** The index log of a process, written so many days ago. */
    log(folder: string, owner: string, days: number, state: FileState): void {
      const file = this.home.at('baselines/index', folder, `${owner}.log`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify(['/w/a', { state }])}\n`);
      const at = (Date.now() - days * DAY_MS) / 1000;
      utimesSync(file, at, at);
    }

    collect(maxBytes: number, live: Iterable<string> = []): void {
      collectGarbage(this.home.path, this.blobs, maxBytes, live);
    }

    [Symbol.dispose](): void {
      this.home[Symbol.dispose]();
    }
  }

  it('goes: content that no folder and no record names; what was just written stays', async () => {
    using kept = new Kept();
    const [named, live, gone] = [kept.put('a'), kept.put('b'), kept.put('c')];
    const young = kept.blobs.put(Buffer.from('young'));
    await kept.step('thread', 1, named);
    kept.collect(1e6, [live.hash]);
    const left = [named.hash, live.hash, gone.hash, young].map((hash) => kept.blobs.has(hash));
    assert.deepEqual(left, [true, true, false, true]);
  });

  it('goes from the oldest record on where the limit is reached, over all threads', async () => {
    using kept = new Kept();
    for (let day = 1; day <= 6; day++) await kept.step(day % 2 === 0 ? 'even' : 'odd', day, kept.put(`${day}`));
    kept.collect(5_500);
    assert.deepEqual(await kept.turns('even'), ['turn 4', 'turn 6']);
    assert.deepEqual(await kept.turns('odd'), ['turn 3', 'turn 5']);
    assert.equal([...kept.blobs.all()].length, 4);
  });

  it('loses no record of a thread that this process appends to: its content goes, and an undo names it', async () => {
    using kept = new Kept();
    mkdirSync(kept.home.at('locks'));
    const attempt = tryLock(kept.home.at('locks/mine.lock'));
    assert.ok(attempt.type === 'held');
    for (let day = 1; day <= 6; day++) await kept.step('mine', day, kept.put(`${day}`));
    kept.collect(5_500);
    assert.deepEqual((await kept.turns('mine')).length, 6);
    assert.equal([...kept.blobs.all()].length, 4);
    attempt.lock.release();
    kept.collect(3_500);
    assert.deepEqual(await kept.turns('mine'), ['turn 5', 'turn 6']);
  });

  it('goes with the index log of an ended process after 14 days; the log of a running one keeps it', async () => {
    using kept = new Kept();
    const [young, old, running] = [kept.put('a'), kept.put('b'), kept.put('c')];
    kept.log('young', ENDED, 13, young);
    kept.log('old', ENDED, 15, old);
    const { pid, startTime } = thisProcess();
    kept.log('running', `${pid}-${startTime ?? ''}`, 15, running);
    kept.collect(1e6);
    assert.deepEqual(
      [young, old, running].map(({ hash }) => kept.blobs.has(hash)),
      [true, false, true],
    );
    assert.deepEqual(readdirSync(kept.home.at('baselines/index')).toSorted(), ['running', 'young']);
    // A full store takes the cache before the records.
    kept.collect(1_500);
    assert.deepEqual(readdirSync(kept.home.at('baselines/index')), ['running']);
  });

  it('is looked for once where too much is needed, and again when more was written', async () => {
    using work = tempFolder();
    using kept = new Kept();
    writeFileSync(work.at('a.bin'), 'a'.repeat(6_000));
    const store = createBaselineStore({ home: kept.home.path, userHome: '/nowhere' });
    await store.look([work.path], LIMITS);
    const few = { maxBytes: 5_000 };
    await store.look([work.path], few);
    const gone = kept.put('z');
    const isThere = () =>
      readdirSync(kept.home.at('baselines/blobs'), { recursive: true, encoding: 'utf8' }).includes(blobAt(gone.hash));
    await store.look([work.path], few);
    assert.ok(isThere(), 'a look that could free nothing reads all records again');
    await store.keep(Buffer.alloc(1_000, 'more'), 0o644);
    await store.look([work.path], few);
    assert.ok(!isThere());
  });

  it('stays while another process removes', async () => {
    using kept = new Kept();
    mkdirSync(kept.home.at('locks'));
    const gone = kept.put('c');
    const attempt = tryLock(kept.home.at('locks/baselines.lock'));
    assert.ok(attempt.type === 'held');
    kept.collect(1e6);
    assert.ok(kept.blobs.has(gone.hash));
    attempt.lock.release();
    kept.collect(1e6);
    assert.ok(!kept.blobs.has(gone.hash));
  });
});

describe('a store without room', () => {
  it('names the files that are not kept, writes nothing, and keeps them once there is room', async () => {
    using work = tempFolder();
    using home = tempFolder();
    writeFileSync(work.at('a.txt'), 'one\n');
    const store = createBaselineStore({ home: home.path, userHome: '/nowhere' });
    const first = await store.look([work.path], { maxBytes: 2 });
    assert.match(first.problem ?? '', /no room left/);
    assert.deepEqual(filesBelow(home.at('baselines')), ['index']);
    const [change] = (await store.look([work.path], LIMITS)).changes;
    assert.deepEqual([change?.before.type, change?.after.type], ['left_out', 'file']);
    rmSync(work.at('a.txt'));
    const [removed] = (await store.look([work.path], LIMITS)).changes;
    assert.deepEqual([removed?.before.type, removed?.after.type], ['file', 'absent']);
  });
});

/** Disks can be mounted in a namespace of its own, as CI can. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe.runIf(canMount)('a store on a full disk', () => {
  it('names what is not kept, of commands and of patches, and does not fail', async () => {
    using work = tempFolder();
    using home = tempFolder();
    // Random, so that it cannot be compressed.
    writeFileSync(work.at('a.bin'), randomBytes(900_000));
    const script = await bundled('fullDisk.ts');
    const inside = 'mount -t tmpfs -o size=256k tmpfs "$3" && exec "$0" "$1" "$2" "$3"';
    const args = ['-rm', 'sh', '-c', inside, process.execPath, script, work.path, home.path];
    const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.deepEqual(JSON.parse(stdout), {
      problem: 'There is no room left to keep what commands change: not all of it can be undone.',
      captured: ['no_room'],
      found: ['no_room'],
    });
  });
});

function blobAt(hash: string): string {
  return path.join(hash.slice(0, 2), hash);
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return [...new Set(files.map((name) => name.split(path.sep)[0] ?? ''))];
}
