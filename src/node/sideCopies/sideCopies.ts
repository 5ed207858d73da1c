/** Side copies on disk, in `copies/` of TILLER_HOME: made, compared with what they began with, removed. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Locks } from '../../core/ports.ts';
import { contentHash } from '../../core/baseline/contentHash.ts';
import {
  copyAround,
  type CopyPlace,
  type SideCopies as SideCopyPlaces,
  type SideCopy,
} from '../../core/sideCopies/sideCopy.ts';
import { pauseEvery } from '../baseline/pauseEvery.ts';
import { makePrivateFolder, namesIn } from '../host/privateFiles.ts';
import { isRunning, thisProcess } from '../host/processIdentity.ts';
import { changesInCopy, type CopyChange, sizeOfFolder } from './changesInCopy.ts';
import { type BaseEntry, BaseWriter, readKept } from './copyBase.ts';
import { copiesFolder, type CopyRecord, readRecord, readRecords, writeRecord } from './copyRecord.ts';
import { removeWorktree, repositoryAt, worktreeFolder } from './gitWorktree.ts';
import { CopyRefused, fillCopy, MAX_KEPT_BYTES, stampOf } from './makeCopy.ts';

/** Milliseconds of work on the event loop at a time. */
const PIECE_MS = 4;
/** A folder without a record was left by a crash, or its record is about to be written. */
const YOUNG_MS = 60_000;
/** Begins the name of a folder whose removal has begun. */
const REMOVED = 'removed-';

export interface SideCopiesDeps {
  /** TILLER_HOME. */
  readonly home: string;
  readonly locks: Pick<Locks, 'acquire'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface MakeOptions {
  /** Folders of the workspace, the first one first. */
  readonly roots: readonly string[];
  /** Setting `sideCopies.links`. */
  readonly links: readonly string[];
  /** Unsaved text by path. */
  readonly unsaved: ReadonlyMap<string, Uint8Array>;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => void;
}

export interface MadeCopy {
  readonly copy: SideCopy;
  /** Files that could not be read. */
  readonly skipped: readonly string[];
}

/** How a file came home. */
export interface SettledFile {
  readonly change: CopyChange;
  /** What the base holds of it from now on: the file of the copy, or a text in between. */
  readonly base: { readonly type: 'result' } | { readonly type: 'bytes'; readonly bytes: Uint8Array };
}

export class SideCopies implements SideCopyPlaces {
  readonly #deps: SideCopiesDeps;
  #known: ReadonlyMap<string, CopyRecord> | undefined;

  constructor(deps: SideCopiesDeps) {
    this.#deps = deps;
  }

  /** Those that are ready, the newest first. Another process may have made some since: see `reload`. */
  get all(): readonly SideCopy[] {
    const ready = [...this.#records.values()].filter(({ state }) => state === 'ready');
    return ready.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1)).map(copyOf);
  }

  around(place: string): CopyPlace | undefined {
    // Most places are in none: no file is read for them.
    if (!place.startsWith(`${copiesFolder(this.#home)}${path.sep}`)) return undefined;
    return copyAround(place, this.all) ?? (this.reload(), copyAround(place, this.all));
  }

  of(threadId: string): SideCopy | undefined {
    return this.all.find((copy) => copy.threadId === threadId);
  }

  reload(): void {
    this.#known = undefined;
  }

