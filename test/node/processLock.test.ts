/** Exclusion between processes, some of which are stopped or killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { holderOf, removeLeftovers, takeLock, tryLock } from '../../src/node/host/processLock.ts';
import { bundled, runFile } from '../support/runTypeScript.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** About two seconds; `TILLER_SOAK=1000` runs more. */
const ROUNDS = Number(process.env.TILLER_SOAK ?? 300);

/** A process that takes the lock and keeps it until it is killed. */
async function holder(place: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await bundled('lockHolder.ts'), place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

describe('a lock between processes', () => {
  test.each([
    ['', ROUNDS],
    ['no-links', Math.ceil(ROUNDS / 3)],
  ])('is held by one at a time, also after dead holders: 3 processes %s, %d rounds each', async (kind, rounds) => {
    using folder = tempFolder();
    const place = folder.at('lock');
    const file = await bundled('lockRounds.ts');
    const runs = await Promise.all(Array.from({ length: 3 }, () => runFile(file, [place, String(rounds), kind])));
    expect(runs.map(({ stdout }) => stdout)).toEqual(['', '', '']);
    expect(new Set(readFileSync(`${place}-log`, 'utf8').trim().split('\n')).size).toBe(3 * rounds);
    (await takeLock(place)).release();
    removeLeftovers(place);
    expect(readdirSync(folder.path)).toEqual(['lock-log']);
  });

  test('is not taken from a holder that is stopped; the waiting caller gets the name of the holder', async () => {
    using folder = tempFolder();
    const place = folder.at('lock');
    const child = await holder(place);
    child.kill('SIGSTOP');
    try {
      await expect(takeLock(place, { patienceMs: 300 })).rejects.toThrow(
        new RegExp(
          `^${place} has been locked by another process \\(tiller, process ${child.pid}\\) since .*\\. End that`,
        ),
      );
      expect(holderOf(place)?.pid).toBe(child.pid);
    } finally {
      await end(child);
    }
    (await takeLock(place)).release();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('is not waited for any longer when the wait is cancelled', async () => {
    using folder = tempFolder();
    const lock = await takeLock(folder.at('lock'));
    const cancelled = new AbortController();
    const waiting = takeLock(folder.at('lock'), { signal: cancelled.signal });
    cancelled.abort(new Error('no more'));
    await expect(waiting).rejects.toThrow('no more');
    lock.release();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('is not removed by a holder that has lost it', async () => {
    using folder = tempFolder();
    const place = folder.at('lock');
    const lost = await takeLock(place);
    // Written by hand, as no process of Tiller would.
    writeFileSync(place, readFileSync(place, 'utf8').replace(lost.token, '7e9bc8a0-0000-4000-8000-000000000000'));
    lost.release();
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test('that names no holder is waited for as long as it may be incomplete', async () => {
    using folder = tempFolder();
    const place = folder.at('lock');
    writeFileSync(place, '{"pid":');
    expect(tryLock(place).type).toBe('owned');
    utimesSync(place, new Date(), new Date(Date.now() - 11_000));
    expect(tryLock(place).type).toBe('held');
  });

  test('is refused where another file exists', async () => {
    using folder = tempFolder();
    symlinkSync(folder.at('nowhere'), folder.at('lock'));
    await expect(takeLock(folder.at('lock'))).rejects.toThrow('something else is in its place');
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test('leaves no files however often a process is killed while it takes it', async () => {
    using folder = tempFolder();
    const place = folder.at('lock');
    const file = await bundled('lockRounds.ts');
    for (let kill = 0; kill < 12; kill++) {
      const children = Array.from({ length: 2 }, () =>
        spawn(process.execPath, [file, place, '100000'], { stdio: ['ignore', 'ignore', 'inherit'] }),
      );
      await expect.poll(() => readdirSync(folder.path).includes('lock-log'), { timeout: 20_000 }).toBe(true);
      await sleep(Math.random() * 60);
      await Promise.all(children.map(end));
    }
    (await takeLock(place)).release();
    const isOfTheTest = (name: string) => /^lock(-log|-inside|\.dead-.*)$/.test(name);
    const leftovers = () => {
      removeLeftovers(place);
      return readdirSync(folder.path).filter((name) => !isOfTheTest(name));
    };
    // A file of a process that was killed before it wrote its name counts as in use for some seconds.
    await expect.poll(leftovers).toEqual([]);
  });
});
