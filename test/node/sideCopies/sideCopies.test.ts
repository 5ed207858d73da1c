import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { copyChangesText } from '../../../src/core/sideCopies/changesText.ts';
import {
  type CopyLosses,
  isNothing,
  type SideCopy,
  type ThreadsOfCopies,
} from '../../../src/core/sideCopies/sideCopy.ts';
import { systemClock } from '../../../src/node/host/clock.ts';
import { lossesInCopy } from '../../../src/node/sideCopies/changesInCopy.ts';
import { readBase } from '../../../src/node/sideCopies/copyBase.ts';
import { readRecord, writeRecord } from '../../../src/node/sideCopies/copyRecord.ts';
import { indexWith } from '../../../src/node/sideCopies/gitIndex.ts';
import { repositoryAt } from '../../../src/node/sideCopies/gitWorktree.ts';
import { removeFolder } from '../../../src/node/sideCopies/removeFolder.ts';
import { SideCopies } from '../../../src/node/sideCopies/sideCopies.ts';
import { createLocks } from '../../../src/node/storage/locks.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const NEVER = new AbortController().signal;
/** The identity of a process that has ended: pids are smaller. */
const ENDED = { pid: 2 ** 30, bootId: null, startTime: null };
/** Threads by where they are, and those that work in a copy beside its own one. */
const threadsWith = (
  whereIs: ThreadsOfCopies['whereIs'],
  threadsIn: ThreadsOfCopies['threadsIn'] = async () => [],
  isComplete: ThreadsOfCopies['isComplete'] = async () => true,
): ThreadsOfCopies => ({ whereIs, threadsIn, isComplete });
const NO_LINKS = { links: [], unsaved: new Map<string, Uint8Array>(), signal: NEVER, progress: () => {} };
const noThread = threadsWith(async () => 'gone');

class Place implements Disposable {
  readonly work = tempFolder();
  readonly home = tempFolder();
  readonly root = realpathSync(this.work.path);
  readonly copies = this.another();

  another(): SideCopies {
    return new SideCopies({ home: this.home.path, locks: createLocks(this.home.path, 'cli'), clock: systemClock });
  }

  write(name: string, content: string | Uint8Array): string {
    const place = path.join(this.root, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, content);
    return place;
  }

  /** A repository with one commit of all that is there. */
  commit(): void {
    git(this.root, 'init', '-q', '-b', 'main');
    git(this.root, 'add', '-A');
    git(this.root, 'commit', '-qm', 'first');
  }

  async make(unsaved: Readonly<Record<string, string>> = {}, links = ['node_modules']): Promise<SideCopy> {
    const texts = Object.entries(unsaved).map(
      ([name, text]) => [path.join(this.root, name), Buffer.from(text)] as const,
    );
    const { copy } = await this.copies.make({
      roots: [this.root],
      links,
      unsaved: new Map(texts),
      signal: NEVER,
      progress: () => {},
    });
    return copy;
  }

  /** Path → what the copy has of it. */
  async changes(copy: SideCopy): Promise<Record<string, string>> {
    const changes = await this.copies.changes(copy.id, NEVER);
    return Object.fromEntries(
      changes.map(({ home, base, result }) => [
        path.relative(this.root, home),
        `${base === undefined ? 'absent' : base.type} → ${result.type}`,
      ]),
    );
  }

  get left(): readonly string[] {
    const folder = path.join(this.home.path, 'copies');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  [Symbol.dispose](): void {
    this.work[Symbol.dispose]();
    this.home[Symbol.dispose]();
  }
}

function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', ['-C', folder, ...identity, ...args], { encoding: 'utf8', stdio: 'pipe' });
}

function folderOf(copy: SideCopy): string {
  return copy.folders[0]?.copy ?? '';
}

function read(copy: SideCopy, name: string): string {
  return readFileSync(path.join(folderOf(copy), name), 'utf8');
}

