/** Side copies on disk, in `copies/` of TILLER_HOME: made, compared with what they began with, removed. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { lstat, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Locks } from '../../core/ports.ts';
import { contentHash } from '../../core/baseline/contentHash.ts';
import {
  type BaseFile,
  copyAround,
  type CopyChange,
  CopyRefused,
  type MadeCopy,
  type MakeOptions,
  type SettledFile,
  type SideCopy,
  type SideCopyStore,
} from '../../core/sideCopies/sideCopy.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { pauseEvery } from '../baseline/pauseEvery.ts';
import { makePrivateFolder, namesIn } from '../host/privateFiles.ts';
import { isRunning, thisProcess } from '../host/processIdentity.ts';
import { changesInCopy, sizeOfFolder } from './changesInCopy.ts';
import { type BaseEntry, BaseWriter, readKept } from './copyBase.ts';
import { copiesFolder, type CopyRecord, FOLDER, readRecord, readRecords, writeRecord } from './copyRecord.ts';
import { removeWorktree, repositoryAt, worktreeFolder } from './gitWorktree.ts';
import { fillCopy, MAX_KEPT_BYTES, stampOf } from './makeCopy.ts';

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

export class SideCopies implements SideCopyStore {
  readonly #deps: SideCopiesDeps;
  #known: ReadonlyMap<string, CopyRecord> | undefined;

  constructor(deps: SideCopiesDeps) {
    this.#deps = deps;
  }

  get all(): readonly SideCopy[] {
    const ready = [...this.#records.values()].filter(({ state }) => state === 'ready');
    return ready.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1)).map(copyOf);
  }

  homeOf(place: string): string {
    const found = this.#around(place);
    return found === undefined ? place : path.join(found.folder.home, found.below);
  }

  foldersAround(place: string): SideCopy['folders'] | undefined {
    return this.#around(place)?.copy.folders;
  }

  #around(place: string): ReturnType<typeof copyAround> {
    // Most places are in none: no file is read for them.
    if (!place.includes(`${path.sep}${FOLDER}${path.sep}`)) return undefined;
    const known = copyAround(place, this.all);
    if (known !== undefined || !isBelow(place, realOf(copiesFolder(this.#home)))) return known;
    // Another process may have made it.
    this.reload();
    return copyAround(place, this.all);
  }

  of(threadId: string): SideCopy | undefined {
    return this.all.find((copy) => copy.threadId === threadId);
  }

  reload(): void {
    this.#known = undefined;
  }

  async make({ roots, links, unsaved, signal, progress }: MakeOptions): Promise<MadeCopy> {
    signal.throwIfAborted();
    const id = randomBytes(6).toString('hex');
    const folder = this.#folderOf(id);
    await makePrivateFolder(folder);
    const real = realOf(folder);
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

  async assign(id: string, threadId: string): Promise<void> {
    await this.#update(id, (record) => ({ ...record, threadId }));
  }

  async changes(id: string, signal: AbortSignal): Promise<readonly CopyChange[]> {
    return changesInCopy(this.#folderOf(id), this.#recordOf(id), pauses(signal));
  }

  async baseContent(id: string, base: BaseFile | undefined): Promise<Uint8Array | undefined> {
    return base && readKept(this.#folderOf(id), base);
  }

  async content(place: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const stats = await lstat(place).catch(() => undefined);
    return stats?.isFile() === true && stats.size <= maxBytes ? readFile(place) : undefined;
  }

  async settle(id: string, files: readonly SettledFile[]): Promise<void> {
    const writer = new BaseWriter(this.#folderOf(id));
    try {
      for (const file of files) writer.add(file.change.copy, await entryAfter(file, writer));
    } finally {
      writer.close();
    }
  }

  async unsettle(id: string, files: readonly Pick<CopyChange, 'copy' | 'base'>[]): Promise<void> {
    const writer = new BaseWriter(this.#folderOf(id));
    for (const { copy, base } of files) writer.add(copy, base ?? null);
    writer.close();
  }

  size(id: string, signal: AbortSignal): Promise<number> {
    return sizeOfFolder(this.#folderOf(id), pauses(signal));
  }

  remove(id: string): Promise<boolean> {
    return this.alone(id, () => this.#destroy(this.#recordOf(id)));
  }

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

/** The same where it does not exist. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
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
