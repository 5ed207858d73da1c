/**
 * Names that must not come into being while a box stands need something to be mounted on: an empty folder in the
 * workspace. Each one is written down before it is made, shared by all boxes of all processes that need it, and removed
 * when the last of them is done, or by the next process if that was killed.
 *
 * Removing one that another box has mounted would open that box (the kernel detaches the mount), hence the leases: one
 * file per process in `<folder>/<name of the path>/`, and a lock around taking and giving back.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../privateFiles.ts';
import { isRunning, type ProcessIdentity, thisProcess } from '../processIdentity.ts';
import { namesIn } from './disk.ts';
import { withFileLock } from './fileLock.ts';

/** The next command often comes soon: nobody who watches the workspace should see the folder come and go each time. */
const IDLE_MS = 20_000;
/** The same when none is expected: long enough for a person who answers at once, or a script. */
const RESTED_MS = 1_500;
const PATH_FILE = 'path';

/** Runs the action after that time unless it is cancelled. */
export type After = (milliseconds: number, action: () => void) => () => void;

/** Does not keep the process alive. */
const systemAfter: After = (milliseconds, action) => {
  const timer = setTimeout(action, milliseconds).unref();
  return () => clearTimeout(timer);
};

interface Held {
  boxes: number;
  cancelRemoval: () => void;
}

export class MountPoints {
  readonly #folder: string;
  readonly #held = new Map<string, Held>();
  #idleMs = IDLE_MS;
  /** Several of us may live in one process. */
  readonly #lease = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  readonly #removeAll = () => this.#giveBack([...this.#held.keys()]);

  readonly #after: After;

  constructor(folder: string, after: After = systemAfter) {
    this.#folder = folder;
    this.#after = after;
  }

  /** Whether this empty folder is ours, not the person's. */
  isOurs(mountPoint: string): boolean {
    return (this.#held.has(mountPoint) || this.#exists(this.#leases(mountPoint))) && isEmptyFolder(mountPoint);
  }

  /** Makes the folders or shares those that are there, as far as they can be made; the returned function gives them back. */
  hold(mountPoints: readonly string[]): () => void {
    this.#idleMs = IDLE_MS;
    const missing = mountPoints.filter((one) => !this.#held.has(one) || !isEmptyFolder(one));
    // Our boxes die with us.
    if (missing.length > 0 && this.#held.size === 0) process.once('exit', this.#removeAll);
    if (missing.length > 0) this.#locked(() => missing.forEach((one) => this.#take(one)));
    for (const mountPoint of mountPoints) {
      const held = this.#held.get(mountPoint) ?? { boxes: 0, cancelRemoval: () => {} };
      held.cancelRemoval();
      held.boxes++;
      this.#held.set(mountPoint, held);
    }
    let isHeld = true;
    return () => {
      if (isHeld) for (const mountPoint of mountPoints) this.#release(mountPoint);
      isHeld = false;
    };
  }

  /** What no box needs is not kept much longer. */
  rest(): void {
    this.#idleMs = RESTED_MS;
    for (const [mountPoint, held] of this.#held) if (held.boxes === 0) this.#removeLater(mountPoint, held);
  }

  /** Removes what killed processes have left. */
  sweep(): void {
    if (!this.#exists(this.#folder)) return;
    this.#locked(() => {
      for (const name of namesIn(this.#folder)) this.#removeIfFree(path.join(this.#folder, name));
    });
  }

  /** Gives everything back that no box needs any more. */
  dispose(): void {
    const idle = [...this.#held].filter(([, held]) => held.boxes === 0).map(([mountPoint]) => mountPoint);
    this.#giveBack(idle);
  }

  #release(mountPoint: string): void {
    const held = this.#held.get(mountPoint);
    if (held === undefined) return;
    held.boxes--;
    if (held.boxes === 0) this.#removeLater(mountPoint, held);
  }

  #removeLater(mountPoint: string, held: Held): void {
    held.cancelRemoval();
    held.cancelRemoval = this.#after(this.#idleMs, () => this.#giveBack([mountPoint]));
  }

  #giveBack(mountPoints: readonly string[]): void {
    if (mountPoints.length === 0) return;
    try {
      this.#removeLeases(mountPoints);
    } catch {
      // What cannot be written down now is swept at the next start.
    }
  }

  #removeLeases(mountPoints: readonly string[]): void {
    this.#locked(() => {
      for (const mountPoint of mountPoints) {
        this.#held.get(mountPoint)?.cancelRemoval();
        this.#held.delete(mountPoint);
        rmSync(path.join(this.#leases(mountPoint), this.#lease), { force: true });
        this.#removeIfFree(this.#leases(mountPoint));
      }
      if (this.#held.size === 0) process.off('exit', this.#removeAll);
    });
  }

  #take(mountPoint: string): void {
    const leases = this.#leases(mountPoint);
    mkdirSync(leases, { recursive: true, mode: PRIVATE_FOLDER });
    writeFileSync(path.join(leases, PATH_FILE), mountPoint, { mode: PRIVATE_FILE });
    writeFileSync(path.join(leases, this.#lease), JSON.stringify(thisProcess()), { mode: PRIVATE_FILE });
    try {
      mkdirSync(mountPoint);
    } catch {
      // It is there, or may not be made by us, nor by what will run in the box.
    }
  }

  /** When nobody alive has a lease: the folder goes if it is still empty, and what was written down of it in any case. */
  #removeIfFree(leases: string): void {
    for (const name of namesIn(leases)) {
      if (name === PATH_FILE) continue;
      if (isHolding(path.join(leases, name))) return;
      rmSync(path.join(leases, name), { force: true });
    }
    const mountPoint = textOf(path.join(leases, PATH_FILE));
    if (mountPoint !== undefined && path.isAbsolute(mountPoint)) removeEmptyFolder(mountPoint);
    rmSync(leases, { recursive: true, force: true });
  }

  #leases(mountPoint: string): string {
    return path.join(this.#folder, createHash('sha256').update(mountPoint).digest('hex').slice(0, 32));
  }

  #locked(work: () => void): void {
    mkdirSync(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    withFileLock(`${this.#folder}.lock`, work);
  }

  #exists(folder: string): boolean {
    return namesIn(folder).length > 0;
  }
}

function isHolding(lease: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(lease, 'utf8')) as ProcessIdentity);
  } catch {
    // Torn by a kill while it was written: nothing was mounted yet.
    return false;
  }
}

function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Gone, or somebody has made it theirs by putting something in.
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
