/**
 * A lock between the processes of one machine: a file that names its holder. All locks of ours are made here.
 *
 * Exclusion rests on link(2), which fails when the name exists:
 * - A lock file is written under a name of its own and then linked to its place, so it never exists without its holder
 *   and never has two.
 * - A lock whose holder is dead is not removed: between the look and the removal it could be another's. It is replaced
 *   by one successor, the process that first links `<lock>.<token of the dead holder>.next`. That process looks again
 *   whether the dead lock is still in place, and renames its link onto it. Nobody else may replace this lock, because
 *   the name is taken and tokens are never used twice.
 * - A successor that dies before the rename is succeeded in the same way, so locks form a chain of dead holders with at
 *   most one living holder at its end.
 * - Only death ends a hold: a process that is stopped, or slow, keeps its lock.
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

/** What is about to be linked to a lock's place. */
const NEW = '.new';
/** The claim of a successor. */
const NEXT = '.next';
/**
 * Where there are no hard links a lock is there for a moment before it names its holder; one that still names none after
 * this time was torn by a crash.
 */
const TORN_AFTER_MS = 10_000;
const PATIENCE_MS = 5_000;
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 15;
/** Each attempt fails because another process has come further, or because the place is not one for a lock. */
const MAX_ATTEMPTS = 1_000;

const holderSchema = z.object({
  /** Tells two holds of one process apart. */
  token: z.uuid(),
  pid: z.number(),
  bootId: z.string().nullable(),
  startTime: z.string().nullable(),
  /** What the process is, for other processes: `vscode` or `cli`. */
  name: z.string(),
  /** ISO 8601. */
  since: z.string(),
});
export type LockHolder = z.infer<typeof holderSchema>;

export interface ProcessLock {
  readonly token: string;
  /** Removes the lock if it is still this one. May be called again. */
  release(): void;
}

export type ProcessLockAttempt =
  | { readonly type: 'held'; readonly lock: ProcessLock }
  | { readonly type: 'owned'; readonly holder: LockHolder };

/** Never waits. The folder of `place` must exist. @throws Error when nothing can be written there. */
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

/**
 * Waits for a lock that another process holds, up to `patienceMs`.
 *
 * @throws Error that names the holder when it still has it then, or the reason of `signal`.
 */
export async function takeLock(
  place: string,
  { patienceMs = PATIENCE_MS, signal }: { readonly patienceMs?: number; readonly signal?: AbortSignal } = {},
): Promise<ProcessLock> {
  const deadline = performance.now() + patienceMs;
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LAST_RETRY_MS)) {
    signal?.throwIfAborted();
    // After the first attempt a look is enough until the lock is free.
    const holder = retryMs === FIRST_RETRY_MS ? undefined : holderOf(place);
    const attempt = holder === undefined ? tryLock(place) : ({ type: 'owned', holder } as const);
    if (attempt.type === 'held') return attempt.lock;
    if (performance.now() > deadline) throw new Error(heldTooLong(place, attempt.holder));
    // Not all at once again.
    await sleep(retryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
  }
}

/** The living process that holds a lock. */
export function holderOf(place: string): LockHolder | undefined {
  const last = chainFrom(place).at(-1);
  return last !== undefined && isAlive(last) ? last.holder : undefined;
}

/**
 * Removes what killed processes have left beside a lock: files about to be linked, and claims to succeed a lock that is
 * not in place any more. That is final: a dead process puts its token nowhere.
 */
export function removeLeftovers(place: string): void {
  swept.add(place);
  const folder = path.dirname(place);
  const beginning = `${path.basename(place)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(beginning) || !(name.endsWith(NEW) || name.endsWith(NEXT))) continue;
    const found = read(path.join(folder, name));
    if (found === undefined || isAlive(found)) continue;
    // Looked at last: once a dead token is not in the chain it never is again.
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
  /** Names no holder that can be read; when it was last written, in milliseconds since the epoch. */
  readonly tornAt?: number;
}

/** Puts the file `own` in place, or returns the process that holds the lock. */
function claim(place: string, own: string): LockHolder | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (linked(own, place)) return undefined;
    const chain = chainFrom(place);
    const last = chain.at(-1);
    // It was released in this moment.
    if (last === undefined) continue;
    if (isAlive(last)) return last.holder;
    const next = nextOf(place, last.token);
    if (!linked(own, next)) continue;
    // Between the look at the dead lock and this claim another successor may have replaced it and gone.
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

/** The lock and the claims to succeed it, up to the first that is alive. The last one counts. */
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

/** Errors of link(2) on file systems without hard links (exFAT, some network shares); EISDIR is Windows' word for it. */
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
      // Somebody may have removed it by hand, and another process taken it since.
      if (existsSync(place) && readFileSync(place, 'utf8').includes(token)) removeFile(place);
    },
  };
}

function heldTooLong(place: string, { pid, name, since }: LockHolder): string {
  const holder = pid === 0 ? 'another process' : `another process (${name}, process ${pid})`;
  return `${place} has been locked by ${holder} since ${since}. End that process, or try again.`;
}