describe('a side copy of a git repository', () => {
  it('is a worktree of it with the uncommitted changes, staged and not', async () => {
    using place = new Place();
    for (const name of ['same', 'changed', 'staged', 'deleted']) place.write(`${name}.txt`, `${name}\n`);
    place.write('.gitignore', 'out/\n');
    place.commit();
    place.write('changed.txt', 'changed since\n');
    place.write('staged.txt', 'staged since\n');
    git(place.root, 'add', 'staged.txt');
    unlinkSync(path.join(place.root, 'deleted.txt'));
    place.write('new/one.txt', 'new\n');
    place.write('out/built.js', 'built\n');
    const status = git(place.root, 'status', '--porcelain');
    const copy = await place.make();
    assert.equal(copy.folders[0]?.kind, 'worktree');
    assert.equal(git(folderOf(copy), 'status', '--porcelain'), status);
    assert.equal(git(folderOf(copy), 'rev-parse', 'HEAD'), git(place.root, 'rev-parse', 'HEAD'));
    assert.match(git(place.root, 'worktree', 'list'), new RegExp(`${folderOf(copy)} .*detached`));
    assert.equal(existsSync(path.join(folderOf(copy), 'out')), false);
    assert.deepEqual(await place.changes(copy), {});
  });

  it('has an index that git takes for up to date, in each version of the format', async () => {
    using place = new Place();
    for (const name of ['a', 'a/b', 'a/b/long name ü', 'z']) place.write(`${name}/file.txt`, `${name}\n`);
    place.commit();
    for (const version of ['2', '3', '4']) {
      git(place.root, 'update-index', '--index-version', version);
      const copy = await place.make();
      // Compares times only: a file whose times are others is named.
      assert.equal(git(folderOf(copy), 'diff-files', '--name-only'), '', version);
      assert.match(git(folderOf(copy), 'fsck', '--no-dangling'), /^$/);
      writeFileSync(path.join(folderOf(copy), 'z/file.txt'), 'y\n');
      assert.equal(git(folderOf(copy), 'diff-files', '--name-only'), 'z/file.txt\n', version);
    }
  });

  it('leaves branches and the index of the repository alone when the copy commits', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.commit();
    const before = git(place.root, 'rev-parse', 'main');
    const copy = await place.make();
    writeFileSync(path.join(folderOf(copy), 'a.txt'), 'two\n');
    git(folderOf(copy), 'commit', '-qam', 'in the copy');
    assert.equal(git(place.root, 'rev-parse', 'main'), before);
    assert.equal(git(place.root, 'status', '--porcelain'), '');
    assert.deepEqual(await place.changes(copy), { 'a.txt': 'file → file' });
  });

  it('has the files of submodules, and those that are tracked although they are ignored', async () => {
    using place = new Place();
    using other = tempFolder();
    writeFileSync(other.at('sub.txt'), 'of the submodule\n');
    git(other.path, 'init', '-q');
    git(other.path, 'add', '-A');
    git(other.path, 'commit', '-qm', 'sub');
    place.write('.gitignore', '*.log\n');
    place.write('kept.log', 'kept\n');
    git(place.root, 'init', '-q', '-b', 'main');
    git(place.root, 'submodule', 'add', '-q', other.path, 'lib');
    git(place.root, 'add', '-f', 'kept.log', '.gitignore');
    git(place.root, 'commit', '-qm', 'first');
    const copy = await place.make();
    assert.equal(read(copy, 'lib/sub.txt'), 'of the submodule\n');
    assert.equal(read(copy, 'kept.log'), 'kept\n');
    assert.equal(git(folderOf(copy), 'status', '--porcelain', '--ignore-submodules=none'), '');
    writeFileSync(path.join(folderOf(copy), 'kept.log'), 'more\n');
    writeFileSync(path.join(folderOf(copy), 'lib/sub.txt'), 'more\n');
    writeFileSync(path.join(folderOf(copy), 'new.log'), 'ignored\n');
    assert.deepEqual(await place.changes(copy), { 'kept.log': 'file → file', 'lib/sub.txt': 'file → file' });
  });

  it('runs no program that the repository names', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('.gitattributes', '*.txt filter=evil\n');
    place.commit();
    const trap = path.join(place.root, '.git', 'trap');
    for (const key of ['core.fsmonitor', 'filter.evil.smudge', 'filter.evil.clean']) {
      git(place.root, 'config', key, `touch ${trap}; cat`);
    }
    writeFileSync(path.join(place.root, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
    const copy = await place.make();
    await place.changes(copy);
    await place.copies.remove(copy.id);
    assert.equal(existsSync(trap), false);
  });

  it('is a plain copy where the repository cannot be written, and leaves nothing there', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.commit();
    // Also the user of this test cannot make a folder in a file; a folder without permissions does not stop root.
    writeFileSync(path.join(place.root, '.git/worktrees'), '');
    const before = readdirSync(path.join(place.root, '.git'));
    const copy = await place.make();
    assert.equal(copy.folders[0]?.kind, 'plain');
    assert.deepEqual([read(copy, 'a.txt'), existsSync(path.join(folderOf(copy), '.git'))], ['one\n', false]);
    writeFileSync(path.join(folderOf(copy), 'a.txt'), 'two\n');
    assert.deepEqual(await place.changes(copy), { 'a.txt': 'file → file' });
    assert.equal(await place.copies.remove(copy.id), 'removed');
    assert.deepEqual([place.left, readdirSync(path.join(place.root, '.git'))], [[], before]);
  });

  it('is a plain copy where git cannot make a worktree of it in this way', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    git(place.root, 'init', '-q');
    assert.equal((await place.make()).folders[0]?.kind, 'plain', 'without a commit');
    git(place.root, 'add', '-A');
    git(place.root, 'commit', '-qm', 'first');
    git(place.root, 'update-index', '--split-index');
    assert.equal((await place.make()).folders[0]?.kind, 'plain', 'with a split index');
  });
});

