/** A lock between processes for work of a millisecond. */
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { PRIVATE_FILE } from '../privateFiles.ts';
import { errorCode } from '../errors.ts';
import { isRunning, type ProcessIdentity, thisProcess } from '../processIdentity.ts';

const POLL_MS = 1;
/** Nobody holds it that long unless they hang. */
const PATIENCE_MS = 2_000;

/** Waits without giving way to anything else in this process. A lock whose owner is dead, or hangs, is taken over. */
export function withFileLock(file: string, work: () => void): void {
  const deadline = Date.now() + PATIENCE_MS;
  while (!tryLock(file)) {
    if (isAbandoned(file) || Date.now() > deadline) rmSync(file, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  try {
    work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    const descriptor = openSync(file, 'wx', PRIVATE_FILE);
    writeSync(descriptor, JSON.stringify(thisProcess()));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isAbandoned(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    if (text !== '') return !isRunning(JSON.parse(text) as ProcessIdentity);
    return Date.now() - statSync(file).mtimeMs > PATIENCE_MS;
  } catch {
    return false;
  }
}
