/** A look at a large tree, where what is watched is left out, finds what a look at everything finds. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { FolderWatch } from '../../../src/node/sandbox/folderWatch.ts';
import { TreeScan } from '../../../src/node/sandbox/treeScan.ts';
import { noBox, Playground } from '../../support/boxed.ts';
import { seededRandom } from '../../support/random.ts';
import { type TempFolder, tempFolder } from '../../support/tempFolder.ts';

/** A machine with other work on it may be slow. */
const PATIENT_MS = 10_000;
/** Until a time of change says that nothing is missing from it. */
const SETTLED_MS = 60;

const { platform } = process;
const maxWatches = platform === 'linux' ? Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) : 0;

/** Those that may be looked into. */
function foldersIn(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true }).filter((one) => one.isDirectory());
    return [root, ...entries.flatMap(({ name }) => foldersIn(path.join(root, name)))];
  } catch {
    return [root];
  }
}

/** What is closed could not be removed. */
function remove(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) openUp(folder);
  rmSync(folder, { recursive: true, force: true });
}

function openUp(folder: string): void {
  chmodSync(folder, 0o755);
  for (const one of readdirSync(folder, { withFileTypes: true })) {
    if (one.isDirectory()) openUp(path.join(folder, one.name));
  }
}

/** Whether anything of this process watches a folder. */
function isWatched(folder: string): boolean {
  const pattern = new RegExp(`^inotify wd:\\w+ ino:${lstatSync(folder).ino.toString(16)} `, 'm');
  return readdirSync('/proc/self/fdinfo').some((descriptor) => {
    try {
      return pattern.test(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'));
    } catch {
      return false;
    }
  });
}

class WatchedTree implements Disposable {
  readonly #folder: TempFolder = tempFolder();
  readonly root = this.#folder.at('work');
  readonly watch = new FolderWatch();
  readonly scan = new TreeScan(this.watch);

  constructor() {
    mkdirSync(this.root);
  }

  at(...names: string[]): string {
    return path.join(this.root, ...names);
  }

  found() {
    return this.scan.scan(this.root, [this.root]);
  }

  expected() {
    return new TreeScan().scan(this.root, [this.root]);
  }

  /** From now on only what changes is looked at. */
  async settle(): Promise<void> {
    await sleep(SETTLED_MS);
    this.watch.add(foldersIn(this.root));
    const isWatching = () => {
      this.found();
      return this.watch.nameOf(lstatSync(this.root)) !== undefined;
    };
    await vi.waitUntil(isWatching, { timeout: PATIENT_MS, interval: 5 });
    this.found();
  }

  [Symbol.dispose](): void {
    this.scan.dispose();
    remove(this.root);
    this.#folder[Symbol.dispose]();
  }
}

const names = fc.constantFrom('a', 'b', 'c');
const places = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const kinds = [
  ...(['folder', 'removed', 'made anew', 'renamed', 'swapped', 'there and back', 'file', 'closed', 'opened'] as const),
  ...(['repository', 'no repository', 'bare', 'link', 'linked repository', 'settings', 'settled'] as const),
] as const;
const acts = fc.array(fc.record({ kind: fc.constantFrom(...kinds), at: places, to: places }), {
  minLength: 1,
  maxLength: 25,
});

/** What makes no sense just now is left. */
async function act(tree: WatchedTree, kind: (typeof kinds)[number], at: string, to: string): Promise<void> {
  const away = `${tree.root}-away`;
  const make = (...inner: string[]) => inner.forEach((one) => mkdirSync(`${at}/${one}`, { recursive: true }));
  const deeds: Record<(typeof kinds)[number], () => void> = {
    folder: () => mkdirSync(at, { recursive: true }),
    removed: () => rmSync(at, { recursive: true }),
    'made anew': () => {
      rmSync(at, { recursive: true });
      make('a', 'b/c');
    },
    renamed: () => renameSync(at, to),
    swapped() {
      renameSync(at, away);
      renameSync(to, at);
      renameSync(away, to);
    },
    'there and back'() {
      renameSync(at, away);
      mkdirSync(`${away}/.git`);
      renameSync(away, at);
    },
    file: () => writeFileSync(`${at}/x`, ''),
    closed: () => chmodSync(at, 0o000),
    opened: () => chmodSync(at, 0o755),
    repository: () => make('.git'),
    'no repository': () => rmSync(`${at}/.git`, { recursive: true }),
    bare() {
      make('objects', 'refs');
      writeFileSync(`${at}/HEAD`, '');
    },
    link: () => symlinkSync(to, at),
    'linked repository': () => symlinkSync(to, `${at}/.git`),
    settings: () => make('.vscode'),
    settled() {},
  };
  try {
    deeds[kind]();
  } catch {
    remove(away);
  }
  if (kind === 'settled') await tree.settle();
}

describe.skipIf(maxWatches < 65_536)('a watched tree', () => {
  test('is found as it is, whatever happens to it', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (story) => {
        using tree = new WatchedTree();
        for (const inner of ['a/a/a', 'a/b', 'b/c', 'c/a/b', 'c/b/.git'])
          mkdirSync(tree.at(inner), { recursive: true });
        await tree.settle();
        for (const { kind, at, to } of story) {
          await act(tree, kind, tree.at(at), tree.at(to));
          expect(tree.found()).toEqual(tree.expected());
        }
      }),
      { numRuns: 40 },
    );
  });

  test('tells of a change at once, thousands of times', { timeout: 120_000 }, async () => {
    using tree = new WatchedTree();
    const folders = Array.from({ length: 300 }, (_, index) => tree.at(`${index}`));
    for (const folder of folders) mkdirSync(folder);
    await tree.settle();
    const random = seededRandom(6);
    for (let count = 0; count < 5_000; count++) {
      const folder = random.pick(folders);
      if (readdirSync(folder).length === 0) mkdirSync(`${folder}/.git`);
      else rmSync(`${folder}/.git`, { recursive: true });
      expect(tree.watch.changes()).toEqual(new Set([tree.watch.nameOf(lstatSync(folder))]));
    }
  });

  test('is looked at as a whole when more has happened than the kernel keeps', async () => {
    using tree = new WatchedTree();
    mkdirSync(tree.at('a/b'), { recursive: true });
    await tree.settle();
    const queued = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
    for (let count = 0; count <= queued; count++) utimesSync(tree.at(count % 2 === 0 ? 'a' : 'a/b'), count, count);
    mkdirSync(tree.at('a/b/.git'));
    expect(tree.found().protectedPaths).toEqual([tree.at('a/b/.git')]);
    expect(tree.watch.nameOf(lstatSync(tree.root))).toBeUndefined();
    mkdirSync(tree.at('a/.git'));
    expect(tree.found().protectedPaths).toEqual([tree.at('a/.git'), tree.at('a/b/.git')]);
  });

  test('is given back', async () => {
    using tree = new WatchedTree();
    await tree.settle();
    expect(isWatched(tree.root)).toBe(true);
    tree.watch.close();
    await expect.poll(() => isWatched(tree.root), { timeout: PATIENT_MS }).toBe(false);
    expect(tree.watch.changes()).toBeUndefined();
  });
});