describe('a side copy', () => {
  it('of a folder without git has all that is not ignored', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('.gitignore', 'secret\n');
    place.write('secret', 'x');
    chmodSync(place.write('run.sh', '#!/bin/sh\n'), 0o755);
    mkdirSync(path.join(place.root, 'empty'));
    const copy = await place.make();
    assert.equal(copy.folders[0]?.kind, 'plain');
    assert.deepEqual(readdirSync(folderOf(copy)).toSorted(), ['.gitignore', 'a.txt', 'empty', 'run.sh']);
    assert.equal(lstatSync(path.join(folderOf(copy), 'run.sh')).mode & 0o777, 0o755);
    assert.deepEqual(await place.changes(copy), {});
  });

  it('has the unsaved text of open files, also of new ones, and counts it as its beginning', async () => {
    using place = new Place();
    place.write('a.txt', 'saved\n');
    const copy = await place.make({ 'a.txt': 'typed\n', 'new.txt': 'never saved\n' });
    assert.equal(read(copy, 'a.txt'), 'typed\n');
    assert.equal(read(copy, 'new.txt'), 'never saved\n');
    assert.deepEqual(await place.changes(copy), {});
  });

  it('links what the setting names, and links of the workspace lead into the copy', async () => {
    using place = new Place();
    place.write('node_modules/pkg/index.js', 'x');
    place.write('packages/a/node_modules/pkg/index.js', 'y');
    place.write('real/a.txt', 'one\n');
    symlinkSync(path.join(place.root, 'real'), path.join(place.root, 'absolute'));
    symlinkSync('real', path.join(place.root, 'relative'));
    const copy = await place.make();
    const target = (name: string) => readlinkSync(path.join(folderOf(copy), name));
    assert.equal(target('node_modules'), path.join(place.root, 'node_modules'));
    assert.equal(target('packages/a/node_modules'), path.join(place.root, 'packages/a/node_modules'));
    assert.equal(target('absolute'), path.join(folderOf(copy), 'real'));
    assert.equal(target('relative'), 'real');
    assert.deepEqual(await place.changes(copy), {});
    const other = await place.make({}, []);
    assert.equal(existsSync(path.join(folderOf(other), 'node_modules')), false);
  });

  it('knows what was added, changed, deleted, and made executable', async () => {
    using place = new Place();
    for (const name of ['changed', 'deleted', 'mode', 'touched']) place.write(`${name}.txt`, `${name}\n`);
    place.write('long.bin', Buffer.alloc(2 * 1024 * 1024, 1));
    const copy = await place.make();
    const at = (name: string) => path.join(folderOf(copy), name);
    writeFileSync(at('changed.txt'), 'other\n');
    writeFileSync(at('touched.txt'), 'touched\n');
    writeFileSync(at('added.txt'), 'added\n');
    writeFileSync(at('long.bin'), Buffer.alloc(2 * 1024 * 1024, 2));
    rmSync(at('deleted.txt'));
    chmodSync(at('mode.txt'), 0o755);
    assert.deepEqual(await place.changes(copy), {
      'added.txt': 'absent → file',
      'changed.txt': 'file → file',
      'deleted.txt': 'file → absent',
      'long.bin': 'file → file',
      'mode.txt': 'file → file',
    });
  });

  it('offers no more what came home, and the rest again', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.write('b.txt', 'one\n');
    const copy = await place.make();
    writeFileSync(path.join(folderOf(copy), 'a.txt'), 'two\nthree\n');
    writeFileSync(path.join(folderOf(copy), 'b.txt'), 'two\n');
    writeFileSync(path.join(folderOf(copy), 'c.txt'), 'new\n');
    const [a, b, c] = await place.copies.changes(copy.id, NEVER);
    assert.ok(a && b && c);
    await place.copies.settle(copy.id, [
      { change: a, base: { type: 'bytes', bytes: Buffer.from('two\n') } },
      { change: b, base: { type: 'result' } },
      { change: c, base: { type: 'result' } },
    ]);
    const left = await place.another().changes(copy.id, NEVER);
    assert.deepEqual(
      left.map(({ home }) => path.relative(place.root, home)),
      ['a.txt'],
    );
    assert.equal(Buffer.from((await place.copies.baseContent(copy.id, left[0]?.base)) ?? []).toString(), 'two\n');
    rmSync(path.join(folderOf(copy), 'c.txt'));
    assert.deepEqual(await place.changes(copy), { 'a.txt': 'file → file', 'c.txt': 'file → absent' });
  });

  it('is known by its places', async () => {
    using place = new Place();
    place.write('src/a.txt', 'one\n');
    const copy = await place.make();
    const inCopy = path.join(folderOf(copy), 'src/a.txt');
    const copies = place.another();
    assert.equal(copies.homeOf(inCopy), path.join(place.root, 'src/a.txt'));
    assert.deepEqual(copies.foldersAround(inCopy), copy.folders);
    assert.deepEqual([copies.homeOf(place.root), copies.foldersAround(place.root)], [place.root, undefined]);
  });

  it('of a folder that a repository ignores has its files, and of one inside a repository not the ignored ones', async () => {
    using place = new Place();
    place.write('.gitignore', 'ignored/\n*.log\n');
    place.write('ignored/a.txt', 'one\n');
    place.write('inside/a.txt', 'one\n');
    place.write('inside/a.log', 'one\n');
    git(place.root, 'init', '-q');
    const made = async (name: string) => {
      const roots = [path.join(place.root, name)];
      const given = { roots, links: [], unsaved: new Map(), signal: NEVER, progress: () => {} };
      return (await place.copies.make(given)).copy;
    };
    assert.deepEqual(readdirSync(folderOf(await made('ignored'))), ['a.txt']);
    const inside = await made('inside');
    assert.deepEqual(readdirSync(folderOf(inside)), ['a.txt']);
    writeFileSync(path.join(folderOf(inside), 'b.log'), 'ignored\n');
    assert.deepEqual(await place.changes(inside), {});
  });

  it('leaves nothing when the user cancels', async () => {
    using place = new Place();
    for (let number = 0; number < 300; number++) place.write(`${number}.txt`, `${number}\n`);
    place.commit();
    const cancel = new AbortController();
    const making = place.copies.make({
      roots: [place.root],
      links: [],
      unsaved: new Map(),
      signal: cancel.signal,
      progress: () => cancel.abort(new Error('cancelled')),
    });
    await assert.rejects(making, /cancelled/);
    assert.deepEqual(place.left, []);
    assert.equal(existsSync(path.join(place.root, '.git/worktrees')), false);
  });

  it('is removed with its worktree, and commits in the repository stay', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.commit();
    const copy = await place.make();
    assert.ok((await place.copies.size(copy.id, NEVER)) > 4);
    assert.equal(await place.copies.remove(copy.id), 'removed');
    assert.deepEqual([place.left, place.copies.all], [[], []]);
    assert.equal(git(place.root, 'worktree', 'list').trim().split('\n').length, 1);
    assert.equal(git(place.root, 'fsck', '--no-dangling'), '');
  });

  it('is not removed while another process uses it', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    const copy = await place.make();
    const result = await new Promise<string>((resolve, reject) => {
      place.copies.alone(copy.id, () => place.another().remove(copy.id).then(resolve, reject)).catch(reject);
    });
    assert.deepEqual([result, place.copies.all.length], ['in_use', 1]);
  });

  it('of two over one repository keeps its own changes', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.commit();
    const [one, other] = [await place.make(), await place.make()];
    writeFileSync(path.join(folderOf(one), 'a.txt'), 'two\n');
    writeFileSync(path.join(folderOf(other), 'b.txt'), 'new\n');
    assert.deepEqual(await place.changes(one), { 'a.txt': 'file → file' });
    assert.deepEqual(await place.changes(other), { 'b.txt': 'absent → file' });
    await place.copies.remove(one.id);
    assert.equal(git(folderOf(other), 'status', '--porcelain'), '?? b.txt\n');
  });
});

