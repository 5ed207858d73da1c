/**
 * Names that must not come into being while a sandboxed command runs (`.git`, `.vscode`) need something to be mounted on:
 * an empty folder in the workspace. It is there while a command needs it, and no longer.
 *
 * A lease, a file in `<TILLER_HOME>/box/mounts`, names the folders that one command needs, and our process. It is written
 * before they are made, and removed after they are. Removing a folder that another sandbox has mounted would open that
 * sandbox (the kernel detaches the mount), so the folders go with the last lease on them. One process at a time looks for
 * leases and removes folders (a lock); one that makes them writes its lease and then waits until the lock is free, so that
 * every look that missed the lease is over. The leases of a killed process count until its sandboxes have ended.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { makePrivateFolderSync, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { isRunning, thisProcess } from '../host/processIdentity.ts';
import { type LockWait, takeLock, waitForLock } from '../host/processLock.ts';
import { namesIn } from './disk.ts';
import { mountedFolders } from './mountedFolders.ts';

/** A lock of milliseconds; a command is not held up for longer by a process that is stopped while it has it. */
const PATIENCE_MS = 2_000;
/** A lease that is still not whole by then never will be. */
const TORN_AFTER_MS = 60_000;

const leaseSchema = z.object({
  owner: z.object({ pid: z.number(), bootId: z.string().nullable(), startTime: z.string().nullable() }),
  folders: z.array(z.string()),
});

interface Lease extends z.infer<typeof leaseSchema> {
  readonly file: string;
}

export class MountPoints {
  readonly #folder: string;
  /** Our leases that commands still need. */
  readonly #held = new Set<string>();
  /** Our leases that no command needs any more, and the folders that they name. */
  readonly #ended = new Map<string, readonly string[]>();
  /** Never rejects. */
  #givingBack: Promise<void> = Promise.resolve();
  readonly #disposed = new AbortController();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether something of this process is left to be removed. */
  get isNeeded(): boolean {
    return this.#held.size + this.#ended.size > 0;
  }

  /** Which of the empty folders in workspaces are ours, not the user's: a function, because the answer changes. */
  ours(): (folder: string) => boolean {
    const named = new Set(this.#leases().flatMap(({ folders }) => folders));
    return (folder) => named.has(folder) && isEmptyFolder(folder);
  }

  /**
   * Makes the folders or shares those that are there, as far as they can be made. The returned function gives them back.
   *
   * @throws Error when this cannot be written down.
   */
  async hold(folders: readonly string[]): Promise<() => void> {
    if (folders.length === 0) return () => {};
    const file = path.join(this.#folder, randomUUID());
    makePrivateFolderSync(this.#folder);
    writeFileSync(file, JSON.stringify({ owner: thisProcess(), folders }), { mode: PRIVATE_FILE, flag: 'wx' });
    this.#held.add(file);
    try {
      await this.#givingBack;
      // Every process that takes the lock from now on sees this lease, and a look that came before it is over.
      await waitForLock(this.#lock, this.#wait);
    } catch (error) {
      this.#held.delete(file);
      removeFile(file);
      throw error;
    }
    for (const folder of folders) makeFolder(folder);
    return () => {
      if (!this.#held.delete(file)) return;
      this.#ended.set(file, folders);
      this.#givingBack = this.#givingBack.then(() => this.#giveBack());
    };
  }

  /** Resolves when what was given back is gone. */
  settled(): Promise<void> {
    return this.#givingBack;
  }

  /**
   * Removes what killed processes have left, as far as their sandboxes have ended. Returns whether something of them is
   * still there.
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

  /** From now on no lock is waited for. What could not be given back is left to the next sweep. */
  dispose(): void {
    this.#disposed.abort(new Error('Tiller is closing.'));
  }

  /** Everything that has ended, also what could not be given back before. */
  async #giveBack(): Promise<void> {
    try {
      await this.#locked(async () => {
        for (const [file, folders] of this.#ended) {
          await this.#remove({ file, folders });
          this.#ended.delete(file);
        }
      });
    } catch {
      // Tried again with the next command, and by the sweep after this process.
    }
  }

  /**
   * `mounted`: by what still stands of killed processes; looked up where it matters. A busy disk takes milliseconds to
   * remove a folder, so this runs beside everything else.
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
    // One that is gone stays so, and one into which the user has put something is theirs.
    await Promise.all(unneeded.map((folder) => rmdir(folder).catch(() => {})));
    removeFile(file);
  }

  #leases(except?: string): Lease[] {
    const files = namesIn(this.#folder).map((name) => path.join(this.#folder, name));
    return files.flatMap((file) => (file === except ? [] : (leaseIn(file) ?? [])));
  }

  /** Cut off by a kill, before a folder was made; or just being written. */
  #removeTorn(): void {
    for (const name of namesIn(this.#folder)) {
      const file = path.join(this.#folder, name);
      const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (leaseIn(file) === undefined && Date.now() - writtenAt > TORN_AFTER_MS)
        rmSync(file, { recursive: true, force: true });
    }
  }

  /** To be held while folders are removed. */
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

/** `undefined` for one that is gone, or not whole. */
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

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch {
    // It is there, or cannot be made by us, nor by what will run in the sandbox.
  }
}