describe.skipIf(noBox !== false || maxWatches < 65_536)('boxes in a large workspace', () => {
  test('tell of a repository wherever a command makes it', { timeout: 60_000 }, async () => {
    using place = new Playground();
    for (let index = 0; index < 300; index++) mkdirSync(place.at('in', `${index}`, 'part'), { recursive: true });
    await sleep(SETTLED_MS);
    await place.bash('true');
    expect(isWatched(place.workspace)).toBe(false);
    await place.bash('true');
    await expect.poll(() => isWatched(place.at('in', '7', 'part')), { timeout: PATIENT_MS }).toBe(true);
    for (const repository of ['in/7/part/.git', 'in/8/part/new/.git', 'in/new/part/.git']) {
      const { findings } = await place.bash(
        `mkdir -p ${repository}; printf "[core]\\n fsmonitor = ./x\\n" > ${repository}/config`,
      );
      expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at(repository) }]);
    }
    const { findings } = await place.bash('mv in/7 in/x; mv in/8 in/7; mv in/x in/8');
    const moved = [place.at('in/7/part/new/.git'), place.at('in/8/part/.git')];
    expect(findings.map((one) => one.path).toSorted()).toEqual(moved);
    place.boxes.dispose();
    await expect.poll(() => isWatched(place.workspace), { timeout: PATIENT_MS }).toBe(false);
  });
});
