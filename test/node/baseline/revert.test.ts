// Undo and redo with the real store, the real engine of patches and real files.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { ChangeLedger } from '../../../src/core/baseline/changeLedger.ts';
import { ChangeRecords } from '../../../src/core/baseline/changeRecords.ts';
import { performRevert, planRevert, type RevertOptions } from '../../../src/core/baseline/revert.ts';
import { lastChangingTurn } from '../../../src/core/baseline/agentTurns.ts';
import { changesOfRedo, changesOfTurns } from '../../../src/core/baseline/standingChanges.ts';
import { createDiskWorkspace } from '../../../src/node/apply/diskWorkspace.ts';
import { createBaselineStore } from '../../../src/node/baseline/store.ts';
import { systemClock } from '../../../src/node/host/clock.ts';
import { createStorage } from '../../../src/node/storage/storage.ts';
import { clockTick } from '../../support/fileGate.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { journalsIn } from '../../support/journals.ts';

const unexpected = (error: unknown): never => {
  throw error;
};

function contentOf(place: string): string {
  const stats = lstatSync(place);
  if (stats.isSymbolicLink()) return `→ ${readlinkSync(place)}`;
  return stats.isFile() ? readFileSync(place, 'utf8') : '(folder)';
}

class Place implements Disposable {
  readonly work = tempFolder();
  readonly home = tempFolder();
  readonly store = createBaselineStore({ home: this.home.path, userHome: '/nowhere' });
  readonly records = new ChangeRecords(createStorage(this.home.path), 'thread');
  readonly #ledger = new ChangeLedger({ store: this.store, clock: systemClock, report: unexpected });
  /** Called before each step of an undo; what it throws makes the step fail. */
  beforeStep: ((path: string) => void) | undefined;
  readonly #workspace = createDiskWorkspace({
    roots: [this.work.path],
    home: this.home.path,
    beforeStep: (step) => this.beforeStep?.(step),
  });

  write(name: string, text: string | Uint8Array): void {
    mkdirSync(path.dirname(this.work.at(name)), { recursive: true });
    writeFileSync(this.work.at(name), text);
  }

  /** Does it as a command of a turn would. */
  async command(turnId: string, act: () => void): Promise<void> {
    const { signal } = new AbortController();
    const roots = [this.work.path];
    const command = await this.#ledger.begin({ id: turnId, roots, waitMs: 5_000, maxBytes: 1e9 }, signal);
    act();
    const { changes, newFolders, goneFolders } = await command.end();
    const step = { type: 'step', turnId, itemId: turnId, source: 'command', at: new Date().toISOString() } as const;
    await this.records.append({
      ...step,
      changes: [...changes],
      newFolders: [...newFolders],
      goneFolders: [...goneFolders],
    });
  }

  async revert(turnIds: readonly string[] | 'redo', more: Partial<RevertOptions> = {}) {
    const records = await this.records.read();
    const standing = turnIds === 'redo' ? changesOfRedo(records) : changesOfTurns(records, turnIds);
    assert.ok(standing);
    const direction = turnIds === 'redo' ? 'redo' : 'undo';
    const options = { direction, cwd: this.work.path, includeUncertain: false, overwrite: [], ...more } as const;
    const plan = await planRevert(standing, options, { store: this.store });
    const { restore } = this.#workspace;
    assert.ok(restore);
    const deps = { store: this.store, restore, records: this.records, clock: systemClock };
    const result = await performRevert(plan, options, deps);
    const files = 'type' in result ? result : { paths: result.paths, skipped: result.skipped };
    return { plan: plan.files.map(({ file }) => file), result: files };
  }

  files(): Record<string, string> {
    const names = readdirSync(this.work.path, { recursive: true, encoding: 'utf8' }).toSorted();
    return Object.fromEntries(names.map((name) => [name, contentOf(this.work.at(name))]));
  }

  [Symbol.dispose](): void {
    this.work[Symbol.dispose]();
    this.home[Symbol.dispose]();
  }
}

