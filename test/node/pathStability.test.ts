import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, renameSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { PathStability } from '../../src/node/apply/pathStability.ts';
import { exchangeForever } from '../support/exchange.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

describe('a path is stable', () => {
  test('where files are created, removed and written in it, and where nothing exists yet', async () => {
    using folder = prepared();
    const ways = new PathStability();
    await quiet();
    writeFileSync(folder.at('d/a.txt'), 'two\n');
    writeFileSync(folder.at('d/b.txt'), 'new\n');
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(true);
    expect(await ways.isStable(folder.at('d/new/deep/c.txt'))).toBe(true);
  });

  test('shortly after a folder or the file was replaced', async () => {
    using folder = prepared();
    const ways = new PathStability();
    renameSync(folder.at('d'), folder.at('e'));
    expect(await ways.isStable(folder.at('e/a.txt'))).toBe(true);
    renameSync(folder.at('e/a.txt'), folder.at('e/b.txt'));
    expect(await ways.isStable(folder.at('e/b.txt'))).toBe(true);
  });
});

describe('a path is not stable', () => {
  test.each([
    [0, ''],
    [1, ''],
    [1, ', while the folder above changes, too'],
    [20, ''],
  ])(
    'while a process replaces a folder of it, with pauses of %i ms%s, nor for a minute after that',
    { timeout: 30_000 },
    async (pauseMs, above) => {
      using outer = tempFolder();
      using folder = prepared(outer.path);
      const change = () => {
        mkdirSync(outer.at('new'));
        rmdirSync(outer.at('new'));
      };
      const changes = above === '' ? undefined : setInterval(change, 5);
      const ways = new PathStability();
      symlinkSync(folder.at('elsewhere'), folder.at('link'));
      const [program, ...args] = exchangeForever(folder.at('d'), folder.at('link'), pauseMs);
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        await once(child.stdout, 'data');
        for (let round = 0; round < 6; round++) {
          expect(await ways.isStable(folder.at('d/a.txt'))).toBe(false);
          await sleep(1);
        }
      } finally {
        clearInterval(changes);
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await quiet();
      expect(await ways.isStable(folder.at('d/a.txt'))).toBe(false);
      // A path beside it is not affected.
      expect(await ways.isStable(folder.at('other/a.txt'))).toBe(true);
    },
  );

  test('while a folder of it is replaced every 250 ms, nor for a minute after that', async () => {
    using folder = prepared();
    symlinkSync(folder.at('elsewhere'), folder.at('link'));
    const exchange = () => {
      renameSync(folder.at('d'), folder.at('aside'));
      renameSync(folder.at('link'), folder.at('d'));
      renameSync(folder.at('aside'), folder.at('link'));
    };
    const clock = new StoppedClock(250, exchange);
    const ways = new PathStability(clock);
    exchange();
    exchange();
    for (let round = 0; round < 6; round++) expect(await ways.isStable(folder.at('d/a.txt'))).toBe(false);
    clock.event = () => {};
    // The link is in its own place again, and nothing is exchanged for half a minute.
    if (lstatSync(folder.at('d')).isSymbolicLink()) exchange();
    await clock.sleep(30_000);
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(false);
    expect(await ways.isStable(folder.at('other/a.txt'))).toBe(true);
    await clock.sleep(31_000);
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(true);
  });

  test('where a component of it is a link, or was found to lead elsewhere', async () => {
    using folder = prepared();
    symlinkSync('d', folder.at('link'));
    symlinkSync('a.txt', folder.at('d/link.txt'));
    await quiet();
    expect(await new PathStability().isStable(folder.at('link/a.txt'))).toBe(false);
    expect(await new PathStability().isStable(folder.at('d/link.txt'))).toBe(false);
    const ways = new PathStability();
    ways.distrust(folder.at('d'));
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(false);
  });

  test('where a link in the path by which it is written was replaced', async () => {
    using folder = prepared();
    symlinkSync('d/a.txt', folder.at('link.txt'));
    await quiet();
    const ways = new PathStability();
    expect(await ways.isStable(folder.at('d/a.txt'), folder.at('link.txt'))).toBe(true);
    const timer = setInterval(() => {
      symlinkSync('other/a.txt', folder.at('new.txt'));
      renameSync(folder.at('new.txt'), folder.at('link.txt'));
    }, 5);
    await sleep(20);
    expect(await ways.isStable(folder.at('d/a.txt'), folder.at('link.txt'))).toBe(false);
    clearInterval(timer);
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(true);
  });

  test('while folders are renamed repeatedly, and is stable again after that', async () => {
    using folder = prepared();
    const ways = new PathStability();
    const rename = () => {
      renameSync(folder.at('d'), folder.at('aside'));
      renameSync(folder.at('aside'), folder.at('d'));
    };
    rename();
    const timer = setInterval(rename, 5);
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(false);
    clearInterval(timer);
    expect(await ways.isStable(folder.at('d/a.txt'))).toBe(true);
  });
});

/**
 * The time of the file system, which only waits advance: an event happens in the first wait that reaches `everyMs` after the
 * event before.
 */
class StoppedClock {
  readonly #everyMs: number;
  event: () => void;
  #waited = 0;
  #lastEvent = 0;

  constructor(everyMs: number, event: () => void) {
    this.#everyMs = everyMs;
    this.event = event;
  }

  now(): number {
    return Date.now() + this.#waited;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.#waited += milliseconds;
    if (this.#waited - this.#lastEvent < this.#everyMs) return;
    this.#lastEvent = this.#waited;
    this.event();
  }
}

function prepared(parent?: string): TempFolder {
  const folder = tempFolder(parent);
  for (const name of ['d', 'other', 'elsewhere']) {
    mkdirSync(folder.at(name));
    writeFileSync(folder.at(name, 'a.txt'), 'one\n');
  }
  return folder;
}

/** Longer than the time that a name must have been unchanged. */
function quiet(): Promise<void> {
  return sleep(550);
}
