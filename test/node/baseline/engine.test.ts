import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import type { Look } from '../../../src/core/ports.ts';
import { BaselineEngine } from '../../../src/node/baseline/engine.ts';
import { TICK_MS } from '../../../src/node/baseline/folderScan.ts';
import { randomOf } from '../../support/random.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const random = randomOf('looks');
const LIMITS = { maxBytes: 64 * 1024 * 1024 };

class Place implements Disposable {
  readonly work = tempFolder();
  readonly home = tempFolder();
  engine = this.another();

  another(): BaselineEngine {
    return new BaselineEngine({ home: this.home.path, userHome: '/nowhere', pause: () => undefined });
  }

  write(name: string, content: string | Uint8Array): string {
    mkdirSync(path.dirname(this.work.at(name)), { recursive: true });
    writeFileSync(this.work.at(name), content);
    return this.work.at(name);
  }

  look(limits = LIMITS): Promise<Look> {
    return this.engine.look([this.work.path], limits);
  }

  /** Changes of the next look: path from the workspace → before and after in words. */
  async changes(limits = LIMITS): Promise<Record<string, string>> {
    const { changes } = await this.look(limits);
    const word = (state: Look['changes'][number]['after']) => (state.type === 'left_out' ? state.reason : state.type);
    return Object.fromEntries(
      changes.map((change) => [
        path.relative(this.work.path, change.path),
        `${word(change.before)} → ${word(change.after)}`,
      ]),
    );
  }

  [Symbol.dispose](): void {
    this.work[Symbol.dispose]();
    this.home[Symbol.dispose]();
  }
}