  /** @throws CopyRefused, the signal's reason, or the error of the disk: then nothing is left of it */
  async make({ roots, links, unsaved, signal, progress }: MakeOptions): Promise<MadeCopy> {
    signal.throwIfAborted();
    const id = randomBytes(6).toString('hex');
    const folder = this.#folderOf(id);
    await makePrivateFolder(folder);
    const real = realpathSync(folder);
    const names = namesFor(roots);
    const planned = roots.map((home, index) => {
      const repository = repositoryAt(home);
      const gitFolder = repository === undefined ? null : worktreeFolder(repository, `tiller-${id}${index || ''}`);
      const kind = repository === undefined ? ('plain' as const) : ('worktree' as const);
      return { repository, folder: { home, copy: path.join(real, 'work', names[index] ?? ''), kind, gitFolder } };
    });
    const record: CopyRecord = {
      version: 1,
      id,
      state: 'making',
      owner: thisProcess(),
      threadId: null,
      createdAt: this.#deps.clock.now().toISOString(),
      folders: planned.map((each) => each.folder),
      links: [],
    };
    await writeRecord(folder, record);
    try {
      const filled = await this.#fill(planned, { folder, links, unsaved, signal, progress });
      const ready: CopyRecord = { ...record, state: 'ready', links: filled.links };
      await writeRecord(folder, ready);
      this.reload();
      return { copy: copyOf(ready), skipped: filled.skipped };
    } catch (error) {
      await this.#destroy(record);
      throw error;
    }
  }

