/**
 * A lock between the processes of one machine: a file that names its holder. All locks of Tiller are made here.
 *
 * Exclusion rests on link(2), which fails when the name exists:
 * - A lock file is written under a name of its own and then linked to its place, so it never exists without its holder
 *   and never has two.
 * - A lock whose holder has ended is not removed: between the check and the removal it could become another's. It is
 *   replaced by one successor, the process that first links `<lock>.<token of the ended holder>.next`. That process
 *   checks again whether the stale lock is still in place, and renames its link onto it. No other process may replace
 *   this lock, because the name is taken and tokens are never reused.
 * - A successor that ends before the rename is succeeded in the same way, so locks form a chain of ended holders with at
 *   most one running holder at its end.
 * - Only the end of the process ends a hold: a process that is stopped, or slow, keeps its lock.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import { PRIVATE_FILE, removeFile } from './privateFiles.ts';
import { isRunning, thisProcess } from './processIdentity.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** The ending of a file that is about to be linked to a lock's place. */
const NEW = '.new';
/** The ending of a successor's claim. */
const NEXT = '.next';
/**
 * Without hard links a lock file exists for a moment before it names its holder; one that still names none after this
 * time was left incomplete by a crash.
 */
const TORN_AFTER_MS = 10_000;
const PATIENCE_MS = 5_000;
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 15;
/** An attempt fails because another process was faster, or because something other than a lock is in the place. */
const MAX_ATTEMPTS = 1_000;

const holderSchema = lazyObject(() => ({
  /** Distinguishes several holds of one process. */
  token: z.uuid(),
  pid: z.number(),
  bootId: z.string().nullable(),
  startTime: z.string().nullable(),
  /** The kind of process, for other processes: `vscode` or `cli`. */
  name: z.string(),
  /** ISO 8601. */
  since: z.string(),
}));
export type LockHolder = z.infer<typeof holderSchema>;

export interface ProcessLock {
  readonly token: string;
  /** Removes the lock if it is still this one. May be called again. */
  release(): void;
}

export type ProcessLockAttempt =
  | { readonly type: 'held'; readonly lock: ProcessLock }
  | { readonly type: 'owned'; readonly holder: LockHolder };

/** Never waits. The folder of `place` must exist. @throws Error when no file can be written there. */
export function tryLock(place: string, name = 'tiller'): ProcessLockAttempt {
  if (!swept.has(place)) removeLeftovers(place);
  const holder: LockHolder = { token: randomUUID(), ...thisProcess(), name, since: new Date().toISOString() };
  const own = `${place}.${holder.token}${NEW}`;
  try {
    createFile(own, JSON.stringify(holder));
    const other = claim(place, own);
    if (other !== undefined) return { type: 'owned', holder: other };
  } finally {
    removeFile(own);
  }
  return { type: 'held', lock: lockOf(place, holder.token) };
}

export interface LockWait {
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits for a lock that another process holds, up to `patienceMs`.
 *
 * @throws Error that names the holder when it still has it then, or the reason of `signal`.
 */
export async function takeLock(place: string, wait: LockWait = {}): Promise<ProcessLock> {
  const deadline = performance.now() + (wait.patienceMs ?? PATIENCE_MS);
  while (true) {
    const attempt = tryLock(place);
    if (attempt.type === 'held') return attempt.lock;
    await untilFree(place, wait, deadline);
  }
}

/** Waits for the lock without taking it: work that a holder began before the call is done when it resolves. */
export async function waitForLock(place: string, wait: LockWait = {}): Promise<void> {
  if (existsSync(place)) await untilFree(place, wait, performance.now() + (wait.patienceMs ?? PATIENCE_MS));
}

async function untilFree(place: string, { signal }: LockWait, deadline: number): Promise<void> {
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LAST_RETRY_MS)) {
    signal?.throwIfAborted();
    const holder = holderOf(place);
    if (holder === undefined) return;
    if (performance.now() > deadline) throw new Error(heldTooLong(place, holder));
    // Random, so that not all waiting processes try at the same time.
    await sleep(retryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
  }
}

/** The running process that holds a lock. */
export function holderOf(place: string): LockHolder | undefined {
  const last = chainFrom(place).at(-1);
  return last !== undefined && isAlive(last) ? last.holder : undefined;
}