describe('a repository that is not what it seems', () => {
  /** A repository whose index names `aa/aa/evil.txt` by another name of the same length. */
  function renamedInIndex(place: Place, name: string): string {
    assert.equal(name.length, 'aa/aa/evil.txt'.length);
    const root = path.join(place.root, 'one/two');
    place.write('one/two/aa/aa/evil.txt', 'inside\n');
    git(root, 'init', '-q');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'first');
    const index = path.join(root, '.git/index');
    const bytes = readFileSync(index);
    bytes.write(name, bytes.indexOf('aa/aa/evil.txt'), 'latin1');
    writeFileSync(index, bytes);
    return root;
  }

  it.each(['../../evil.txt', '/tmp/xevil.txt', '.git/xevil.txt', '.GIT/xevil.txt', 'aa/./xevil.txt', 'aa//xxevil.txt'])(
    'cannot lead out of the copy or into its .git by the name %s',
    async (name) => {
      using place = new Place();
      const root = renamedInIndex(place, name);
      place.write('evil.txt', 'outside\n');
      const given = { roots: [root], links: [], unsaved: new Map(), signal: NEVER, progress: () => {} };
      const { copy } = await place.copies.make(given);
      assert.equal(copy.folders[0]?.kind, 'plain');
      const folder = path.join(place.home.path, 'copies', copy.id);
      assert.deepEqual(
        readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith('evil.txt')),
        ['work/two/aa/aa/evil.txt'],
      );
    },
  );

  it('has a link where a tracked folder was', async () => {
    using place = new Place();
    place.write('folder/a.txt', 'one\n');
    place.write('other/a.txt', 'two\n');
    place.commit();
    rmSync(path.join(place.root, 'folder'), { recursive: true });
    symlinkSync('other', path.join(place.root, 'folder'));
    const status = git(place.root, 'status', '--porcelain');
    const copy = await place.make({ 'folder/new.txt': 'never saved\n' });
    assert.equal(readlinkSync(path.join(folderOf(copy), 'folder')), 'other');
    assert.deepEqual(readdirSync(path.join(folderOf(copy), 'other')), ['a.txt']);
    assert.equal(git(folderOf(copy), 'status', '--porcelain'), status);
    assert.deepEqual(await place.changes(copy), {});
  });

  it('has the permission bits of its files, whatever the mask of the process', async () => {
    using place = new Place();
    chmodSync(place.write('shared.txt', 'one\n'), 0o666);
    const copy = await place.make();
    assert.equal(lstatSync(path.join(folderOf(copy), 'shared.txt')).mode & 0o777, 0o666);
    assert.deepEqual(await place.changes(copy), {});
  });
});

