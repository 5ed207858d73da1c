/**
 * The Locks port: `locks/<name>.lock` in TILLER_HOME names the process that holds a name (design decision 13).
 * processLock.ts takes such a file, and takes it over from a dead process.
 */
import { existsSync, readFileSync, watch } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { HeldLock, LockAttempt, Locks } from '../../core/ports.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import { makePrivateFolder, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { isRunning, type ProcessIdentity, thisProcess } from '../host/processIdentity.ts';
import { holderOf, type LockHolder, type ProcessLock, removeLeftovers, tryLock } from '../host/processLock.ts';

const LOCK = '.lock';
const REQUEST = '.ask';

/** Between two looks for requests where the folder cannot be watched. */
const POLL_MS = 1_000;

/** `name`: how messages of other processes name this one. */
export function createLocks(home: string, name: string, watchFolder: typeof watch = watch): Locks {
  const folder = join(home, 'locks');
  const at = (file: string) => {
    // A name may come out of a file that another program wrote.
    if (basename(file) !== file || file.includes('\0'))
      throw new Error(`Not a name for a lock: ${JSON.stringify(file)}`);
    return join(folder, file);
  };
  const held = new Set<string>();
  const requests = new LockRequests(folder, watchFolder);

  const acquire = async (lock: string, onAsked?: () => void): Promise<LockAttempt> => {
    const place = at(lock + LOCK);
    await makePrivateFolder(folder);
    const attempt = tryLock(place, name);
    if (attempt.type === 'owned') return { type: 'owned', owner: asOwner(attempt.holder) };
    held.add(attempt.lock.token);
    const unwatch = onAsked ? requests.watch(lock + REQUEST, onAsked) : () => {};
    return { type: 'held', lock: release(attempt.lock, unwatch) };
  };

  const release = (lock: ProcessLock, unwatch: () => void): HeldLock => ({
    async release() {
      unwatch();
      held.delete(lock.token);
      lock.release();
    },
  });

  return {
    acquire,
    async ask(lock) {
      await makePrivateFolder(folder);
      await writeFile(at(lock + REQUEST), JSON.stringify(thisProcess()), { mode: PRIVATE_FILE });
      return () => rm(at(lock + REQUEST), { force: true });
    },
    async owners() {
      const files = await readdir(folder).catch(() => []);
      const found = new Map<string, ThreadOwner & { readonly mine: boolean }>();
      for (const lock of locksAmong(files)) {
        const place = at(lock + LOCK);
        removeLeftovers(place);
        const holder = holderOf(place);
        if (holder) found.set(lock, { ...asOwner(holder), mine: held.has(holder.token) });
        else removeDead(place);
      }
      for (const file of files) if (file.endsWith(REQUEST)) removeDeadRequest(at(file));
      return found;
    },
  };
}

/** Names of locks that are there, or of which something is left. */
function locksAmong(files: readonly string[]): ReadonlySet<string> {
  const ends = files.map((file) => [file, file.indexOf(LOCK)] as const).filter(([, end]) => end > 0);
  return new Set(ends.map(([file, end]) => file.slice(0, end)));
}

/**
 * Removes the lock of an ended process: takes it over and releases it, because no other way is safe while a process may
 * take it.
 */
function removeDead(place: string): void {
  if (!existsSync(place)) return;
  const attempt = tryLock(place);
  if (attempt.type === 'held') attempt.lock.release();
}

function removeDeadRequest(file: string): void {
  try {
    if (!isRunning(JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity)) removeFile(file);
  } catch {
    // Gone, or being written.
  }
}

function asOwner({ pid, name, since }: LockHolder): ThreadOwner {
  return { pid, name, since };
}

/** Reports requests of other processes for locks of this process; watches the folder only while it holds one. */
class LockRequests {
  readonly #folder: string;
  readonly #watchFolder: typeof watch;
  readonly #listeners = new Map<string, () => void>();
  #watching: Disposable | undefined;

  constructor(folder: string, watchFolder: typeof watch) {
    this.#folder = folder;
    this.#watchFolder = watchFolder;
  }

  watch(file: string, listener: () => void): () => void {
    this.#listeners.set(file, listener);
    this.#watching ??= this.#watch();
    return () => {
      this.#listeners.delete(file);
      if (this.#listeners.size > 0) return;
      this.#watching?.dispose();
      this.#watching = undefined;
    };
  }

  #watch(): Disposable {
    try {
      const watcher = this.#watchFolder(this.#folder, (_change, file) => {
        if (file !== null) this.#look(file);
      });
      // Without the folder other processes cannot ask for a lock, and no watch is needed.
      watcher.on('error', () => {});
      watcher.unref();
      return { dispose: () => watcher.close() };
    } catch {
      // The system has no watch left: Linux limits them for all programs of a user together.
      const timer = setInterval(() => {
        for (const file of this.#listeners.keys()) this.#look(file);
      }, POLL_MS);
      timer.unref();
      return { dispose: () => clearInterval(timer) };
    }
  }

  #look(file: string): void {
    const listener = this.#listeners.get(file);
    if (listener !== undefined && existsSync(join(this.#folder, file))) listener();
  }
}
