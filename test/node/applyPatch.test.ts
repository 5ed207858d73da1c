import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'vitest';
import {
  type ApplyResult,
  type DecidedChange,
  type FileChange,
  type Workspace,
  WorkspaceError,
} from '../../src/core/ports.ts';
import { createDiskWorkspace } from '../../src/node/apply/diskWorkspace.ts';
import { decided } from '../support/decided.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { journalsIn } from '../support/journals.ts';

interface Place extends Disposable {
  readonly workspace: ApplyTarget;
  /** The port itself. */
  readonly disk: Workspace;
  at(...names: string[]): string;
  /** Every file below `work`, by its path; a link as `-> target`. */
  tree(): Record<string, string>;
  /** The files in the journal folder. */
  journals(): string[];
}

/** Resolves the places and applies at once; a path without a place fails here already. */
interface ApplyTarget extends Pick<Workspace, 'read'> {
  apply(changes: readonly FileChange[], signal?: AbortSignal): Promise<ApplyResult>;
}

function applyIn(workspace: Workspace): ApplyTarget {
  return {
    read: workspace.read,
    apply: async (changes, signal) => {
      const found = await decided(workspace, changes).catch((error: unknown) => error);
      if (found instanceof WorkspaceError) return { type: 'failed', message: found.message, notRestored: [] };
      return workspace.apply(found as DecidedChange[], signal);
    },
  };
}

type BeforeStep = (path: string, index: number) => void;

function place(files: Record<string, string | Uint8Array> = {}, beforeStep?: BeforeStep): Place {
  const folder: TempFolder = tempFolder();
  mkdirSync(folder.at('work'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder.at('work', path), '..'), { recursive: true });
    writeFileSync(folder.at('work', path), content);
  }
  const home = folder.at('home');
  const disk = createDiskWorkspace({ roots: [folder.at('work')], home, beforeStep });
  return {
    disk,
    workspace: applyIn(disk),
    at: (...names) => folder.at('work', ...names),
    tree: () => treeBelow(folder.at('work')),
    journals: () => journalsIn(home),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function treeBelow(root: string, prefix = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) Object.assign(tree, { [`${path}/`]: '' }, treeBelow(root, `${path}/`));
    else tree[path] = entry.isSymbolicLink() ? `-> ${readlinkSync(join(root, path))}` : contentOf(join(root, path));
  }
  return tree;
}

const contentOf = (path: string): string => readFileSync(path, 'latin1');
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

const add = (path: string, text: string, before: string | null = null): FileChange => ({
  kind: 'add',
  path,
  text,
  before,
});
const remove = (path: string, before: string | null): FileChange => ({ kind: 'delete', path, before });
const update = (path: string, before: string, after: string): FileChange => ({
  kind: 'update',
  path,
  before,
  after,
  hunks: [],
  movedTo: null,
  movedOver: null,
});
const move = (
  path: string,
  movedTo: string,
  before: string,
  after = before,
  movedOver: string | null = null,
): FileChange => ({ kind: 'update', path, before, after, hunks: [], movedTo, movedOver });