describe('the changes of a side copy as a text', () => {
  it('are the names of all files and the diffs of those that may be read, without what came home', async () => {
    using place = new Place();
    place.write('a.txt', 'one\ntwo\n');
    place.write('.env', 'KEY=1\n');
    place.write('gone.txt', 'gone\n');
    place.write('image.bin', Uint8Array.of(0, 1, 2));
    place.commit();
    // Not committed at home, and so no change of the copy.
    place.write('a.txt', 'ONE\ntwo\n');
    const copy = await place.make();
    const isHome = (file: string) => path.dirname(file) === place.root;
    const hidden = (file: string) => path.basename(file) === '.env' || (isHome(file) && file.endsWith('hard.txt'));
    const refusals = async (files: readonly string[]) => new Map(files.filter(hidden).map((file) => [file, 'no']));
    const text = () => copyChangesText(copy, place.copies, refusals, NEVER);
    assert.equal(await text(), undefined);
    const at = (name: string) => path.join(folderOf(copy), name);
    writeFileSync(at('a.txt'), 'ONE\nTWO\n');
    writeFileSync(at('.env'), 'KEY=2\n');
    writeFileSync(at('hard.txt'), 'KEY=3\n');
    writeFileSync(at('image.bin'), Uint8Array.of(0, 1, 3));
    writeFileSync(at('new.txt'), 'new\n');
    rmSync(at('gone.txt'));
    const all = (await text()) ?? '';
    assert.ok(
      all.startsWith(
        `Side copy of ${place.root}, changed files:\n.env\na.txt\ngone.txt\nhard.txt\nimage.bin\nnew.txt\n\n`,
      ),
    );
    assert.equal(all.includes('KEY'), false);
    for (const part of [' ONE\n-two\n+TWO', '-gone', 'Binary files a/image.bin and b/image.bin differ', '+new']) {
      assert.ok(all.includes(part), part);
    }
    const changes = await place.copies.changes(copy.id, NEVER);
    const settled = changes.filter(({ copy: file }) => file !== at('new.txt'));
    await place.copies.settle(
      copy.id,
      settled.map((change) => ({ change, base: { type: 'result' } })),
    );
    assert.equal((await text())?.includes('a.txt'), false);
  });
});

describe('a side copy of several folders', () => {
  it('names each folder once, and leaves out one that lies in another one', async () => {
    using place = new Place();
    for (const name of ['x/app-2', 'y/app', 'z/app', 'z/app/inner']) place.write(`${name}/a.txt`, `${name}\n`);
    const roots = ['x/app-2', 'z/app/inner', 'y/app', 'z/app'].map((name) => path.join(place.root, name));
    const given = { roots, links: [], unsaved: new Map(), signal: NEVER, progress: () => {} };
    const { copy } = await place.copies.make(given);
    assert.deepEqual(
      copy.folders.map((folder) => [path.relative(place.root, folder.home), path.basename(folder.copy)]),
      [
        ['x/app-2', 'app-2'],
        ['y/app', 'app'],
        ['z/app', 'app-3'],
      ],
    );
    writeFileSync(path.join(copy.folders[2]?.copy ?? '', 'inner/a.txt'), 'changed\n');
    assert.deepEqual(await place.changes(copy), { 'z/app/inner/a.txt': 'file → file' });
  });
});

describe('a link in a side copy', () => {
  it('that has replaced a folder brings nothing from where it leads', async () => {
    using place = new Place();
    using outside = tempFolder();
    place.write('folder/a.txt', 'one\n');
    const copy = await place.make();
    const at = path.join(folderOf(copy), 'folder/a.txt');
    writeFileSync(at, 'two\n');
    const [change] = await place.copies.changes(copy.id, NEVER);
    assert.ok(change);
    writeFileSync(outside.at('a.txt'), 'two\n');
    rmSync(path.dirname(at), { recursive: true });
    symlinkSync(outside.path, path.dirname(at));
    assert.deepEqual(await place.changes(copy), { folder: 'absent → other', 'folder/a.txt': 'file → other' });
    assert.equal(await place.copies.content(at, 100), undefined);
    await place.copies.settle(copy.id, [{ change, base: { type: 'result' } }]);
    const [, after] = await place.copies.changes(copy.id, NEVER);
    assert.equal(await place.copies.baseContent(copy.id, after?.base), undefined);
  });
});

