/** One thread, one process (design decision 13). */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HeldLock, LockAttempt } from '../../src/core/ports.ts';
import { createLocks } from '../../src/node/storage/locks.ts';
import { bundled, runFile } from '../support/runTypeScript.ts';
import { tempFolder } from '../support/tempFolder.ts';

function lockOf(attempt: LockAttempt): HeldLock {
  if (attempt.type === 'owned') throw new Error(`owned by ${attempt.owner.pid}`);
  return attempt.lock;
}

/** A lock as an ended process leaves it. */
async function leftBehind(home: string, name: string): Promise<void> {
  const path = `${home}/locks/${name}.lock`;
  lockOf(await createLocks(home, 'cli').acquire(name));
  const dead = spawn('true');
  await new Promise((resolve) => dead.on('close', resolve));
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), pid: dead.pid }));
}

describe('a lock', () => {
  it('has one holder at a time, and names it', async () => {
    using home = tempFolder();
    const [mine, theirs] = [createLocks(home.path, 'vscode'), createLocks(home.path, 'cli')];
    const lock = lockOf(await mine.acquire('a'));
    const owner = { pid: process.pid, name: 'vscode', since: expect.any(String) };
    expect(await theirs.acquire('a')).toEqual({ type: 'owned', owner });
    expect([...(await mine.owners())]).toEqual([['a', { ...owner, mine: true }]]);
    expect([...(await theirs.owners())]).toEqual([['a', { ...owner, mine: false }]]);
    expect(statSync(home.at('locks', 'a.lock')).mode & 0o777).toBe(0o600);
    lockOf(await theirs.acquire('b'));
    await lock.release();
    await lock.release();
    lockOf(await theirs.acquire('a'));
  });

  it('of an ended process can be taken, and is removed when it is found', async () => {
    using home = tempFolder();
    const locks = createLocks(home.path, 'cli');
    await leftBehind(home.path, 'a');
    await leftBehind(home.path, 'b');
    await lockOf(await locks.acquire('a')).release();
    expect([...(await locks.owners())]).toEqual([]);
    expect(readdirSync(home.at('locks'))).toEqual([]);
  });

  it('that has named no holder for a while can be taken', async () => {
    using home = tempFolder();
    mkdirSync(home.at('locks'));
    writeFileSync(home.at('locks', 'a.lock'), '{"pid":');
    utimesSync(home.at('locks', 'a.lock'), 1, 1);
    const locks = createLocks(home.path, 'cli');
    await lockOf(await locks.acquire('a')).release();
    expect(readdirSync(home.at('locks'))).toEqual([]);
  });

  it('is taken from a successor that was killed before it took over', async () => {
    using home = tempFolder();
    const locks = createLocks(home.path, 'cli');
    await leftBehind(home.path, 'a');
    await leftBehind(home.path, 'heir');
    const { token } = JSON.parse(readFileSync(home.at('locks', 'a.lock'), 'utf8'));
    writeFileSync(home.at('locks', `a.lock.${token}.next`), readFileSync(home.at('locks', 'heir.lock')));
    const lock = lockOf(await locks.acquire('a'));
    expect((await createLocks(home.path, 'cli').acquire('a')).type).toBe('owned');
    await lock.release();
    expect(readdirSync(home.at('locks'))).toEqual(['heir.lock']);
  });

  it('has a name, not a path', async () => {
    using home = tempFolder();
    await expect(createLocks(home.path, 'cli').acquire('../a')).rejects.toThrow('Not a name for a lock');
  });

  it('can be requested while it is held', async () => {
    using home = tempFolder();
    const [mine, theirs] = [createLocks(home.path, 'vscode'), createLocks(home.path, 'cli')];
    let asked = 0;
    const lock = lockOf(await mine.acquire('a', () => asked++));
    const withdraw = await theirs.ask('a');
    await expect.poll(() => asked).toBeGreaterThan(0);
    await withdraw();
    await lock.release();
    const before = asked;
    await (await theirs.ask('a'))();
    expect(asked).toBe(before);
    expect(readdirSync(home.at('locks'))).toEqual([]);
  });

  it('can be taken and requested where the system has no watch left', async () => {
    using home = tempFolder();
    const noWatch = () => {
      throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
    };
    let asked = 0;
    const lock = lockOf(await createLocks(home.path, 'vscode', noWatch).acquire('a', () => asked++));
    const withdraw = await createLocks(home.path, 'cli').ask('a');
    await expect.poll(() => asked).toBeGreaterThan(0);
    await withdraw();
    await lock.release();
    expect(readdirSync(home.at('locks'))).toEqual([]);
  });

  it('never has two holders, however many processes request it and are killed with it', async () => {
    using home = tempFolder();
    const process = await bundled('lockProcess.ts');
    const mortal = Array.from({ length: 6 }, () => runFile(process, [home.path, 'a', '200', '15']));
    const steady = Array.from({ length: 3 }, () => runFile(process, [home.path, 'a', '60', '0']));
    const runs = await Promise.all([...mortal, ...steady]);
    expect(runs.map(({ stdout }) => stdout).join('')).toBe('');
    await createLocks(home.path, 'cli').owners();
    expect(readdirSync(home.at('locks'))).toEqual([]);
  }, 60_000);

  it('keeps no request of an ended process', async () => {
    using home = tempFolder();
    const locks = createLocks(home.path, 'cli');
    await locks.ask('a');
    writeFileSync(home.at('locks', 'b.ask'), JSON.stringify({ pid: 2 ** 22 + 1, bootId: null, startTime: null }));
    await locks.owners();
    expect(readdirSync(home.at('locks'))).toEqual(['a.ask']);
  });
});
