/**
 * The Locks port: `locks/<name>.lock` in TILLER_HOME says which process holds a name (design decision 13).
 *
 * A lock is made by linking a finished file to its name, so it is never there without its owner and never has two. One
 * whose owner is gone is inherited: whoever first links `locks/<token of the dead>.next` is the heir and alone may
 * replace it. An heir that dies before it has done so is inherited in the same way, so nobody's death blocks a name.
 */
import { randomUUID } from 'node:crypto';
import { constants, existsSync, watch } from 'node:fs';
import { copyFile, link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { HeldLock, LockAttempt, Locks } from '../core/ports.ts';
import type { ThreadOwner } from '../protocol/threads.ts';
import { errorCode, isMissing } from './errors.ts';
import { makePrivateFolder, PRIVATE_FILE } from './privateFiles.ts';
import { isRunning, thisProcess } from './processIdentity.ts';

const LOCK = '.lock';
const WISH = '.ask';
const HEIR = '.next';
/** What is about to be linked to a name. */
const NEW = '.new';

const ownerSchema = z.object({
  /** Tells two holds of one process apart. */
  token: z.uuid(),
  pid: z.number(),
  bootId: z.string().nullable(),
  startTime: z.string().nullable(),
  name: z.string(),
  since: z.string(),
});
type Owner = z.infer<typeof ownerSchema>;

/** One lock file as it was read. */
interface Claim {
  readonly path: string;
  /** `undefined` when it says nothing that can be read. */
  readonly owner: Owner | undefined;
  readonly token: string;
}

/** `name` is what others are told of this process. */
export function createLocks(home: string, name: string): Locks {
  const folder = join(home, 'locks');
  const at = (file: string) => {
    // A name may come out of a file that somebody else wrote.
    if (basename(file) !== file || file.includes('\0'))
      throw new Error(`Not a name for a lock: ${JSON.stringify(file)}`);
    return join(folder, file);
  };
  const held = new Set<string>();
  const wishes = new Wishes(folder);

  const acquire = async (lock: string, onAsked?: () => void): Promise<LockAttempt> => {
    await makePrivateFolder(folder);
    const owner: Owner = { token: randomUUID(), ...thisProcess(), name, since: new Date().toISOString() };
    const mine = at(owner.token + NEW);
    await writeFile(mine, JSON.stringify(owner), { mode: PRIVATE_FILE, flag: 'wx' });
    try {
      const other = await claim(at(lock + LOCK), mine, at);
      if (other !== undefined) return { type: 'owned', owner: other };
    } finally {
      await rm(mine, { force: true });
    }
    held.add(owner.token);
    const unwatch = onAsked ? wishes.on(lock + WISH, onAsked) : () => {};
    return { type: 'held', lock: release(lock, owner.token, unwatch) };
  };

  const release = (lock: string, token: string, unwatch: () => void): HeldLock => ({
    async release() {
      unwatch();
      if (!held.delete(token)) return;
      const found = await read(at(lock + LOCK));
      if (found?.token === token) await rm(found.path, { force: true });
    },
  });

  /** What the dead left is taken away by the one way that cannot hit the living. */
  const sweep = async (lock: string): Promise<void> => {
    const attempt = await acquire(lock);
    if (attempt.type === 'held') await attempt.lock.release();
  };

  return {
    acquire,
    async ask(lock) {
      await makePrivateFolder(folder);
      await writeFile(at(lock + WISH), JSON.stringify(thisProcess()), { mode: PRIVATE_FILE });
      return () => rm(at(lock + WISH), { force: true });
    },
    async owners() {
      const files = await readdir(folder).catch(() => []);
      await Promise.all(files.filter((file) => file.endsWith(NEW)).map((file) => removeOfTheDead(at(file))));
      const locks = files.filter((file) => file.endsWith(LOCK));
      const found = new Map<string, ThreadOwner & { readonly mine: boolean }>();
      for (const file of locks) {
        const name = file.slice(0, -LOCK.length);
        const owner = (await chainFrom(at(file), at)).at(-1)?.owner;
        if (owner && isRunning(owner)) found.set(name, { ...asOwner(owner), mine: held.has(owner.token) });
        else await sweep(name);
      }
      return found;
    },
  };
}

/** Puts the file `mine` at `path`, or returns who holds it. */
async function claim(path: string, mine: string, at: (file: string) => string): Promise<ThreadOwner | undefined> {
  while (true) {
    if (await linked(mine, path)) return undefined;
    const chain = await chainFrom(path, at);
    const last = chain.at(-1);
    // It was let go in this moment.
    if (last === undefined) continue;
    if (last.owner && isRunning(last.owner)) return asOwner(last.owner);
    const heir = at(last.token + HEIR);
    if (!(await linked(mine, heir))) continue;
    // Between the look at the dead and this step somebody else may have come into the inheritance.
    if (!sameClaims(chain, await chainFrom(path, at, chain.length))) {
      await rm(heir, { force: true });
      continue;
    }
    await rename(heir, path);
    for (const { path: done } of chain.slice(1)) await rm(done, { force: true });
    return undefined;
  }
}

/** The lock and those who were to inherit it, the last one being the one that counts. */
async function chainFrom(path: string, at: (file: string) => string, limit = 64): Promise<Claim[]> {
  const chain: Claim[] = [];
  for (let next = path; chain.length < limit; ) {
    const found = await read(next);
    if (found === undefined) break;
    chain.push(found);
    if (found.owner && isRunning(found.owner)) break;
    next = at(found.token + HEIR);
  }
  return chain;
}

function sameClaims(left: readonly Claim[], right: readonly Claim[]): boolean {
  return left.length === right.length && left.every(({ token }, index) => token === right[index]?.token);
}

async function read(path: string): Promise<Claim | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const owner = parse(text);
  return { path, owner, token: owner?.token ?? `${basename(path)}-unreadable` };
}

async function removeOfTheDead(path: string): Promise<void> {
  const owner = (await read(path))?.owner;
  if (owner && !isRunning(owner)) await rm(path, { force: true });
}

function parse(text: string): Owner | undefined {
  try {
    return ownerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** False when the name is taken. A file system without links gets a copy, which is there a moment before it is whole. */
async function linked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name).catch((error: unknown) => {
      if (errorCode(error) === 'EEXIST') throw error;
      return copyFile(file, name, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function asOwner({ pid, name, since }: Owner): ThreadOwner {
  return { pid, name, since };
}

/** Hears of wishes for what this process holds; watches the folder only while it holds something. */
class Wishes {
  readonly #folder: string;
  readonly #listeners = new Map<string, () => void>();
  #watcher: ReturnType<typeof watch> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  on(file: string, listener: () => void): () => void {
    this.#listeners.set(file, listener);
    this.#watcher ??= this.#watch();
    return () => {
      this.#listeners.delete(file);
      if (this.#listeners.size > 0) return;
      this.#watcher?.close();
      this.#watcher = undefined;
    };
  }

  #watch() {
    const watcher = watch(this.#folder, (_change, file) => {
      const listener = file === null ? undefined : this.#listeners.get(file);
      if (file !== null && listener && existsSync(join(this.#folder, file))) listener();
    });
    // Without the folder there is nobody to ask.
    watcher.on('error', () => {});
    watcher.unref();
    return watcher;
  }
}