describe('changes are applied', () => {
  test('of all kinds together, without leftovers', async () => {
    using here = place({ 'update.txt': 'one\n', 'delete.txt': 'gone\n', 'move.txt': 'way\n' });
    const result = await here.workspace.apply([
      update(here.at('update.txt'), 'one\n', 'two\n'),
      remove(here.at('delete.txt'), 'gone\n'),
      move(here.at('move.txt'), here.at('deep/er/moved.txt'), 'way\n', 'way!\n'),
      add(here.at('new/file.txt'), 'new\n'),
    ]);
    assert.deepEqual(result, {
      type: 'applied',
      files: ['update.txt', 'delete.txt', 'deep/er/moved.txt', 'new/file.txt'].map((name) => ({
        path: here.at(name),
        saved: true,
        reformatted: false,
      })),
    });
    assert.deepEqual(here.tree(), {
      'update.txt': 'two\n',
      'deep/': '',
      'deep/er/': '',
      'deep/er/moved.txt': 'way!\n',
      'new/': '',
      'new/file.txt': 'new\n',
    });
    assert.deepEqual(here.journals(), []);
  });

  test.each([
    ['CRLF', 'a\r\nb\r\nc\r\n'],
    ['mixed line endings', 'a\nb\r\nc\rb\n'],
    ['no final newline', 'a\nb'],
    ['a byte order mark', '\uFEFFa\r\nb\n'],
    ['trailing blanks, form feeds and rare separators', 'a  \t\nb\f\v\u2028\u0085c\n'],
    ['emoji and combining marks', '🙂a\u0301\nb\n'],
  ])('every byte that was not changed stays: %s', async (_name, text) => {
    using here = place({ 'file.txt': text });
    const { text: before } = await here.workspace.read(here.at('file.txt'));
    await here.workspace.apply([update(here.at('file.txt'), before, before.replace('b', 'B'))]);
    assert.equal(readFileSync(here.at('file.txt'), 'utf8'), text.replace('b', 'B'));
  });

  test('through a symbolic link, which stays; deleting a link keeps its target', async () => {
    using here = place({ 'real/target.txt': 'one\n' });
    symlinkSync('real/target.txt', here.at('link.txt'));
    symlinkSync('link.txt', here.at('second.txt'));
    symlinkSync('nowhere/yet.txt', here.at('dangling.txt'));
    await here.workspace.apply([
      update(here.at('second.txt'), 'one\n', 'two\n'),
      add(here.at('dangling.txt'), 'here now\n'),
    ]);
    assert.equal((await here.workspace.apply([remove(here.at('link.txt'), 'two\n')])).type, 'applied');
    assert.deepEqual(here.tree(), {
      'real/': '',
      'real/target.txt': 'two\n',
      'second.txt': '-> link.txt',
      'dangling.txt': '-> nowhere/yet.txt',
      'nowhere/': '',
      'nowhere/yet.txt': 'here now\n',
    });
  });

  test('under one name of a file with hard links; the others keep their text', async () => {
    using here = place({ 'one.txt': 'a long first text\n' });
    linkSync(here.at('one.txt'), here.at('two.txt'));
    chmodSync(here.at('one.txt'), 0o751);
    await here.workspace.apply([update(here.at('one.txt'), 'a long first text\n', 'short\n')]);
    assert.deepEqual(here.tree(), { 'one.txt': 'short\n', 'two.txt': 'a long first text\n' });
    assert.deepEqual([modeOf(here.at('one.txt')), statSync(here.at('two.txt')).nlink], ['751', 1]);
  });

  test('to the same inodes, which keep their attributes, access control lists and labels', async () => {
    using here = place({ 'a.txt': 'a\n', 'b.txt': 'a long text\n', 'moved.txt': 'm\n', 'over.txt': 'o\n' });
    const names = ['a.txt', 'b.txt', 'over.txt'];
    const inodes = () => names.map((name) => statSync(here.at(name)).ino);
    const before = inodes();
    const result = await here.workspace.apply([
      update(here.at('a.txt'), 'a\n', 'a longer text\n'),
      update(here.at('b.txt'), 'a long text\n', 'b\n'),
      move(here.at('moved.txt'), here.at('over.txt'), 'm\n', 'm\n', 'o\n'),
    ]);
    assert.equal(result.type, 'applied');
    assert.deepEqual(inodes(), before);
    assert.deepEqual(here.tree(), { 'a.txt': 'a longer text\n', 'b.txt': 'b\n', 'over.txt': 'm\n' });
  });

  test('with the permissions of the file, also where it moves to', async () => {
    using here = place({ 'run.sh': 'one\n', 'move.sh': 'm\n', 'over.txt': 'o\n', 'secret.txt': 's\n' });
    chmodSync(here.at('run.sh'), 0o755);
    chmodSync(here.at('move.sh'), 0o755);
    chmodSync(here.at('secret.txt'), 0o600);
    await here.workspace.apply([
      update(here.at('run.sh'), 'one\n', 'two\n'),
      move(here.at('move.sh'), here.at('over.txt'), 'm\n', 'm\n', 'o\n'),
      add(here.at('secret.txt'), 'replaced\n', 's\n'),
    ]);
    assert.deepEqual(
      [modeOf(here.at('run.sh')), modeOf(here.at('over.txt')), modeOf(here.at('secret.txt'))],
      ['755', '755', '600'],
    );
    assert.equal(existsSync(here.at('move.sh')), false);
  });

  test('when files swap names, a name is reused, and a file becomes a folder', async () => {
    using here = place({ a: 'A', b: 'B', c: 'C', d: 'D' });
    const result = await here.workspace.apply([
      move(here.at('a'), here.at('b'), 'A', 'A2', 'B'),
      move(here.at('b'), here.at('a'), 'B', 'B2', 'A'),
      remove(here.at('c'), 'C'),
      add(here.at('c/inner'), 'inner'),
      move(here.at('d'), here.at('d'), 'D', 'D2', null),
    ]);
    assert.equal(result.type, 'applied');
    assert.deepEqual(here.tree(), { a: 'B2', b: 'A2', 'c/': '', 'c/inner': 'inner', d: 'D2' });
  });

  test('a binary file is deleted without being read', async () => {
    using here = place({ 'image.png': Buffer.from([0x89, 0, 0xff]) });
    assert.equal((await here.workspace.apply([remove(here.at('image.png'), null)])).type, 'applied');
    assert.deepEqual(here.tree(), {});
  });

  test('one after the other where they meet', async () => {
    using here = place({ 'file.txt': '0' });
    const results = await Promise.all([
      here.workspace.apply([update(here.at('file.txt'), '0', '1')]),
      here.workspace.apply([update(here.at('file.txt'), '1', '2')]),
      here.workspace.apply([update(here.at('file.txt'), '0', 'X')]),
    ]);
    assert.deepEqual(
      results.map((result) => result.type),
      ['applied', 'applied', 'stale'],
    );
    assert.deepEqual(here.tree(), { 'file.txt': '2' });
  });
});

