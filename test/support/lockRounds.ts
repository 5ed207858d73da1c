/**
 * A process that takes a lock repeatedly, for tests with several processes. Arguments: the path of the lock, the number
 * of rounds, and `no-links` to simulate a file system without hard links. Every fourth round simulates that the process
 * was killed in it. Prints a line for each critical section in which another process was active, and writes a line for
 * each round to `<place>-log`.
 */
import fs, { appendFileSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../../src/node/host/processLock.ts';

const [place = '', rounds = '1'] = process.argv.slice(2);
const inside = `${place}-inside`;
if (process.argv[4] === 'no-links') {
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  };
}

async function run(): Promise<void> {
  for (let round = 0; round < Number(rounds); round++) {
    const lock = await takeLock(place, { patienceMs: 60_000 });
    enter();
    if (round % 3 === 0) await sleep(Math.random());
    leave(round);
    if (round % 4 === 3) leaveDeadLock(lock.token);
    else lock.release();
  }
}

function enter(): void {
  try {
    writeFileSync(inside, String(process.pid), { flag: 'wx' });
  } catch {
    process.stdout.write('overlap\n');
  }
}

function leave(round: number): void {
  if (heldInside() !== String(process.pid)) process.stdout.write('overlap\n');
  appendFileSync(`${place}-log`, `${process.pid} ${round}\n`);
  rmSync(inside, { force: true });
}

function heldInside(): string | undefined {
  try {
    return readFileSync(inside, 'utf8');
  } catch {
    return undefined;
  }
}

/** Replaces its own lock with that of an ended process and up to two ended successors, of another kind each time. */
function leaveDeadLock(own: string): void {
  const text = readFileSync(place, 'utf8');
  const kinds = [{ pid: 2 ** 22 + 1 }, { bootId: randomUUID() }, { startTime: '1' }];
  const tokens = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => randomUUID());
  for (const [index, token] of tokens.entries()) {
    const dead = { ...JSON.parse(text), ...kinds[Math.floor(Math.random() * kinds.length)], token };
    const file = index === 0 ? `${place}.dead-${own}` : `${place}.${tokens[index - 1]}.next`;
    writeFileSync(file, JSON.stringify(dead));
  }
  if (Math.random() < 0.1) {
    writeFileSync(`${place}.dead-${own}`, '{"pid":');
    utimesSync(`${place}.dead-${own}`, 1, 1);
  }
  renameSync(`${place}.dead-${own}`, place);
}

void run();
