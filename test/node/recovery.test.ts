import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, test } from 'vitest';
import type { FileChange } from '../../src/core/ports.ts';
import { recoverJournals } from '../../src/node/recovery.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

/** Lands the changes given as JSON and stalls before the step given by number. */
const LANDING_PROGRAM = `
  import { land } from './src/node/landing.ts';
  const { changes, home, stallAt } = JSON.parse(process.argv[2]);
  const beforeStep = async (path, index) => {
    if (index !== stallAt) return;
    process.stdout.write('stalled');
    await new Promise(() => setInterval(() => {}, 1000));
  };
  await land(changes, { home, beforeStep });
`;

let program: string;

beforeAll(async () => {
  const bundle = await build({
    stdin: { contents: LANDING_PROGRAM, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  program = bundle.outputFiles[0]?.text ?? '';
});

const oldTree = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}.txt`, `old ${index}\r\n`]));
const newTree = Object.fromEntries(
  Object.entries(oldTree).flatMap(([name, text], index) => {
    if (index % 4 === 1) return [];
    return index % 4 === 0 ? [[`moved/${name}`, `new ${text}`]] : [[name, `new ${text}`]];
  }),
);

function changesIn(folder: TempFolder): FileChange[] {
  return Object.entries(oldTree).map(([name, before], index): FileChange => {
    const path = folder.at('work', name);
    if (index % 4 === 1) return { kind: 'delete', path, before };
    const movedTo = index % 4 === 0 ? folder.at('work', 'moved', name) : null;
    return { kind: 'update', path, before, after: `new ${before}`, hunks: [], movedTo, movedOver: null };
  });
}

function write(folder: TempFolder, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(folder.at('work', name)), { recursive: true });
    writeFileSync(folder.at('work', name), text);
  }
}

function tree(folder: TempFolder): Record<string, string> {
  const root = folder.at('work');
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}

async function stalled(folder: TempFolder, stallAt: number): Promise<ChildProcess> {
  writeFileSync(folder.at('land.mjs'), program);
  const story = JSON.stringify({ changes: changesIn(folder), home: folder.at('home'), stallAt });
  const child = spawn(process.execPath, [folder.at('land.mjs'), story], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

/** kill -9 in the middle of a landing of 50 files. */
async function crash(folder: TempFolder, stallAt: number): Promise<void> {
  const child = await stalled(folder, stallAt);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const journals = (folder: TempFolder): string[] => readdirSync(folder.at('home', 'journal'));

describe('a process is killed in the middle of a landing', () => {
  test.each([1, 25, 60])('before step %d: everything can be put back, or finished', async (step) => {
    for (const way of ['putBack', 'finish'] as const) {
      using folder = tempFolder();
      write(folder, oldTree);
      await crash(folder, step);
      const [landing, ...others] = await recoverJournals(folder.at('home'));
      assert.ok(landing);
      assert.deepEqual(others, []);
      assert.deepEqual(await landing[way](), { leftAlone: [] });
      assert.deepEqual(await landing[way](), { leftAlone: [] });
      assert.deepEqual(tree(folder), way === 'putBack' ? oldTree : newTree);
      assert.equal(existsSync(folder.at('work', 'moved')), way === 'finish');
      assert.deepEqual(journals(folder), []);
    }
  });

  test('before the first step there is nothing to ask', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 0);
    assert.deepEqual(await recoverJournals(folder.at('home')), []);
    assert.deepEqual(tree(folder), oldTree);
    assert.deepEqual(journals(folder), []);
  });

  test('as long as it lives its landing is its own', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    const child = await stalled(folder, 25);
    assert.deepEqual(await recoverJournals(folder.at('home')), []);
    assert.equal(journals(folder).length, 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal((await recoverJournals(folder.at('home'))).length, 1);
  });

  test('a half written file and a temporary one are put right', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    linkSync(folder.at('work', 'f2.txt'), folder.at('hard'));
    await crash(folder, 25);
    const [journal = ''] = journals(folder);
    writeFileSync(folder.at('work', `.tiller-${journal.replace('.journal', '')}-26.tmp`), 'half');
    writeFileSync(folder.at('work', 'f2.txt'), 'new o\r\n');
    const [landing] = await recoverJournals(folder.at('home'));
    assert.deepEqual(await landing?.putBack(), { leftAlone: [] });
    assert.deepEqual(tree(folder), oldTree);
    assert.equal(statSync(folder.at('hard')).nlink, 2);
  });

  test('what somebody wrote since is left alone, and the old text is kept', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    writeFileSync(folder.at('work', 'f2.txt'), 'my own words');
    const [landing] = await recoverJournals(folder.at('home'));
    assert.deepEqual(await landing?.putBack(), { leftAlone: [folder.at('work', 'f2.txt')] });
    assert.deepEqual(tree(folder), { ...oldTree, 'f2.txt': 'my own words' });
    assert.match(journals(folder).join(), /^[^,]+\.kept$/);
    assert.deepEqual(await recoverJournals(folder.at('home')), []);
  });

  test('what an editor holds is its own: brought where it belongs, or left alone', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    const [landing] = await recoverJournals(folder.at('home'));
    const [brought, left] = [folder.at('work', 'f2.txt'), folder.at('work', 'f3.txt')];
    const cut = landing?.files.find(({ path }) => path === brought);
    assert.deepEqual([cut?.before, cut?.after].map(String), ['old 2\r\n', 'new old 2\r\n']);
    writeFileSync(brought, 'saved there');
    writeFileSync(left, 'typed there');
    const inEditor = new Map([[brought, 'done'] as const, [left, 'left_alone'] as const]);
    assert.deepEqual(await landing?.putBack(inEditor), { leftAlone: [left] });
    assert.deepEqual(tree(folder), { ...oldTree, 'f2.txt': 'saved there', 'f3.txt': 'typed there' });
  });

  test('who found it too hears when it is settled, and what it was about', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 60);
    const [mine] = await recoverJournals(folder.at('home'));
    const [theirs] = await recoverJournals(folder.at('home'));
    const kindOf = (name: string) => mine?.changes.find(({ path }) => path === folder.at('work', name))?.kind;
    // Of four files the first moves, the second is deleted, the others change where they are.
    assert.deepEqual(['moved/f0.txt', 'f0.txt', 'f1.txt', 'f2.txt'].map(kindOf), ['add', 'delete', 'delete', 'update']);
    assert.equal(await mine?.isPending(), true);
    await theirs?.finish();
    assert.equal(await mine?.isPending(), false);
  });

  test('a file that was moved and not yet changed is known by what it held', async () => {
    for (const way of ['putBack', 'finish'] as const) {
      using folder = tempFolder();
      write(folder, oldTree);
      await crash(folder, 60);
      // As VS Code does it: first the rename, then the text.
      writeFileSync(folder.at('work', 'moved', 'f0.txt'), oldTree['f0.txt'] ?? '');
      const [landing] = await recoverJournals(folder.at('home'));
      assert.deepEqual(await landing?.[way](), { leftAlone: [] });
      assert.deepEqual(tree(folder), way === 'putBack' ? oldTree : newTree);
    }
  });

  test('there is something to choose while an editor holds the other side', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 0);
    const asked: string[] = [];
    const holdsAnother = async (files: readonly { path: string }[], side: 'before' | 'after') => {
      asked.push(`${files.length} of ${side}`);
      return true;
    };
    assert.equal((await recoverJournals(folder.at('home'), holdsAnother)).length, 1);
    // Thirteen of the fifty files move: they have two places.
    assert.deepEqual(asked, ['63 of before']);
    assert.deepEqual(await recoverJournals(folder.at('home')), []);
  });

  test('a journal that was never finished means that nothing was touched', async () => {
    using folder = tempFolder();
    write(folder, oldTree);
    await crash(folder, 25);
    const [name = ''] = journals(folder);
    const whole = readFileSync(folder.at('home', 'journal', name));
    for (const length of [0, 10, whole.length - 1]) {
      writeFileSync(folder.at('home', 'journal', name), whole.subarray(0, length));
      assert.deepEqual(await recoverJournals(folder.at('home')), []);
      assert.deepEqual(journals(folder), []);
    }
  });
});