describe('nothing is changed', () => {
  test('when a file differs from the one that the plan was made for', async () => {
    using here = place({ 'a.txt': 'a', 'b.txt': 'changed', 'there.txt': 't' });
    const before = here.tree();
    const result = await here.workspace.apply([
      update(here.at('a.txt'), 'a', 'A'),
      update(here.at('b.txt'), 'b', 'B'),
      add(here.at('there.txt'), 'new'),
      remove(here.at('missing.txt'), 'm'),
      move(here.at('gone.txt'), here.at('else.txt'), 'g'),
    ]);
    const paths = ['b.txt', 'there.txt', 'missing.txt', 'gone.txt'].map((name) => here.at(name));
    assert.deepEqual(result, { type: 'stale', paths });
    assert.deepEqual(here.tree(), before);
  });

  test('when the target cannot be written, and the reason is reported', async () => {
    using here = place({ 'a.txt': 'a', file: 'f', 'folder/x': 'x', bin: Buffer.from([0]) });
    linkSync(here.at('a.txt'), here.at('twin.txt'));
    symlinkSync('circle', here.at('circle'));
    const before = here.tree();
    const message = async (...changes: FileChange[]) => {
      const result = await here.workspace.apply([update(here.at('a.txt'), 'a', 'A'), ...changes]);
      return result.type === 'failed' ? result.message : result.type;
    };
    assert.deepEqual(
      [
        await message(add(here.at('file/below'), 'x')),
        await message(add(here.at('folder'), 'x')),
        await message(remove(here.at('folder'), null)),
        await message(add(here.at('circle'), 'x')),
        await message(add(here.at('twice'), 'x'), add(here.at('twice'), 'y')),
        await message(update(here.at('twin.txt'), 'a', 'B')),
        await message(add(here.at('n'.repeat(300)), 'x')),
      ],
      [
        `${here.at('file')} is not a directory.`,
        `${here.at('folder')} is a directory.`,
        `${here.at('folder')} is a directory.`,
        `${here.at('circle')} cannot be reached: its symbolic links form a loop.`,
        `Two of the changes write to ${here.at('twice')}.`,
        `${here.at('a.txt')} and ${here.at('twin.txt')} are two names of one file; change it under one of them.`,
        `${here.at('n'.repeat(300))} cannot be used: the name is too long.`,
      ],
    );
    assert.deepEqual(here.tree(), before);
    assert.deepEqual(here.journals(), []);
  });

  test('when it is cancelled before the first write', async () => {
    using here = place({ 'a.txt': 'a' });
    const reason = new Error('never mind');
    await assert.rejects(here.workspace.apply([update(here.at('a.txt'), 'a', 'A')], AbortSignal.abort(reason)), reason);
    assert.deepEqual(here.tree(), { 'a.txt': 'a' });
  });
});

