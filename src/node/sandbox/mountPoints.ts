/**
 * Names that must not be created while a sandboxed command runs (`.git`, `.vscode`) need a mount point: an empty folder
 * in the workspace, which exists only while a command needs it.
 *
 * A lease, a file in `<TILLER_HOME>/box/mounts`, names the folders that one command needs, and our process. It is
 * written before they are created and removed after they are. Removing a folder that another sandbox has mounted would
 * open that sandbox (the kernel detaches the mount), so the folders are removed with the last lease on them. A lock
 * lets one process at a time read the leases and remove folders; a process that creates folders writes its lease and
 * then waits until the lock is free, so that every removal that has not seen the lease is over. The leases of a killed
 * process count until its sandboxes have ended.
 */
import { randomUUID } from 'node:crypto';
import { type FSWatcher, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { EXPLORER_MARK } from '../../core/sandbox/writableRoots.ts';
import { makePrivateFolderSync, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { isRunning, thisProcess } from '../host/processIdentity.ts';
import { type LockWait, takeLock, waitForLock } from '../host/processLock.ts';
import { namesIn } from './disk.ts';
import { mountedFolders } from './mountedFolders.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** The lock is held for milliseconds; this limits the delay of a command when its holder is stopped meanwhile. */
const PATIENCE_MS = 2_000;
/** An incomplete lease older than this will never be completed. */
const TORN_AFTER_MS = 60_000;

const leaseSchema = lazyObject(() => ({
  owner: z.object({ pid: z.number(), bootId: z.string().nullable(), startTime: z.string().nullable() }),
  folders: z.array(z.string()),
}));

interface Lease extends z.infer<typeof leaseSchema> {
  readonly file: string;
}

export class MountPoints {
  readonly #folder: string;
  /** Our leases that commands still need. */
  readonly #held = new Set<string>();
  /** Our leases that are no longer needed, with the folders that they name. */
  readonly #ended = new Map<string, readonly string[]>();
  /** Never rejects. */
  #givingBack: Promise<void> = Promise.resolve();
  readonly #disposed = new AbortController();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True if this process still has leases to remove. */
  get isNeeded(): boolean {
    return this.#held.size + this.#ended.size > 0;
  }

  /** Which empty folders in workspaces are Tiller's, not the user's: a function, because the answer changes. */
  ours(): (folder: string) => boolean {
    const named = new Set(this.#leases().flatMap(({ folders }) => folders));
    return (folder) => named.has(folder) && isEmptyFolder(folder);
  }

  /**
   * Creates the folders, or shares those that exist, as far as possible. Call the returned function to release them.
   *
   * @throws Error when the lease cannot be written.
   */
  async hold(folders: readonly string[]): Promise<() => void> {
    if (folders.length === 0) return () => {};
    const file = path.join(this.#folder, randomUUID());
    makePrivateFolderSync(this.#folder);
    writeFileSync(file, JSON.stringify({ owner: thisProcess(), folders }), { mode: PRIVATE_FILE, flag: 'wx' });
    this.#held.add(file);
    try {
      await this.#givingBack;
      // Every process that takes the lock from now on sees this lease, and a removal that started earlier is over.
      await waitForLock(this.#lock, this.#wait);
    } catch (error) {
      this.#held.delete(file);
      removeFile(file);
      throw error;
    }
    for (const folder of folders) makeFolder(folder);
    const watchers = folders.flatMap(unmarkWhenUsed);
    return () => {
      if (!this.#held.delete(file)) return;
      for (const watcher of watchers) watcher.close();
      this.#ended.set(file, folders);
      this.#givingBack = this.#givingBack.then(() => this.#giveBack());
    };
  }

  /** Resolves when the released folders are removed. */
  settled(): Promise<void> {
    return this.#givingBack;
  }

  /**
   * Removes mount points of killed processes whose sandboxes have ended. Returns whether any of theirs are left.
   */
  async sweep(): Promise<boolean> {
    if (namesIn(this.#folder).length === 0) return false;
    let isLeft = false;
    await this.#locked(async () => {
      const dead = this.#leases().filter(({ owner }) => !isRunning(owner));
      const mounted = dead.length > 0 ? mountedFolders() : new Set<string>();
      for (const lease of dead) {
        if (lease.folders.some((folder) => mounted.has(folder))) isLeft = true;
        else await this.#remove(lease, mounted);
      }
      this.#removeTorn();
    });
    return isLeft;
  }

  /** Ends all waiting for locks. What could not be released is left to the next sweep. */
  dispose(): void {
    this.#disposed.abort(new Error('Tiller is closing.'));
  }

  /** Removes the leases of ended commands, also those whose removal failed before. */
  async #giveBack(): Promise<void> {
    try {
      await this.#locked(async () => {
        for (const [file, folders] of this.#ended) {
          await this.#remove({ file, folders });
          this.#ended.delete(file);
        }
      });
    } catch {
      // Retried with the next command, and by the sweep after this process.
    }
  }

  /**
   * `mounted`: the mounts of sandboxes of killed processes; computed when needed. Removing a folder takes milliseconds
   * on a busy disk, so this runs in the background.
   */
  async #remove(
    { file, folders }: { readonly file: string; readonly folders: readonly string[] },
    mounted?: ReadonlySet<string>,
  ): Promise<void> {
    const others = this.#leases(file);
    const isNeeded = (folder: string): boolean => {
      const named = others.filter((lease) => lease.folders.includes(folder));
      if (named.some(({ owner }) => isRunning(owner))) return true;
      return named.length > 0 && (mounted ?? mountedFolders()).has(folder);
    };
    const unneeded = folders.filter((folder) => !isNeeded(folder));
    // A missing folder needs no removal; one into which the user has put a file belongs to the user. In reverse order:
    // a mark outlasts the folder that it hides.
    for (const folder of unneeded.toReversed()) await rmdir(folder).catch(() => {});
    removeFile(file);
  }

  #leases(except?: string): Lease[] {
    const files = namesIn(this.#folder).map((name) => path.join(this.#folder, name));
    return files.flatMap((file) => (file === except ? [] : (leaseIn(file) ?? [])));
  }

  /** Incomplete leases: cut off by a kill before a folder was created, or just being written. */
  #removeTorn(): void {
    for (const name of namesIn(this.#folder)) {
      const file = path.join(this.#folder, name);
      const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (leaseIn(file) === undefined && Date.now() - writtenAt > TORN_AFTER_MS)
        rmSync(file, { recursive: true, force: true });
    }
  }

  /** Hold it while folders are removed. */
  get #lock(): string {
    return `${this.#folder}.lock`;
  }

  get #wait(): LockWait {
    return { patienceMs: PATIENCE_MS, signal: this.#disposed.signal };
  }

  async #locked(work: () => Promise<void>): Promise<void> {
    const lock = await takeLock(this.#lock, this.#wait);
    try {
      await work();
    } finally {
      lock.release();
    }
  }
}

/** `undefined` for a missing or incomplete lease. */
function leaseIn(file: string): Lease | undefined {
  try {
    return { file, ...leaseSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  } catch {
    return undefined;
  }
}

function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

/**
 * `mark`: removed as soon as something is put into a folder that it hides. The user may write settings of the workspace
 * while a server runs in the background for hours, and must see them.
 */
function unmarkWhenUsed(mark: string): FSWatcher[] {
  if (path.basename(mark) !== EXPLORER_MARK) return [];
  const hidden = path.join(path.dirname(mark), '.vscode');
  const unmark = () => {
    if (namesIn(hidden).length > 0) void rmdir(mark).catch(() => {});
  };
  try {
    const watcher = watch(hidden, { persistent: false }, unmark).on('error', () => {});
    unmark();
    return [watcher];
  } catch {
    // No more watches are allowed to this user: the folder is shown when the command has ended.
    return [];
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch {
    // It exists, or can be created neither by us nor from inside the sandbox.
  }
}
