/** One writer at a time, over all processes: a lock file that says who holds it. */
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, isMissing } from './errors.ts';
import { isRunning, type ProcessIdentity, thisProcess } from './processIdentity.ts';
import { PRIVATE_FILE } from './privateFiles.ts';

const RETRY_MS = 15;
/** Longer than any writer takes; whoever still holds it then is stuck. */
const PATIENCE_MS = 5_000;
let files = 0;

/** @throws Error when somebody else holds it for too long; then nothing was done. */
export async function withFileLock<Result>(lockPath: string, act: () => Promise<Result>): Promise<Result> {
  await acquire(lockPath);
  try {
    return await act();
  } finally {
    await rm(lockPath, { force: true });
  }
}

async function acquire(lockPath: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await create(lockPath))) {
    if (performance.now() > deadline) throw new Error(`${lockPath} is held by another process.`);
    if (!(await removeIfDead(lockPath))) await sleep(RETRY_MS);
  }
}

/** Written first and linked then: a lock that exists says whose it is. */
async function create(lockPath: string): Promise<boolean> {
  const own = `${lockPath}.${process.pid}-${files++}`;
  try {
    await writeFile(own, JSON.stringify(thisProcess()), { mode: PRIVATE_FILE, flag: 'wx' });
    await link(own, lockPath);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** A holder that was killed left its lock. Moved away first: if it was not the dead one after all, it is put back. */
async function removeIfDead(lockPath: string): Promise<boolean> {
  const text = await readFile(lockPath, 'utf8').catch(() => undefined);
  if (text === undefined || !isOfTheDead(text)) return false;
  const aside = `${lockPath}.${process.pid}-${files++}`;
  try {
    await rename(lockPath, aside);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, lockPath).catch(() => undefined);
  await rm(aside, { force: true });
  return true;
}

function isOfTheDead(text: string): boolean {
  try {
    return !isRunning(JSON.parse(text) as ProcessIdentity);
  } catch {
    return false; // not one of ours: nobody's lock is taken from them in doubt
  }
}