describe('the base of a side copy', () => {
  it('gives no content that is not the one it began with', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    const copy = await place.make();
    writeFileSync(path.join(folderOf(copy), 'a.txt'), 'two\n');
    const [change] = await place.copies.changes(copy.id, NEVER);
    assert.equal(Buffer.from((await place.copies.baseContent(copy.id, change?.base)) ?? []).toString(), 'one\n');
    writeFileSync(path.join(place.home.path, 'copies', copy.id, 'base.pack'), 'xne\n');
    assert.equal(await place.copies.baseContent(copy.id, change?.base), undefined);
  });
});

describe('a side copy of many files', () => {
  it('pauses at each file wherever it goes through all of them', async () => {
    using place = new Place();
    const many = 40;
    for (let index = 0; index < many; index++) place.write(`d${index % 5}/f${index}.txt`, `${index}\n`);
    place.commit();
    const copy = await place.make();
    const folder = path.join(place.home.path, 'copies', copy.id);
    let pauses = 0;
    const pause = () => void pauses++;
    const counted = async (act: () => Promise<unknown>) => {
      pauses = 0;
      await act();
      return pauses;
    };
    const repository = await repositoryAt(place.root, () => undefined);
    assert.ok(repository);
    const { index } = repository;
    const stats = lstatSync(place.root, { bigint: true });
    const entries = index.files.map((file) => [file, stats] as const);
    const counts = {
      index: await counted(() => repositoryAt(place.root, pause)),
      written: await counted(() => indexWith(index, entries, pause)),
      base: await counted(() => readBase(folder, pause)),
      removed: await counted(() => removeFolder(realpathSync(folder), pause)),
    };
    for (const [what, count] of Object.entries(counts)) assert.ok(count >= many, `${what}: ${count}`);
    assert.equal(existsSync(folder), false);
  });
});

describe('removing a side copy', () => {
  it('is refused while another process owns one of its threads', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    const copy = await place.make();
    await place.copies.assign(copy.id, 'thread');
    const locks = createLocks(place.home.path, 'cli');
    for (const name of ['thread', 'agent']) {
      const attempt = await locks.acquire(name);
      assert.equal(attempt.type, 'held');
      assert.equal(await place.copies.remove(copy.id, { threads: ['agent'] }), 'in_use', name);
      if (attempt.type === 'held') await attempt.lock.release();
    }
    assert.equal(await place.copies.remove(copy.id, { threads: ['agent'] }), 'removed');
  });

  it('removes folders that may not be written, and links without what they lead to', async () => {
    using place = new Place();
    using outside = tempFolder();
    writeFileSync(outside.at('kept.txt'), 'kept\n');
    place.write('a/b/c.txt', 'one\n');
    const copy = await place.make();
    symlinkSync(outside.path, path.join(folderOf(copy), 'a/link'));
    chmodSync(path.join(folderOf(copy), 'a/b'), 0o555);
    assert.equal(await place.copies.remove(copy.id), 'removed');
    assert.deepEqual([place.left, readFileSync(outside.at('kept.txt'), 'utf8')], [[], 'kept\n']);
  });

  it('asks with what is lost by then, and can be refused', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    const copy = await place.make();
    writeFileSync(path.join(folderOf(copy), 'a.txt'), 'two\n');
    const asked: number[] = [];
    const agrees = async ({ changes }: CopyLosses) => {
      asked.push(changes.length);
      assert.equal(await place.copies.alone(copy.id, async () => {}), false);
      return false;
    };
    assert.equal(await place.copies.remove(copy.id, { agrees }), 'kept');
    assert.deepEqual([asked, read(copy, 'a.txt')], [[1], 'two\n']);
    assert.equal(await place.copies.remove(copy.id, { agrees: async () => true }), 'removed');
  });
});