  async #fill(
    planned: readonly {
      readonly repository: ReturnType<typeof repositoryAt>;
      readonly folder: CopyRecord['folders'][number];
    }[],
    given: Pick<MakeOptions, 'links' | 'unsaved' | 'signal' | 'progress'> & { readonly folder: string },
  ): Promise<{ links: string[]; skipped: string[] }> {
    const base = new BaseWriter(given.folder);
    const links: string[] = [];
    const skipped: string[] = [];
    let before = 0;
    try {
      for (const { repository, folder } of planned) {
        let last = 0;
        const filled = await fillCopy({
          ...folder,
          repository,
          tillerHome: this.#home,
          links: given.links,
          unsaved: given.unsaved,
          base,
          pause: pauses(given.signal),
          progress: (done, total) => {
            last = total;
            given.progress(before + done, before + total);
          },
        });
        before += last;
        links.push(...filled.links);
        skipped.push(...filled.skipped);
      }
    } finally {
      base.close();
    }
    return { links, skipped };
  }

  /** The thread that works in the copy from now on. @throws the error of the disk */
  async assign(id: string, threadId: string): Promise<void> {
    await this.#update(id, (record) => ({ ...record, threadId }));
  }

  /** What differs from the base. Rejects with the signal's reason, or with the error of the disk. */
  async changes(id: string, signal: AbortSignal): Promise<readonly CopyChange[]> {
    return changesInCopy(this.#folderOf(id), this.#recordOf(id), pauses(signal));
  }

  /** What the file held at the start of the copy; `undefined` where it is not kept. @throws the error of the disk */
  baseContent(id: string, entry: BaseEntry | undefined): Uint8Array | undefined {
    return entry && readKept(this.#folderOf(id), entry);
  }

  /** Call when changes came home: they are no longer offered. @throws the error of the disk */
  async settle(id: string, files: readonly SettledFile[]): Promise<void> {
    const writer = new BaseWriter(this.#folderOf(id));
    try {
      for (const file of files) writer.add(file.change.copy, await entryAfter(file, writer));
    } finally {
      writer.close();
    }
  }

  /** Bytes on the disk. Rejects with the signal's reason. */
  size(id: string, signal: AbortSignal): Promise<number> {
    return sizeOfFolder(this.#folderOf(id), pauses(signal));
  }

  /** With all that it holds. Returns false while another process uses it. @throws the error of the disk */
  remove(id: string): Promise<boolean> {
    return this.alone(id, () => this.#destroy(this.#recordOf(id)));
  }

  /** Runs `act` unless another process, or another act of this one, uses the copy: then it returns false. */
  async alone(id: string, act: () => Promise<unknown>): Promise<boolean> {
    const attempt = await this.#deps.locks.acquire(`copy-${id}`);
    if (attempt.type === 'owned') return false;
    try {
      await act();
      return true;
    } finally {
      await attempt.lock.release();
    }
  }

  /**
   * Removes what a crash left, and copies without changes whose thread is gone. One with changes is never removed. Never
   * rejects: what cannot be removed is tried again at the next start.
   */
  async sweep(hasThread: (threadId: string) => Promise<boolean>): Promise<void> {
    for (const id of namesIn(copiesFolder(this.#home))) await this.#sweepOne(id, hasThread).catch(() => {});
    this.reload();
  }

  async #sweepOne(id: string, hasThread: (threadId: string) => Promise<boolean>): Promise<void> {
    const folder = this.#folderOf(id);
    const record = id.startsWith(REMOVED) ? undefined : readRecord(folder);
    if (record === undefined) {
      const isOld = Date.now() - (await stat(folder)).mtimeMs > YOUNG_MS;
      if (isOld || id.startsWith(REMOVED)) await rm(folder, { recursive: true, force: true });
      return;
    }
    if (isRunning(record.owner)) return;
    if (record.state === 'ready') {
      if (record.threadId !== null && (await hasThread(record.threadId))) return;
      if ((await changesInCopy(folder, record, pauses())).length > 0) return;
    }
    await this.alone(id, () => this.#destroy(record));
  }

  /** The record goes last: until then the next start can finish. */
  async #destroy(record: CopyRecord): Promise<void> {
    const folder = this.#folderOf(record.id);
    await writeRecord(folder, { ...record, state: 'removing', owner: thisProcess() });
    this.reload();
    for (const { gitFolder } of record.folders) if (gitFolder !== null) removeWorktree(gitFolder);
    // A command that runs in it may still write: what it writes does not come back under the name of the copy.
    const removed = path.join(copiesFolder(this.#home), `${REMOVED}${record.id}`);
    await rename(folder, removed);
    await rm(removed, { recursive: true, force: true });
  }

  async #update(id: string, change: (record: CopyRecord) => CopyRecord): Promise<void> {
    await writeRecord(this.#folderOf(id), change(this.#recordOf(id)));
    this.reload();
  }

  #recordOf(id: string): CopyRecord {
    const record = this.#records.get(id) ?? readRecord(this.#folderOf(id));
    if (record === undefined) throw new CopyRefused('This side copy is gone.');
    return record;
  }

  #folderOf(id: string): string {
    return path.join(copiesFolder(this.#home), id);
  }

  get #records(): ReadonlyMap<string, CopyRecord> {
    this.#known ??= new Map(readRecords(this.#home).map((record) => [record.id, record]));
    return this.#known;
  }

  get #home(): string {
    return this.#deps.home;
  }
}

function copyOf({ id, threadId, createdAt, folders }: CopyRecord): SideCopy {
  return { id, threadId, createdAt, folders: folders.map(({ home, copy, kind }) => ({ home, copy, kind })) };
}

/** Each once: two folders of a workspace may have one name. */
function namesFor(roots: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const root of roots) {
    const name = path.basename(root) || 'workspace';
    names.push(names.includes(name) ? `${name}-${names.length + 1}` : name);
  }
  return names;
}

/** Throws the signal's reason. */
function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  const pause = pauseEvery(PIECE_MS, () => setImmediate());
  return () => {
    signal?.throwIfAborted();
    return pause();
  };
}

async function entryAfter({ change, base }: SettledFile, writer: BaseWriter): Promise<BaseEntry | null> {
  const { copy, result } = change;
  const mode = result.type === 'file' ? result.mode : 0o644;
  if (base.type === 'bytes') {
    return { type: 'file', hash: contentHash(base.bytes), mode, at: writer.keep(base.bytes), stamp: null };
  }
  if (result.type !== 'file') return null;
  const stats = await stat(copy);
  const bytes = stats.size <= MAX_KEPT_BYTES ? await readFile(copy) : undefined;
  // The agent may have written it since it was compared: then it differs from this base.
  if (bytes === undefined || contentHash(bytes) !== result.hash) {
    return { type: 'file', hash: result.hash, mode, at: null, stamp: null };
  }
  return { type: 'file', hash: result.hash, mode, at: writer.keep(bytes), stamp: stampOf(stats) };
}