describe('a look at a workspace', () => {
  it('finds what came, went and changed, and gives back every content', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('deep/b.txt', 'two\n');
    place.write('gone.txt', 'three\n');
    const first = await place.look();
    assert.deepEqual(
      { ...first, changes: first.changes.length },
      { changes: 0, newFolders: [], goneFolders: [], isFirst: true },
    );
    const a = place.write('a.txt', 'ONE\n');
    rmSync(place.work.at('gone.txt'));
    place.write('new/folder/c.txt', 'four\n');
    const { changes, newFolders } = await place.look();
    assert.deepEqual(
      changes.map((change) => change.path),
      [a, place.work.at('gone.txt'), place.work.at('new/folder/c.txt')],
    );
    assert.deepEqual(newFolders, [place.work.at('new'), place.work.at('new/folder')]);
    const texts = await Promise.all(
      changes
        .flatMap(({ before, after }) => [before, after])
        .map(async (state) =>
          state.type === 'file' ? Buffer.from((await place.engine.read(state.hash)) ?? []).toString() : state.type,
        ),
    );
    assert.deepEqual(texts, ['one\n', 'ONE\n', 'three\n', 'absent', 'absent', 'four\n']);
    assert.deepEqual(await place.changes(), {});
  });

  it('finds every change of the same size, also within the same tick of the clock', async () => {
    using place = new Place();
    place.write('a.txt', '0\n');
    await place.look();
    for (let round = 1; round <= 100; round++) {
      place.write('a.txt', `${round % 10}\n`);
      assert.deepEqual(await place.changes(), { 'a.txt': 'file → file' }, `round ${round}`);
    }
  });

  it('finds no captured change again in the next process', async () => {
    using place = new Place();
    const gone = place.write('gone.txt', 'one\n');
    await place.look();
    const added = place.work.at('new/a.txt');
    await place.engine.capture([gone, added]);
    place.write('new/a.txt', 'two\n');
    rmSync(gone);
    await place.engine.capture([gone, added]);
    place.engine = place.another();
    assert.deepEqual(await place.changes(), {});
  });

  it('finds a changed mode', async () => {
    using place = new Place();
    const file = place.write('run.sh', 'true\n');
    await place.look();
    chmodSync(file, 0o755);
    assert.deepEqual(await place.changes(), { 'run.sh': 'file → file' });
  });

  it('leaves out links, large and ignored files, and says so of each', async () => {
    using place = new Place();
    place.write('.gitignore', 'dist/\n*.log\n!keep.log\n');
    place.write('sub/.gitignore', '/only-here\n');
    place.write('node_modules/x/index.js', '1\n');
    await place.look();
    place.write('big.bin', Buffer.alloc(1024 * 1024 + 1));
    symlinkSync('big.bin', place.work.at('link'));
    place.write('dist/out.js', '1\n');
    place.write('x.log', '1\n');
    place.write('keep.log', '1\n');
    place.write('sub/only-here', '1\n');
    place.write('only-here', '1\n');
    assert.deepEqual(await place.changes(), {
      'big.bin': 'absent → too_large',
      dist: 'absent → ignored',
      'keep.log': 'absent → file',
      link: 'absent → link',
      'only-here': 'absent → file',
      'sub/only-here': 'absent → ignored',
      'x.log': 'absent → ignored',
    });
  });

  it('reads a changed ignore file, its own and those of the repository above', async () => {
    using place = new Place();
    mkdirSync(place.work.at('.git/info'), { recursive: true });
    place.write('.git/info/exclude', 'secret\n');
    place.write('.gitignore', 'packages/*/out\n');
    place.write('packages/one/out/a.js', '1\n');
    place.write('packages/one/secret', '1\n');
    const root = place.work.at('packages/one');
    await place.engine.look([root], LIMITS);
    place.write('packages/one/out/b.js', '1\n');
    place.write('packages/one/secret', '2\n');
    const ignored = await place.engine.look([root], LIMITS);
    assert.ok(ignored.changes.every(({ after }) => after.type === 'left_out'));
    place.write('.gitignore', '');
    const { changes } = await place.engine.look([root], LIMITS);
    const files = changes
      .filter(({ after }) => after.type === 'file')
      .map((change) => path.relative(root, change.path));
    assert.deepEqual(files, ['out/a.js', 'out/b.js']);
  });

  it('follows an ignore file that ignores itself, also when nothing has changed', async () => {
    using place = new Place();
    place.write('.gitignore', '.gitignore\ndist/\n');
    place.write('dist/out.js', '1\n');
    await place.look();
    // A folder is listed again until it is older than a tick of the clock.
    await sleep(2 * TICK_MS);
    for (let round = 0; round < 3; round++) assert.deepEqual(await place.changes(), {}, `round ${round}`);
    place.write('dist/more.js', '1\n');
    assert.deepEqual(await place.changes(), { dist: 'ignored → ignored' });
  });

  it('never looks into .git or TILLER_HOME', async () => {
    using place = new Place();
    const home = place.work.at('home');
    const engine = new BaselineEngine({ home, userHome: '/nowhere', pause: () => undefined });
    place.write('.git/HEAD', 'ref\n');
    await engine.look([place.work.path], LIMITS);
    place.write('.git/index', 'x\n');
    place.write('home/settings.json', '{}\n');
    place.write('a.txt', '1\n');
    const { changes } = await engine.look([place.work.path], LIMITS);
    assert.deepEqual(
      changes.map((change) => path.relative(place.work.path, change.path)),
      ['a.txt'],
    );
  });

  it('records nothing of the home folder or what is above it', async () => {
    using place = new Place();
    place.write('me/a.txt', '1\n');
    const userHome = place.work.at('me');
    const engine = new BaselineEngine({ home: place.home.path, userHome, pause: () => undefined });
    const { problem } = await engine.look([place.work.path], LIMITS);
    assert.match(problem ?? '', /is no project folder/);
  });

  it('goes on where another process has left off', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('b.txt', 'two\n');
    await place.look();
    place.write('c.txt', 'three\n');
    assert.deepEqual(await place.changes(), { 'c.txt': 'absent → file' });
    place.engine = place.another();
    place.write('a.txt', 'ONE\n');
    rmSync(place.work.at('b.txt'));
    assert.deepEqual(await place.changes(), { 'a.txt': 'file → file', 'b.txt': 'file → absent' });
  });

  it('leaves nothing to find again after a look in which a folder was removed', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('old/b.txt', 'two\n');
    await place.look();
    rmSync(place.work.at('old'), { recursive: true });
    place.write('a.txt', 'longer\n');
    assert.deepEqual(await place.changes(), { 'a.txt': 'file → file', 'old/b.txt': 'file → absent' });
    place.engine = place.another();
    assert.deepEqual(await place.changes(), {});
  });

  it('starts anew after a torn index, and reads on after a damaged content', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n'.repeat(5000));
    await place.look();
    const [log = ''] = filesBelow(place.home.at('baselines/index'));
    writeFileSync(log, '["/a",{"sta');
    const [blob = ''] = filesBelow(place.home.at('baselines/blobs'));
    writeFileSync(blob, 'damaged');
    place.engine = place.another();
    assert.equal(await place.engine.read(path.basename(blob)), undefined);
    await place.look();
    assert.equal((await place.engine.read(path.basename(blob)))?.length, 20_000);
  });

  it('keeps each content once, for the user alone, and compressed where it pays', async () => {
    using place = new Place();
    for (const name of ['a', 'b', 'c']) place.write(name, 'the same line\n'.repeat(2000));
    await place.look();
    const [blob = '', ...more] = filesBelow(place.home.at('baselines/blobs'));
    assert.deepEqual(more, []);
    const { mode, size } = statSync(blob);
    assert.equal(mode & 0o777, 0o600);
    assert.ok(size < 5_000);
  });

  it('says what it has no room for, and keeps the rest', async () => {
    using place = new Place();
    place.write('a.bin', randomBytes(40_000));
    place.write('b.bin', randomBytes(40_000));
    const { problem } = await place.look({ maxBytes: 60_000 });
    assert.match(problem ?? '', /no room left/);
    rmSync(place.work.at('b.bin'));
    assert.deepEqual(await place.changes({ maxBytes: 60_000 }), { 'b.bin': 'no_room → absent' });
  });

  it('knows a moved file that the look before has found nowhere, and none that came from elsewhere', async () => {
    using place = new Place();
    using elsewhere = tempFolder();
    const file = place.write('a.txt', 'one\n');
    writeFileSync(elsewhere.at('b.txt'), 'two\n');
    await sleep(2 * TICK_MS);
    await place.look();
    renameSync(file, elsewhere.at('a.txt'));
    await place.look();
    for (const name of ['a.txt', 'b.txt']) renameSync(elsewhere.at(name), place.work.at(`moved-${name}`));
    const { changes } = await place.look();
    assert.deepEqual(
      changes.map((change) => [path.basename(change.path), change.isOnlyCopy]),
      [
        ['moved-a.txt', undefined],
        ['moved-b.txt', true],
      ],
    );
  });

  it('takes what a patch left as known, so that the next look does not find it again', async () => {
    using place = new Place();
    const file = place.write('a.txt', 'one\n');
    await place.look();
    place.write('a.txt', 'two\n');
    const added = place.write('new/b.txt', 'three\n');
    await sleep(60);
    const states = await place.engine.capture([file, added, place.work.at('none')]);
    assert.deepEqual(
      [...states.values()].map(({ type }) => type),
      ['file', 'file', 'absent'],
    );
    assert.deepEqual(await place.look(), { changes: [], newFolders: [], goneFolders: [], isFirst: false });
  });
});

function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