/**
 * Removes leftovers of killed processes beside a lock: files about to be linked, and claims on a lock that is no longer
 * in place. That is safe: an ended process links its token nowhere.
 */
export function removeLeftovers(place: string): void {
  swept.add(place);
  const folder = path.dirname(place);
  const beginning = `${path.basename(place)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(beginning) || !(name.endsWith(NEW) || name.endsWith(NEXT))) continue;
    const found = read(path.join(folder, name));
    if (found === undefined || isAlive(found)) continue;
    // Checked last: a token of an ended process that is not in the chain never returns to it.
    const predecessor = name.slice(beginning.length, -NEXT.length);
    const isInChain = name.endsWith(NEXT) && chainFrom(place).some(({ token }) => token === predecessor);
    if (!isInChain) removeFile(found.file);
  }
}

/** Places whose leftovers this process has removed since it started. */
const swept = new Set<string>();

/** One lock file, or claim, as it was read. */
interface Claim {
  readonly file: string;
  readonly token: string;
  readonly holder: LockHolder;
  /** Set when no holder can be read from it; the time of its last write, in milliseconds since the epoch. */
  readonly tornAt?: number;
}

/** Links the file `own` to the place, or returns the process that holds the lock. */
function claim(place: string, own: string): LockHolder | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (linked(own, place)) return undefined;
    const chain = chainFrom(place);
    const last = chain.at(-1);
    // It was just released.
    if (last === undefined) continue;
    if (isAlive(last)) return last.holder;
    const next = nextOf(place, last.token);
    if (!linked(own, next)) continue;
    // Between reading the stale lock and this claim another successor may have replaced it and released it.
    if (!sameClaims(chain, chainFrom(place, chain.length))) {
      removeFile(next);
      continue;
    }
    renameSync(next, place);
    for (const { file } of chain.slice(1)) removeFile(file);
    removeLeftovers(place);
    return undefined;
  }
  throw new Error(`${place} cannot be locked: something else is in its place.`);
}

/** The lock and the claims to succeed it, up to the first with a running holder. The last one counts. */
function chainFrom(place: string, limit = Number.POSITIVE_INFINITY): Claim[] {
  const chain: Claim[] = [];
  for (let file = place; chain.length < limit; ) {
    const found = read(file);
    if (found === undefined) break;
    chain.push(found);
    if (isAlive(found)) break;
    file = nextOf(place, found.token);
  }
  return chain;
}

function nextOf(place: string, token: string): string {
  return `${place}.${token}${NEXT}`;
}

function sameClaims(left: readonly Claim[], right: readonly Claim[]): boolean {
  return left.length === right.length && left.every(({ token }, index) => token === right[index]?.token);
}

function isAlive({ holder, tornAt }: Claim): boolean {
  return tornAt === undefined ? isRunning(holder) : Date.now() - tornAt < TORN_AFTER_MS;
}

function read(file: string): Claim | undefined {
  try {
    const holder = parse(readFileSync(file, 'utf8'));
    if (holder !== undefined) return { file, token: holder.token, holder };
    const { mtimeMs, ino } = statSync(file);
    const token = `torn-${ino}-${mtimeMs}`;
    const since = new Date(mtimeMs).toISOString();
    return { file, token, tornAt: mtimeMs, holder: { token, pid: 0, bootId: null, startTime: null, name: '', since } };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function parse(text: string): LockHolder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** False when the name is taken. */
function linked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
    return copied(file, name);
  }
}

/** Errors of link(2) on file systems without hard links (exFAT, some network shares); Windows reports EISDIR. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

function copied(file: string, name: string): boolean {
  try {
    createFile(name, readFileSync(file, 'utf8'));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function createFile(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', PRIVATE_FILE);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function lockOf(place: string, token: string): ProcessLock {
  let isHeld = true;
  return {
    token,
    release() {
      if (!isHeld) return;
      isHeld = false;
      // The user may have removed it by hand, and another process taken it since.
      if (existsSync(place) && readFileSync(place, 'utf8').includes(token)) removeFile(place);
    },
  };
}

function heldTooLong(place: string, { pid, name, since }: LockHolder): string {
  const holder = pid === 0 ? 'another process' : `another process (${name}, process ${pid})`;
  return `${place} has been locked by ${holder} since ${since}. End that process, or try again.`;
}