describe('a failure while a patch is applied', () => {
  const fiftyFiles = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}.txt`, `old ${index}\n`]));

  function fiftyChanges(here: Place): FileChange[] {
    return Object.entries(fiftyFiles).map(([name, text], index) => {
      if (index % 5 === 0) return move(here.at(name), here.at(`moved/${index % 2}/${name}`), text, `new ${text}`);
      if (index % 5 === 1) return remove(here.at(name), text);
      if (index % 5 === 2) return add(here.at(`added/${name}`), text);
      return update(here.at(name), text, `new ${text}`);
    });
  }

  test.each([0, 1, 3, 20, 44, 50, 62])('at step %d of 50 files rolls everything back', async (failing) => {
    using here = place(fiftyFiles, (_path, index) => {
      if (index === failing) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    });
    linkSync(here.at('f3.txt'), here.at('hard.txt'));
    symlinkSync('f4.txt', here.at('soft.txt'));
    chmodSync(here.at('f8.txt'), 0o751);
    const before = here.tree();
    const result = await here.workspace.apply(fiftyChanges(here));
    assert.equal(result.type, 'failed');
    assert.match(result.type === 'failed' ? result.message : '', /cannot be written: the disk is full\.$/);
    assert.deepEqual(result.type === 'failed' ? result.notRestored : undefined, []);
    assert.deepEqual(here.tree(), before);
    assert.equal(modeOf(here.at('f8.txt')), '751');
    assert.equal(lstatSync(here.at('f3.txt')).nlink, 2);
    assert.deepEqual(here.journals(), []);
  });

  test('without a journal changes nothing, and names the journal', async () => {
    using here = place({ 'a.txt': 'a' });
    const workspace = applyIn(createDiskWorkspace({ roots: [here.at()], home: here.at('a.txt') }));
    const result = await workspace.apply([add(here.at('b.txt'), 'b')]);
    const where = here.at('a.txt', 'journal');
    const message = `The changes were not made: ${where} does not exist: a part of its path is a file, not a directory.`;
    assert.deepEqual(result, { type: 'failed', message, notRestored: [] });
    assert.deepEqual(here.tree(), { 'a.txt': 'a' });
  });

  test('because of a file that changes at that moment leaves the file alone, and the plan is stale', async () => {
    using there = place({ 'a.txt': 'a', 'b.txt': 'b' }, (path) => {
      if (basename(path) === 'b.txt') writeFileSync(path, 'typed meanwhile');
    });
    const result = await there.workspace.apply([
      update(there.at('a.txt'), 'a', 'A'),
      update(there.at('b.txt'), 'b', 'B'),
    ]);
    assert.deepEqual(result, { type: 'stale', paths: [there.at('b.txt')] });
    assert.deepEqual(there.tree(), { 'a.txt': 'a', 'b.txt': 'typed meanwhile' });
  });

  test('leaves alone and names files that changed after it, and keeps the journal', async () => {
    using there = place({ 'a.txt': 'a', 'b.txt': 'b' }, (path) => {
      if (basename(path) === 'a.txt') return;
      writeFileSync(join(dirname(path), 'a.txt'), 'typed meanwhile');
      throw new Error('broken');
    });
    const result = await there.workspace.apply([update(there.at('a.txt'), 'a', 'A'), remove(there.at('b.txt'), 'b')]);
    assert.deepEqual(result, {
      type: 'failed',
      message: `${there.at('b.txt')} failed: broken`,
      notRestored: [there.at('a.txt')],
    });
    assert.deepEqual(there.tree(), { 'a.txt': 'typed meanwhile', 'b.txt': 'b' });
    assert.match(there.journals().join(), /^[^,]+\.kept$/);
  });
});

describe('a folder that is replaced by a link', () => {
  /** Moves `d` aside and replaces it by a link to `elsewhere`. */
  const swap = (here: Place, name = 'd') => {
    renameSync(here.at(name), here.at('aside'));
    symlinkSync(here.at('elsewhere'), here.at(name));
  };
  const files = { 'd/a.txt': 'a', 'd/b.txt': 'b', 'd/c.txt': 'c', 'elsewhere/a.txt': 'a', 'elsewhere/b.txt': 'b' };
  const changesOf = (here: Place) => [
    update(here.at('d/a.txt'), 'a', 'A'),
    remove(here.at('d/b.txt'), 'b'),
    move(here.at('d/c.txt'), here.at('d/in/c.txt'), 'c', 'C'),
    add(here.at('d/in/new.txt'), 'new'),
  ];
  const swapped = {
    'aside/': '',
    'aside/a.txt': 'a',
    'aside/b.txt': 'b',
    'aside/c.txt': 'c',
    'elsewhere/': '',
    'elsewhere/a.txt': 'a',
    'elsewhere/b.txt': 'b',
  };

  test('after the decision makes the plan stale, and nothing is written', async () => {
    using here = place(files);
    const [changes, workspace] = [changesOf(here), here.disk];
    const found = await decided(workspace, changes);
    swap(here);
    assert.deepEqual(await workspace.apply(found), {
      type: 'stale',
      paths: ['d/a.txt', 'd/b.txt', 'd/c.txt', 'd/in/c.txt', 'd/in/new.txt'].map((name) => here.at(name)),
    });
    assert.deepEqual(here.tree(), { ...swapped, d: `-> ${here.at('elsewhere')}` });
    assert.deepEqual(here.journals(), []);
  });

  test.each([0, 1, 2, 3, 4, 5])(
    'at step %d causes a full rollback, and nothing is written behind the link',
    async (at) => {
      const there: { here?: Place } = {};
      using here = place(files, (_path, index) => {
        if (index === at && there.here) swap(there.here);
      });
      there.here = here;
      const result = await here.workspace.apply(changesOf(here));
      assert.equal(result.type, 'stale');
      assert.deepEqual(here.tree(), { ...swapped, d: `-> ${here.at('elsewhere')}` });
      assert.deepEqual(here.journals(), []);
    },
  );

  test('after the patch created it is not written through', async () => {
    const there: { here?: Place } = {};
    using here = place({ 'elsewhere/keep.txt': 'k' }, (path) => {
      if (basename(path) !== 'new.txt' || !there.here) return;
      rmdirSync(there.here.at('made'));
      symlinkSync(there.here.at('elsewhere'), there.here.at('made'));
    });
    there.here = here;
    const result = await here.workspace.apply([add(here.at('made/new.txt'), 'new')]);
    assert.notEqual(result.type, 'applied');
    const { made, ...others } = here.tree();
    assert.equal(made, `-> ${here.at('elsewhere')}`);
    assert.deepEqual(others, { 'elsewhere/': '', 'elsewhere/keep.txt': 'k' });
  });

  test('a file that becomes a link is not written through', async () => {
    const there: { here?: Place } = {};
    using here = place({ 'a.txt': 'a', 'elsewhere.txt': 'a' }, () => {
      if (!there.here) return;
      unlinkSync(there.here.at('a.txt'));
      symlinkSync('elsewhere.txt', there.here.at('a.txt'));
    });
    there.here = here;
    assert.deepEqual(await here.workspace.apply([update(here.at('a.txt'), 'a', 'A')]), {
      type: 'stale',
      paths: [here.at('a.txt')],
    });
    assert.deepEqual(here.tree(), { 'a.txt': '-> elsewhere.txt', 'elsewhere.txt': 'a' });
  });

  test('a link with another target than at the decision makes the plan stale', async () => {
    using here = place({ 'one.txt': 'same', 'two.txt': 'same' });
    symlinkSync('one.txt', here.at('link'));
    const found = await decided(here.disk, [update(here.at('link'), 'same', 'new')]);
    unlinkSync(here.at('link'));
    symlinkSync('two.txt', here.at('link'));
    assert.deepEqual(await here.disk.apply(found), { type: 'stale', paths: [here.at('link')] });
    assert.deepEqual(here.tree(), { link: '-> two.txt', 'one.txt': 'same', 'two.txt': 'same' });
  });
});