describe('what removing a side copy would lose', () => {
  const rows: readonly (readonly [what: string, work: (folder: string) => void, lost: Partial<CopyLosses>])[] = [
    ['an ignored file', (folder) => writeFileSync(path.join(folder, 'secret'), 'x'), { ignored: ['secret'] }],
    [
      'a file in an ignored folder beside a tracked one',
      (folder) => {
        mkdirSync(path.join(folder, 'out/deep'));
        writeFileSync(path.join(folder, 'out/deep/built.js'), 'x');
      },
      { ignored: ['out'] },
    ],
    ['an empty commit', (folder) => git(folder, 'commit', '-q', '--allow-empty', '-m', 'in the copy'), {}],
  ];
  it.each(rows)('includes %s', async (_what, work, { ignored = [] }) => {
    using place = new Place();
    place.write('.gitignore', 'node_modules\n');
    place.write('node_modules/a.js', 'x');
    place.write('out/kept.txt', 'one\n');
    place.commit();
    place.write('.gitignore', 'node_modules\nsecret\nout\n');
    const copy = await place.make();
    assert.deepEqual(await place.copies.losses(copy.id, NEVER), {
      changes: [],
      ignored: [],
      commits: [],
      isPartial: false,
      unread: [],
      repositories: [],
    });
    work(folderOf(copy));
    const lost = await place.copies.losses(copy.id, NEVER);
    assert.deepEqual(
      lost.ignored.map((one) => path.relative(folderOf(copy), one)),
      ignored,
    );
    const head = git(folderOf(copy), 'rev-parse', '--short=10', 'HEAD').trim();
    assert.deepEqual(lost.commits, ignored.length > 0 ? [] : [`${head} in the copy`]);
    const folder = path.join(place.home.path, 'copies', copy.id);
    const record = readRecord(folder);
    assert.ok(record);
    await writeRecord(folder, { ...record, owner: ENDED });
    await place.another().sweep(noThread);
    assert.equal(existsSync(folderOf(copy)), true);
  });

  it.skipIf(process.platform !== 'linux')(
    'names files and folders whose names are not UTF-8, on both sides',
    async () => {
      using place = new Place();
      const odd = (folder: string, name: string) => Buffer.concat([Buffer.from(`${folder}/${name}`), Buffer.of(0xe9)]);
      place.write('a.txt', '1\n');
      writeFileSync(odd(place.root, 'caf'), 'mine\n');
      mkdirSync(odd(place.root, 'folder-'));
      const { copy, skipped } = await place.copies.make({ ...NO_LINKS, roots: [place.root] });
      const names = ['caf\\xE9', 'folder-\\xE9'];
      assert.deepEqual(skipped.map((file) => path.relative(place.root, file)).toSorted(), names);
      writeFileSync(odd(folderOf(copy), 'new-'), 'made here\n');
      const lost = await place.copies.losses(copy.id, NEVER);
      assert.deepEqual([lost.changes, lost.unread], [[], [path.join(folderOf(copy), 'new-\\xE9')]]);
      assert.equal(isNothing(lost), false);
    },
  );

  it('names repositories inside the workspace, and those that were made in the copy', async () => {
    using place = new Place();
    place.write('a.txt', '1\n');
    place.write('module/b.txt', '2\n');
    place.write('module/.git', 'gitdir: ../.git/modules/module\n');
    place.commit();
    const { copy, repositories } = await place.copies.make({ ...NO_LINKS, roots: [place.root] });
    assert.deepEqual(repositories, [path.join(place.root, 'module')]);
    assert.equal(isNothing(await place.copies.losses(copy.id, NEVER)), true);
    const made = path.join(folderOf(copy), 'made');
    mkdirSync(made);
    git(made, 'init', '-q');
    git(made, 'commit', '-q', '--allow-empty', '-m', 'in the copy');
    const lost = await place.copies.losses(copy.id, NEVER);
    assert.deepEqual([lost.changes, lost.repositories, isNothing(lost)], [[], [made], false]);
  });

  it.skipIf(process.getuid?.() === 0)(
    'is not known of folders and files that a command has made unreadable',
    async () => {
      using place = new Place();
      place.write('a.txt', 'one\n');
      place.write('b.txt', 'one\n');
      const copy = await place.make();
      const dark = path.join(folderOf(copy), 'dark');
      mkdirSync(dark);
      writeFileSync(path.join(dark, 'work.txt'), 'of the agent\n');
      chmodSync(dark, 0);
      chmodSync(path.join(folderOf(copy), 'a.txt'), 0);
      const lost = await place.copies.losses(copy.id, NEVER);
      assert.deepEqual([lost.unread, isNothing({ ...lost, changes: [] })], [[dark], false]);
      assert.deepEqual(
        lost.changes.map(({ home, result }) => [path.relative(place.root, home), result]),
        [['a.txt', { type: 'other' }]],
      );
      const folder = path.join(place.home.path, 'copies', copy.id);
      const record = readRecord(folder);
      assert.ok(record);
      await writeRecord(folder, { ...record, owner: ENDED });
      await place.another().sweep(noThread);
      chmodSync(dark, 0o700);
      assert.equal(readFileSync(path.join(dark, 'work.txt'), 'utf8'), 'of the agent\n');
    },
  );

  it('is not known where there are more files than are compared', async () => {
    using place = new Place();
    for (const name of ['a', 'b', 'c']) place.write(`${name}.txt`, 'one\n');
    const copy = await place.make();
    const folder = path.join(place.home.path, 'copies', copy.id);
    const record = readRecord(folder);
    assert.ok(record);
    const lost = await lossesInCopy(folder, record, () => undefined, 2);
    assert.deepEqual([lost.changes, lost.isPartial, isNothing(lost)], [[], true, false]);
    assert.equal(isNothing(await lossesInCopy(folder, record, () => undefined, 3)), true);
  });
});