describe('undo of what a command changed', () => {
  it('brings back contents, modes, deleted and binary files, removes new ones with their folders; redo does it again', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('gone/deep/b.bin', Uint8Array.of(0, 1, 2, 255));
    place.write('run.sh', 'true\n');
    place.write('same.txt', '\n');
    const before = place.files();
    await place.command('t1', () => {
      place.write('a.txt', 'two\n');
      rmSync(place.work.at('gone'), { recursive: true });
      chmodSync(place.work.at('run.sh'), 0o755);
      place.write('new/folder/c.txt', 'new\n');
    });
    const after = place.files();
    const { result } = await place.revert(['t1']);
    assert.deepEqual(result, {
      paths: ['a.txt', 'gone/deep/b.bin', 'new/folder/c.txt', 'run.sh'],
      skipped: [],
    });
    assert.deepEqual(place.files(), before);
    assert.equal(statSync(place.work.at('run.sh')).mode & 0o777, 0o644);
    await place.revert('redo');
    assert.deepEqual(place.files(), after);
    assert.equal(statSync(place.work.at('run.sh')).mode & 0o777, 0o755);
    await place.revert(['t1']);
    assert.deepEqual(place.files(), before);
  });

  it('keeps what was changed at other lines since, and leaves alone and names what was changed at the same', async () => {
    using place = new Place();
    const text = 'a\nb\nc\nd\ne\n';
    for (const name of ['apart', 'same', 'deleted', 'untouched']) place.write(name, text);
    await place.command('t1', () => {
      for (const name of ['apart', 'same', 'deleted', 'untouched']) place.write(name, text.replace('b', 'B'));
      place.write('new', 'x\n');
    });
    place.write('apart', 'a\nB\nc\nd\nmine\n');
    place.write('same', 'a\nmine\nc\nd\ne\n');
    place.write('new', 'mine\n');
    rmSync(place.work.at('deleted'));
    const { plan, result } = await place.revert(['t1']);
    assert.deepEqual(
      plan.map(({ path: name, state }) => `${name} ${state}`),
      ['apart merged', 'deleted conflict', 'new conflict', 'same conflict', 'untouched ready'],
    );
    assert.deepEqual(result, {
      paths: ['apart', 'untouched'],
      skipped: [
        { path: 'deleted', reason: 'It was deleted since.' },
        { path: 'new', reason: 'It was changed since.' },
        { path: 'same', reason: 'The same lines were changed since.' },
      ],
    });
    assert.deepEqual(place.files(), {
      apart: 'a\nb\nc\nd\nmine\n',
      new: 'mine\n',
      same: 'a\nmine\nc\nd\ne\n',
      untouched: text,
    });
    const again = await place.revert(['t1'], { overwrite: ['same', 'new'] });
    assert.deepEqual('paths' in again.result && again.result.paths, ['new', 'same']);
    assert.deepEqual(place.files(), { apart: 'a\nb\nc\nd\nmine\n', same: text, untouched: text });
  });

  it('names what cannot be undone', async () => {
    using place = new Place();
    place.write('.gitignore', 'cache\n');
    await place.command('t1', () => {
      place.write('big', Buffer.alloc(1024 * 1024 + 1));
      place.write('cache', '1\n');
    });
    const { result } = await place.revert(['t1']);
    assert.deepEqual(result, {
      paths: [],
      skipped: [
        { path: 'big', reason: 'It is larger than 1 MiB, so its content is not kept.' },
        { path: 'cache', reason: 'It is ignored, so its content is not kept.' },
      ],
    });
    assert.ok(existsSync(place.work.at('big')));
  });

  it('writes nothing through a link that has taken the place of a folder', async () => {
    using place = new Place();
    place.write('folder/a.txt', 'one\n');
    await place.command('t1', () => place.write('folder/a.txt', 'two\n'));
    renameSync(place.work.at('folder'), place.work.at('real'));
    symlinkSync('real', place.work.at('folder'));
    const { result } = await place.revert(['t1']);
    assert.deepEqual(result, { type: 'stale', paths: [place.work.at('folder/a.txt')] });
    assert.equal(readFileSync(place.work.at('real/a.txt'), 'utf8'), 'two\n');
  });

  it('changes nothing when one file cannot be written, and leaves no journal', async () => {
    using place = new Place();
    for (const name of ['a', 'b', 'c']) place.write(name, 'one\n');
    await place.command('t1', () => {
      for (const name of ['a', 'b', 'c']) place.write(name, 'two\n');
    });
    place.beforeStep = (step) => {
      if (step.endsWith('/c')) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    };
    const { result } = await place.revert(['t1']);
    assert.equal('type' in result && result.type, 'failed');
    assert.deepEqual(place.files(), { a: 'two\n', b: 'two\n', c: 'two\n' });
    assert.deepEqual(journalsIn(place.home.path), []);
    place.beforeStep = undefined;
    await place.revert(['t1']);
    assert.deepEqual(place.files(), { a: 'one\n', b: 'one\n', c: 'one\n' });
  });

  it('leaves alone what another program may have changed, unless that is asked for', async () => {
    using place = new Place();
    place.write('a', '1\n');
    await place.command('t1', () => place.write('a', '2\n'));
    place.write('a', 'by another program\n');
    await place.command('t1', () => place.write('a', '3\n'));
    const { plan, result } = await place.revert(['t1']);
    assert.equal(plan[0]?.uncertain, true);
    assert.deepEqual(result, {
      paths: [],
      skipped: [{ path: 'a', reason: 'Another program or thread may have changed it.' }],
    });
    await place.revert(['t1'], { includeUncertain: true });
    assert.deepEqual(place.files(), { a: '1\n' });
  });

  it('of files that are as before already is written down, so that the turn before is the next one', async () => {
    using place = new Place();
    place.write('a', '1\n');
    await place.command('t1', () => place.write('b', '1\n'));
    await place.command('t2', () => place.write('a', '2\n'));
    place.write('a', '1\n');
    const { plan, result } = await place.revert(['t2']);
    assert.deepEqual([plan.map(({ state }) => state), result], [['done'], { paths: ['a'], skipped: [] }]);
    assert.equal(await lastChangingTurn(await place.records.read(), async () => []), 't1');
  });

  it('undoes several turns at once', async () => {
    using place = new Place();
    place.write('a', '1\n');
    await place.command('t1', () => place.write('a', '2\n'));
    await place.command('t2', () => place.write('a', '3\n'));
    await place.command('t3', () => place.write('b', 'x\n'));
    await place.revert(['t1', 't2', 't3']);
    assert.deepEqual(place.files(), { a: '1\n' });
  });
});

