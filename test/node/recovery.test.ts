import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, test } from 'vitest';
import { createLocks } from '../../src/node/storage/locks.ts';
import {
  recoverJournals,
  type HoldsAnother,
  type InterruptedApply,
  type Recovery,
  type RecoveryChoices,
} from '../../src/node/apply/recoverJournals.ts';
import { crash, newTree, oldTree, stalled, tree, write } from '../support/crashedApply.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { journalsIn } from '../support/journals.ts';

const found = (folder: TempFolder, holdsAnother?: HoldsAnother, warn: (sentence: string) => void = assert.fail) =>
  recoverJournals(folder.at('home'), createLocks(folder.at('home'), 'cli'), warn, holdsAnother);

/** The result, or undefined when another process settled the patch. */
async function settled(
  interrupted: InterruptedApply | undefined,
  act: (ways: RecoveryChoices) => Promise<unknown>,
): Promise<unknown> {
  const settlement = await interrupted?.settle(act, { signal: AbortSignal.timeout(5_000) });
  return settlement?.type === 'settled' ? settlement.result : undefined;
}

const journals = (folder: TempFolder): string[] => journalsIn(folder.at('home'));

describe('a process that is killed while it applies a patch', () => {
  test.each([1, 25, 60])('before step %d leaves a patch that can be rolled back, or finished', async (step) => {
    for (const way of ['rollback', 'finish'] as const) {
      using folder = tempFolder();
      write(folder, oldTree);
      await crash(folder, step);
      const [interrupted, ...others] = await found(folder);
      assert.ok(interrupted);
      assert.deepEqual(others, []);
      const twice = async (ways: RecoveryChoices) => [await ways[way](), await ways[way]()];
      assert.deepEqual(await settled(interrupted, twice), [{ leftAlone: [] }, { leftAlone: [] }]);
      assert.deepEqual(tree(folder), way === 'rollback' ? oldTree : newTree);
      assert.equal(existsSync(folder.at('work', 'moved')), way === 'finish');
      assert.deepEqual(journals(folder), []);
    }
  });

  test('before the first step leaves nothing to choose', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 0);
    assert.deepEqual(await found(folder), []);
    assert.deepEqual(tree(folder), oldTree);
    assert.deepEqual(journals(folder), []);
  });

  test('is the only one to settle the patch while it runs', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    const child = await stalled(folder, 25);
    assert.deepEqual(await found(folder), []);
    assert.equal(journals(folder).length, 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal((await found(folder)).length, 1);
  });

  test('leaves incomplete and temporary files, which are repaired', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    linkSync(folder.at('work', 'f2.txt'), folder.at('hard'));
    await crash(folder, 25);
    const [journal = ''] = journals(folder);
    writeFileSync(folder.at('work', `.tiller-${journal.replace('.journal', '')}-26.tmp`), 'half');
    writeFileSync(folder.at('work', 'f2.txt'), 'new o\r\n');
    const [interrupted] = await found(folder);
    assert.deepEqual(await settled(interrupted, (ways) => ways.rollback()), { leftAlone: [] });
    assert.deepEqual(tree(folder), oldTree);
    assert.equal(statSync(folder.at('hard')).nlink, 2);
  });

  test('leaves files that changed since unchanged, and keeps their old text', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    writeFileSync(folder.at('work', 'f2.txt'), 'my own words');
    const [interrupted] = await found(folder);
    assert.deepEqual(await settled(interrupted, (ways) => ways.rollback()), {
      leftAlone: [folder.at('work', 'f2.txt')],
    });
    assert.deepEqual(tree(folder), { ...oldTree, 'f2.txt': 'my own words' });
    assert.match(journals(folder).join(), /^[^,]+\.kept$/);
    assert.deepEqual(await found(folder), []);
  });

  test.each(['rollback', 'finish'] as const)(
    'is recovered by %s without following a link to another folder',
    async (way) => {
      using folder = tempFolder();
      write(folder, oldTree);
      await crash(folder, 60);
      const cut = tree(folder);
      // A folder where the files would fit as well.
      cpSync(folder.at('work'), folder.at('other'), { recursive: true });
      const before = readdirSync(folder.at('other'), { recursive: true });
      renameSync(folder.at('work'), folder.at('aside'));
      symlinkSync('other', folder.at('work'));
      const [interrupted] = await found(folder);
      const result = (await settled(interrupted, (ways) => ways[way]())) as Recovery;
      assert.deepEqual(result.moved, result.leftAlone);
      assert.equal(new Set(result.moved).size, 64);
      assert.deepEqual(tree(folder), cut);
      assert.deepEqual(readdirSync(folder.at('other'), { recursive: true }), before);
      unlinkSync(folder.at('work'));
      renameSync(folder.at('aside'), folder.at('work'));
      assert.deepEqual(tree(folder), cut);
      assert.match(journals(folder).join(), /^[^,]+\.kept$/);
    },
  );

  test('leaves repaired files that are reported apart from those behind a folder that has become a link', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    cpSync(folder.at('work', 'moved'), folder.at('other'), { recursive: true });
    const others = readdirSync(folder.at('other'));
    renameSync(folder.at('work', 'moved'), folder.at('aside'));
    symlinkSync(folder.at('other'), folder.at('work', 'moved'));
    const [interrupted] = await found(folder);
    const result = (await settled(interrupted, (ways) => ways.rollback())) as Recovery;
    // The folder itself, and the thirteen files that had moved into it.
    assert.equal(result.moved?.length, 13);
    assert.deepEqual(new Set(result.leftAlone), new Set([...(result.moved ?? []), folder.at('work', 'moved')]));
    assert.deepEqual(readdirSync(folder.at('other')), others);
    assert.deepEqual(tree(folder), oldTree);
  });

  test('leaves files in an editor, which the editor changes, or which stay as they are', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    const [interrupted] = await found(folder);
    const [brought, left] = [folder.at('work', 'f2.txt'), folder.at('work', 'f3.txt')];
    const cut = interrupted?.files.find(({ path }) => path === brought);
    assert.deepEqual([cut?.before, cut?.after].map(String), ['old 2\r\n', 'new old 2\r\n']);
    writeFileSync(brought, 'saved there');
    writeFileSync(left, 'typed there');
    const inEditor = new Map([[brought, 'done'] as const, [left, 'left_alone'] as const]);
    assert.deepEqual(await settled(interrupted, (ways) => ways.rollback(inEditor)), { leftAlone: [left] });
    assert.deepEqual(tree(folder), { ...oldTree, 'f2.txt': 'saved there', 'f3.txt': 'typed there' });
  });

  test('is reported to a second finder once it is settled, with the patch', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    const [mine] = await found(folder);
    const [theirs] = await found(folder);
    const kindOf = (name: string) => mine?.changes.find(({ path }) => path === folder.at('work', name))?.kind;
    // Four files: the first moves, the second is deleted, the others change in place.
    assert.deepEqual(['moved/f0.txt', 'f0.txt', 'f1.txt', 'f2.txt'].map(kindOf), ['add', 'delete', 'delete', 'update']);
    assert.equal(await mine?.isPending(), true);
    await settled(theirs, (ways) => ways.finish());
    assert.equal(await mine?.isPending(), false);
  });

  test('may leave a file moved and not changed, which is recognized by its text', async () => {
    for (const way of ['rollback', 'finish'] as const) {
      using folder = tempFolder();
      write(folder, oldTree);
      await crash(folder, 60);
      // As VS Code does it: first the rename, then the text.
      writeFileSync(folder.at('work', 'moved', 'f0.txt'), oldTree['f0.txt'] ?? '');
      const [interrupted] = await found(folder);
      assert.deepEqual(await settled(interrupted, (ways) => ways[way]()), { leftAlone: [] });
      assert.deepEqual(tree(folder), way === 'rollback' ? oldTree : newTree);
    }
  });

  test('leaves a choice while an editor has the other version', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 0);
    const asked: string[] = [];
    const holdsAnother = async (files: readonly { path: string }[], side: 'before' | 'after') => {
      asked.push(`${files.length} of ${side}`);
      return true;
    };
    assert.equal((await found(folder, holdsAnother)).length, 1);
    // Thirteen of the fifty files move: they have two places.
    assert.deepEqual(asked, ['63 of before']);
    assert.deepEqual(await found(folder), []);
  });

  test('leaves an incomplete journal when no file was changed', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 25);
    const [name = ''] = journals(folder);
    const whole = readFileSync(folder.at('home', 'journal', name));
    for (const length of [0, 10, whole.length - 1]) {
      writeFileSync(folder.at('home', 'journal', name), whole.subarray(0, length));
      assert.deepEqual(await found(folder), []);
      assert.deepEqual(journals(folder), []);
    }
  });

  test.each([
    ['of a newer version', /newer version/, (bytes: string) => bytes.replace('"version":1', '"version":2')],
    ['with a damaged first line', /damaged/, (bytes: string) => bytes.replace('{', '[')],
    ['that is longer than its first line says', /longer/, (bytes: string) => `${bytes}more`],
    ['that the system cannot read', /./, () => null],
  ])('leaves a journal %s as it is, and says so', async (_which, reason, damaged) => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 25);
    const [name = ''] = journals(folder);
    const path = folder.at('home', 'journal', name);
    const bytes = damaged(readFileSync(path, 'latin1'));
    if (bytes === null) unlinkSync(path);
    // A link to itself: the error of the system holds for every user.
    if (bytes === null) symlinkSync(name, path);
    else writeFileSync(path, bytes, 'latin1');
    const cut = tree(folder);
    const warnings: string[] = [];
    assert.deepEqual(await found(folder, undefined, (sentence) => void warnings.push(sentence)), []);
    assert.equal(warnings.length, 1);
    const [said, why = ''] = warnings.join().split(`${path}: `);
    assert.equal(said, 'The journal of a patch cannot be read and is left as it is: ');
    assert.match(why, reason);
    assert.deepEqual(journals(folder), [name]);
    if (bytes !== null) assert.equal(readFileSync(path, 'latin1'), bytes);
    assert.deepEqual(tree(folder), cut);
  });

  test.each([
    ['this process', process.pid],
    // The first process of the system: a signal to it is refused, unless the tests run as root.
    ['a process of another user', process.platform === 'win32' ? 4 : 1],
  ])('leaves an incomplete journal that %s may be writing', async (_which, pid) => {
    using folder = tempFolder();
    mkdirSync(folder.at('home', 'journal'), { recursive: true });
    writeFileSync(folder.at('home', 'journal', `some-id-${pid}.journal`), '{"version":1');
    assert.deepEqual(await found(folder), []);
    assert.deepEqual(journals(folder), [`some-id-${pid}.journal`]);
  });
});