describe('the next start', () => {
  /** Leaves a copy as a killed process does. */
  async function crashed(place: Place, state: 'making' | 'ready' | 'removing', threadId: string | null = null) {
    const copy = await place.make();
    const folder = path.join(place.home.path, 'copies', copy.id);
    const record = readRecord(folder);
    assert.ok(record);
    await writeRecord(folder, { ...record, state, threadId, owner: ENDED });
    return copy;
  }

  it('removes copies that a crash left half made or half removed, with their worktrees', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    place.commit();
    await crashed(place, 'making');
    await crashed(place, 'removing');
    mkdirSync(path.join(place.home.path, 'copies', 'removed-012345abcdef'));
    await place.another().sweep(noThread);
    assert.deepEqual(place.left, []);
    assert.equal(git(place.root, 'worktree', 'list').trim().split('\n').length, 1);
  });

  it('removes a copy whose thread is gone, but never one with changes', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    await crashed(place, 'ready', 'gone');
    const changed = await crashed(place, 'ready', 'gone');
    const kept = await crashed(place, 'ready', 'there');
    const mine = await place.make();
    writeFileSync(path.join(folderOf(changed), 'a.txt'), 'two\n');
    const copies = place.another();
    await copies.sweep(threadsWith(async (threadId) => (threadId === 'there' ? 'listed' : 'gone')));
    assert.deepEqual(copies.all.map(({ id }) => id).toSorted(), [changed.id, kept.id, mine.id].toSorted());
  });

  it('removes a copy that differs in ignored files alone once its thread is no longer in the trash', async () => {
    using place = new Place();
    place.write('.gitignore', 'built/\n');
    const copy = await crashed(place, 'ready', 'deleted');
    mkdirSync(path.join(folderOf(copy), 'built'));
    writeFileSync(path.join(folderOf(copy), 'built/out.js'), 'out\n');
    const copies = place.another();
    for (const where of ['listed', 'deleted'] as const) {
      await copies.sweep(threadsWith(async () => where));
      assert.deepEqual(place.left, [copy.id], where);
    }
    await copies.sweep(threadsWith(noThread.whereIs, noThread.threadsIn, async () => false));
    assert.deepEqual(place.left, [copy.id], 'a folder of threads cannot be read');
    await copies.sweep(noThread);
    assert.deepEqual(place.left, []);
  });

  it('keeps a copy in which a fork of its thread works, and one that is changed or used until it holds the locks', async () => {
    using place = new Place();
    place.write('.gitignore', 'built\n');
    const copy = await crashed(place, 'ready', 'thread');
    writeFileSync(path.join(folderOf(copy), 'built'), 'of the fork\n');
    const copies = place.another();
    const whereIs: ThreadsOfCopies['whereIs'] = async (threadId) => (threadId === 'fork' ? 'listed' : 'gone');
    const asked: (readonly string[])[] = [];
    const forkIn: ThreadsOfCopies['threadsIn'] = async (folders) => {
      asked.push(folders);
      return ['fork'];
    };
    await copies.sweep(threadsWith(whereIs, forkIn));
    assert.deepEqual([asked[0], place.left], [[folderOf(copy)], [copy.id]]);
    // The fork begins between the first look and the locks.
    let looks = 0;
    await copies.sweep(threadsWith(whereIs, async () => (++looks === 1 ? [] : ['fork'])));
    assert.deepEqual([looks, place.left], [2, [copy.id]]);
    // Another process owns the thread of an agent whose rollout is gone.
    const attempt = await createLocks(place.home.path, 'cli').acquire('agent');
    assert.equal(attempt.type, 'held');
    await copies.sweep(
      threadsWith(
        async () => 'gone',
        async () => ['agent'],
      ),
    );
    assert.deepEqual(place.left, [copy.id]);
    if (attempt.type === 'held') await attempt.lock.release();
    // Another process takes it for a thread of its own.
    const folder = path.join(place.home.path, 'copies', copy.id);
    const record = readRecord(folder);
    assert.ok(record);
    looks = 0;
    const taken = async () => {
      if (++looks === 1) await writeRecord(folder, { ...record, threadId: 'fork' });
      return [];
    };
    await copies.sweep(threadsWith(whereIs, taken));
    assert.deepEqual([looks, place.left], [2, [copy.id]]);
    await writeRecord(folder, record);
    await copies.sweep(noThread);
    assert.deepEqual(place.left, []);
  });

  it('leaves a copy alone whose record cannot be read, and lists it', async () => {
    using place = new Place();
    place.write('a.txt', 'one\n');
    const fates: readonly (readonly [fate: (file: string) => void, isListed: boolean])[] = [
      [(file) => writeFileSync(file, '{"version":1'), true],
      [(file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2')), true],
      [
        (file) => {
          rmSync(file);
          mkdirSync(file);
        },
        true,
      ],
      [(file) => rmSync(file), false],
    ];
    const copies = place.another();
    for (const [fate, isListed] of fates) {
      const copy = await crashed(place, 'ready');
      const folder = path.join(place.home.path, 'copies', copy.id);
      fate(path.join(folder, 'copy.json'));
      utimesSync(folder, 0, 0);
      await copies.sweep(noThread);
      assert.equal(read(copy, 'a.txt'), 'one\n');
      assert.equal(
        copies.unreadable.some((one) => one.folder === folder),
        isListed,
      );
      if (isListed) await assert.rejects(copies.remove(copy.id), /cannot be read/);
    }
    const empty = path.join(place.home.path, 'copies/0123456789ab');
    mkdirSync(empty);
    utimesSync(empty, 0, 0);
    await copies.sweep(noThread);
    assert.equal(existsSync(empty), false);
  });
});