describe('undo of what a command moved', () => {
  const FOLDER = { 'sub/a.txt': 'one\n', 'sub/deep/b.txt': 'two\n', 'c.txt': 'three\n' };

  it.each<[string, Record<string, string>, (at: (name: string) => string) => void]>([
    ['a folder', FOLDER, (at) => renameSync(at('sub'), at('other'))],
    [
      'a folder into a new one',
      FOLDER,
      (at) => {
        mkdirSync(at('new'));
        renameSync(at('sub'), at('new/sub'));
      },
    ],
    ['a folder by case only', FOLDER, (at) => renameSync(at('sub'), at('SUB'))],
    [
      'a folder over an empty one',
      FOLDER,
      (at) => {
        mkdirSync(at('other'));
        renameSync(at('sub'), at('other'));
      },
    ],
    [
      'two folders that change places',
      { 'one/a': '1\n', 'one/only': 'x\n', 'two/a': '2\n' },
      (at) => {
        renameSync(at('one'), at('t'));
        renameSync(at('two'), at('one'));
        renameSync(at('t'), at('two'));
      },
    ],
    [
      'two files that change places',
      { a: '1\n', b: '2\n' },
      (at) => {
        renameSync(at('a'), at('t'));
        renameSync(at('b'), at('a'));
        renameSync(at('t'), at('b'));
      },
    ],
    ['a file by case only', { 'a.txt': '1\n' }, (at) => renameSync(at('a.txt'), at('A.txt'))],
    [
      'a folder whose files it changes',
      FOLDER,
      (at) => {
        renameSync(at('sub'), at('other'));
        writeFileSync(at('other/a.txt'), 'ONE\n');
      },
    ],
    ['a folder into its parent', FOLDER, (at) => renameSync(at('sub/deep'), at('deep'))],
    [
      'empty folders',
      { a: '' },
      (at) => {
        mkdirSync(at('new/deep'), { recursive: true });
        rmSync(at('empty'), { recursive: true });
      },
    ],
    [
      'a folder with the copy of another',
      FOLDER,
      (at) => {
        cpSync(at('sub'), at('copy'), { recursive: true });
        rmSync(at('c.txt'));
      },
    ],
    [
      'links',
      { 'real/a.txt': '1\n', b: '2\n' },
      (at) => {
        renameSync(at('to-folder'), at('moved-link'));
        rmSync(at('dangling'));
        writeFileSync(at('dangling'), 'a file\n');
        rmSync(at('b'));
        symlinkSync('real/a.txt', at('b'));
        symlinkSync('/nowhere', at('new-link'));
      },
    ],
    [
      'a folder in place of a file',
      FOLDER,
      (at) => {
        rmSync(at('c.txt'));
        mkdirSync(at('c.txt'));
        writeFileSync(at('c.txt/d'), 'd\n');
      },
    ],
    [
      'a file in place of a folder',
      FOLDER,
      (at) => {
        rmSync(at('sub'), { recursive: true });
        writeFileSync(at('sub'), 'a file\n');
      },
    ],
  ])('brings back %s', async (_what, files, act) => {
    using place = new Place();
    for (const [name, text] of Object.entries(files)) place.write(name, text);
    symlinkSync('real', place.work.at('to-folder'));
    symlinkSync('no such file', place.work.at('dangling'));
    mkdirSync(place.work.at('empty/deep'), { recursive: true, mode: 0o700 });
    await clockTick();
    const before = place.files();
    await place.command('t1', () => act(place.work.at));
    const after = place.files();
    const { result } = await place.revert(['t1']);
    assert.deepEqual('skipped' in result && result.skipped, []);
    assert.deepEqual(place.files(), before);
    await place.revert('redo');
    assert.deepEqual(place.files(), after);
  });

  it('gives a folder its permission bits back', async () => {
    using place = new Place();
    place.write('sub/a.txt', '1\n');
    chmodSync(place.work.at('sub'), 0o700);
    await place.command('t1', () => renameSync(place.work.at('sub'), place.work.at('other')));
    await place.revert(['t1']);
    assert.equal(statSync(place.work.at('sub')).mode & 0o777, 0o700);
  });

  it('removes nothing that came from a place without a record, and names it', async () => {
    using place = new Place();
    using outside = tempFolder();
    place.write('.gitignore', 'dist/\n');
    place.write('dist/lib/a.js', 'a\n');
    place.write('dist/b.js', 'b\n');
    writeFileSync(outside.at('c.js'), 'c\n');
    await clockTick();
    await place.command('t1', () => {
      renameSync(place.work.at('dist/lib'), place.work.at('lib'));
      renameSync(place.work.at('dist/b.js'), place.work.at('b.js'));
      renameSync(outside.at('c.js'), place.work.at('c.js'));
      place.write('new.js', 'n\n');
    });
    const { result } = await place.revert(['t1']);
    const reason = 'It was moved here from a place that is not recorded, to which it would not go back.';
    assert.deepEqual(result, {
      paths: ['new.js'],
      skipped: [
        { path: 'b.js', reason },
        { path: 'c.js', reason },
        { path: 'dist', reason: 'It is ignored, so its content is not kept.' },
        { path: 'lib/a.js', reason },
      ],
    });
    const overwrite = ['b.js', 'c.js', 'lib/a.js'];
    await place.revert(['t1'], { overwrite });
    assert.deepEqual(Object.keys(place.files()), ['.gitignore', 'dist']);
    await place.revert('redo');
    assert.equal(place.files()['lib/a.js'], 'a\n');
  });

  it.each<[string, (at: (name: string) => string) => void, string]>([
    ['moved on', (at) => renameSync(at('x.js'), at('y.js')), 'y.js'],
    ['edited', (at) => appendFileSync(at('x.js'), 'more\n'), 'x.js'],
    [
      'copied and then removed',
      (at) => {
        copyFileSync(at('x.js'), at('y.js'));
        rmSync(at('x.js'));
      },
      'y.js',
    ],
    ['moved over another file', (at) => renameSync(at('x.js'), at('old.js')), 'old.js'],
  ])('does not remove the only copy that a later command has %s', async (_what, act, name) => {
    using place = new Place();
    place.write('.gitignore', 'dist/\n');
    place.write('dist/x.js', 'only\n');
    place.write('old.js', 'old\n');
    await clockTick();
    await place.command('t1', () => renameSync(place.work.at('dist/x.js'), place.work.at('x.js')));
    await place.command('t1', () => act(place.work.at));
    const after = place.files();
    const { plan } = await place.revert(['t1']);
    assert.deepEqual(
      plan.map((file) => [file.path, file.state]),
      [
        ['dist', 'impossible'],
        [name, 'conflict'],
      ],
    );
    assert.deepEqual(place.files(), after);
    await place.revert(['t1'], { overwrite: [name] });
    assert.deepEqual(Object.keys(place.files()), ['.gitignore', 'dist', 'old.js']);
    await place.revert('redo');
    assert.deepEqual(place.files(), after);
  });

  it('brings back what went into an ignored folder, and names that folder', async () => {
    using place = new Place();
    place.write('node_modules/x/index.js', 'x\n');
    place.write('sub/a.txt', '1\n');
    await clockTick();
    await place.command('t1', () => renameSync(place.work.at('sub'), place.work.at('node_modules/sub')));
    const { result } = await place.revert(['t1']);
    assert.deepEqual(result, {
      paths: ['sub/a.txt'],
      skipped: [{ path: 'node_modules', reason: 'It is ignored, so its content is not kept.' }],
    });
    assert.equal(place.files()['sub/a.txt'], '1\n');
  });

  it.skipIf(process.platform !== 'linux')('names files whose names are not UTF-8', async () => {
    using place = new Place();
    const odd = (name: string) => Buffer.concat([Buffer.from(place.work.at(name)), Buffer.of(0xe9, 0x21)]);
    writeFileSync(odd('changed-'), '1\n');
    await clockTick();
    await place.command('t1', () => {
      writeFileSync(odd('changed-'), '2\n');
      writeFileSync(odd('new-'), '1\n');
    });
    const { result } = await place.revert(['t1']);
    const reason = 'Its name is not UTF-8.';
    assert.deepEqual(result, {
      paths: [],
      skipped: [
        { path: 'changed-\\xE9!', reason },
        { path: 'new-\\xE9!', reason },
      ],
    });
  });

  it('takes no file for new or gone because a rule ignores its folder, or does so no more', async () => {
    using place = new Place();
    place.write('.gitignore', 'secrets/\n');
    place.write('secrets/key', 'mine\n');
    place.write('out/same', '1\n');
    place.write('out/changed', '1\n');
    place.write('out/removed', '1\n');
    await clockTick();
    await place.command('t1', () => {
      place.write('.gitignore', 'out/\n');
      place.write('out/changed', '2\n');
      rmSync(place.work.at('out/removed'));
      rmSync(place.work.at('secrets/key'));
      place.write('secrets/key', 'changed\n');
    });
    const { result } = await place.revert(['t1']);
    assert.deepEqual('paths' in result && result.paths, ['.gitignore', 'out/changed', 'out/removed']);
    const reason = 'It is ignored, so its content is not kept.';
    assert.deepEqual('skipped' in result && result.skipped, [
      { path: 'out', reason },
      { path: 'secrets/key', reason },
    ]);
    assert.equal(place.files()['secrets/key'], 'changed\n');
    assert.equal(place.files()['out/changed'], '1\n');
  });
});
