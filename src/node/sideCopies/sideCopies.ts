/** Side copies on disk, in `copies/` of TILLER_HOME: made, compared with what they began with, removed. */
import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock, HeldLock, Locks, Log } from '../../core/ports.ts';
import { contentHash } from '../../core/baseline/contentHash.ts';
import {
  type BaseFile,
  copyAround,
  type CopyChange,
  type CopyLosses,
  CopyRefused,
  isNothing,
  isOnlyIgnored,
  type MadeCopy,
  type MakeOptions,
  type RemoveOptions,
  type RemoveResult,
  type SettledFile,
  type SideCopy,
  type SideCopyStore,
  type ThreadsOfCopies,
  type UnreadableCopy,
} from '../../core/sideCopies/sideCopy.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { pauseEvery } from '../baseline/pauseEvery.ts';
import { makePrivateFolder, namesIn } from '../host/privateFiles.ts';
import { isRunning, thisProcess } from '../host/processIdentity.ts';
import { lossesInCopy, sizeOfFolder } from './changesInCopy.ts';
import { type BaseEntry, BaseWriter, readKept } from './copyBase.ts';
import { CopyFiles } from './copyFiles.ts';
import {
  copiesFolder,
  type CopyRecord,
  findRecord,
  findRecords,
  FOLDER,
  type FoundRecord,
  REMOVED,
  writeRecord,
} from './copyRecord.ts';
import { removeWorktree, type Repository, repositoryAt, worktreeFolder } from './gitWorktree.ts';
import { fillCopy, MAX_KEPT_BYTES, stampOf } from './makeCopy.ts';
import { removeFolder } from './removeFolder.ts';
import { workersIn } from './workersIn.ts';

/** In the folder of a copy: the files of the thread. */
const WORK = 'work';
/** Milliseconds of work on the event loop at a time. */
const PIECE_MS = 4;
/** A folder without a record was left by a crash, or its record is about to be written. */
const YOUNG_MS = 60_000;

export interface SideCopiesDeps {
  /** TILLER_HOME. */
  readonly home: string;
  readonly locks: Pick<Locks, 'acquire'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log?: Pick<Log, 'warn'>;
}

type CopiedFolder = CopyRecord['folders'][number];

interface PlannedFolder {
  readonly repository: Repository | undefined;
  readonly folder: CopiedFolder;
}

export class SideCopies implements SideCopyStore {
  readonly #deps: SideCopiesDeps;
  #known: ReadonlyMap<string, FoundRecord> | undefined;

  constructor(deps: SideCopiesDeps) {
    this.#deps = deps;
  }

  get all(): readonly SideCopy[] {
    const records = [...this.#records.values()].flatMap((found) => (found.type === 'record' ? found.record : []));
    const ready = records.filter(({ state }) => state === 'ready');
    return ready.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1)).map(copyOf);
  }

  get unreadable(): readonly UnreadableCopy[] {
    return [...this.#records].flatMap(([folder, found]) =>
      found.type === 'unreadable' ? [{ folder, problem: found.problem }] : [],
    );
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

  async changedBy(threadId: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const copy = this.of(threadId);
    return copy && (await this.changes(copy.id, signal)).map(({ home }) => home);
  }

  reload(): void {
    this.#known = undefined;
  }

  async make({ roots: given, links, unsaved, signal, progress }: MakeOptions): Promise<MadeCopy> {
    signal.throwIfAborted();
    const roots = outermost(given);
    const id = randomBytes(6).toString('hex');
    const folder = this.#folderOf(id);
    await makePrivateFolder(folder);
    const real = realOf(folder);
    const names = namesFor(roots);
    const planned: PlannedFolder[] = [];
    for (const [index, home] of roots.entries()) {
      const repository = await repositoryAt(home, pauses(signal));
      const gitFolder = repository === undefined ? null : worktreeFolder(repository, `tiller-${id}${index || ''}`);
      const kind = repository === undefined ? ('plain' as const) : ('worktree' as const);
      const copy = path.join(real, WORK, names[index] ?? '');
      planned.push({ repository, folder: { home, copy, kind, gitFolder, head: repository?.head ?? null } });
    }
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
      const { links: linked, folders } = filled;
      const ready: CopyRecord = { ...record, state: 'ready', links: linked, folders };
      await writeRecord(folder, ready);
      this.reload();
      return { copy: copyOf(ready), skipped: filled.skipped };
    } catch (error) {
      await this.#destroy(record);
      throw error;
    }
  }

  async #fill(
    planned: readonly PlannedFolder[],
    given: Pick<MakeOptions, 'links' | 'unsaved' | 'signal' | 'progress'> & { readonly folder: string },
  ): Promise<{ links: string[]; skipped: string[]; folders: CopiedFolder[] }> {
    const base = new BaseWriter(given.folder);
    const links: string[] = [];
    const skipped: string[] = [];
    const folders: CopiedFolder[] = [];
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
        folders.push(filled.isWorktree ? folder : { ...folder, kind: 'plain', gitFolder: null, head: null });
      }
    } finally {
      base.close();
    }
    return { links, skipped, folders };
  }

  async assign(id: string, threadId: string): Promise<void> {
    await this.#update(id, (record) => ({ ...record, threadId }));
  }

  async changes(id: string, signal: AbortSignal): Promise<readonly CopyChange[]> {
    return (await this.losses(id, signal)).changes;
  }

  async losses(id: string, signal: AbortSignal): Promise<CopyLosses> {
    return lossesInCopy(this.#folderOf(id), this.#recordOf(id), pauses(signal));
  }

  async baseContent(id: string, base: BaseFile | undefined): Promise<Uint8Array | undefined> {
    return base && readKept(this.#folderOf(id), base);
  }

  async content(place: string, maxBytes: number): Promise<Uint8Array | undefined> {
    using files = new CopyFiles();
    return files.read(place, maxBytes)?.bytes;
  }

  async settle(id: string, files: readonly SettledFile[]): Promise<void> {
    const writer = new BaseWriter(this.#folderOf(id));
    try {
      for (const file of files) writer.add(file.change.copy, entryAfter(file, writer));
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

  async remove(id: string, { threads = [], agrees }: RemoveOptions = {}): Promise<RemoveResult> {
    const { threadId } = this.#recordOf(id);
    const names = new Set([copyLock(id), ...threads, ...(threadId === null ? [] : [threadId])]);
    let mayRemove = true;
    const isAlone = await this.#holding([...names], async () => {
      mayRemove = agrees === undefined || (await agrees(await this.losses(id, new AbortController().signal)));
      if (mayRemove) await this.#destroy(this.#recordOf(id));
    });
    if (!isAlone) return 'in_use';
    return mayRemove ? 'removed' : 'kept';
  }

  alone(id: string, act: () => Promise<unknown>): Promise<boolean> {
    return this.#holding([copyLock(id)], act);
  }

  /** False where another one holds one of the locks. */
  async #holding(names: readonly string[], act: () => Promise<unknown>): Promise<boolean> {
    const held: HeldLock[] = [];
    try {
      for (const name of names) {
        const attempt = await this.#deps.locks.acquire(name);
        if (attempt.type === 'owned') return false;
        held.push(attempt.lock);
      }
      await act();
      return true;
    } finally {
      for (const lock of held) await lock.release();
    }
  }

  async sweep(threads: ThreadsOfCopies): Promise<void> {
    for (const id of namesIn(copiesFolder(this.#home))) await this.#sweepOne(id, threads).catch(() => {});
    this.reload();
  }

  async #sweepOne(id: string, threads: ThreadsOfCopies): Promise<void> {
    const folder = this.#folderOf(id);
    if (id.startsWith(REMOVED)) return removeFolder(realOf(folder), pauses());
    const found = findRecord(folder);
    if (found.type === 'unreadable') {
      this.#deps.log?.warn('A side copy cannot be read and is left as it is', { folder, problem: found.problem });
      return;
    }
    if (found.type === 'none') {
      const hasWork = lstatSync(path.join(folder, WORK), { throwIfNoEntry: false }) !== undefined;
      const isOld = Date.now() - (await stat(folder)).mtimeMs > YOUNG_MS;
      if (isOld && !hasWork) await rm(folder, { recursive: true, force: true });
      return;
    }
    const { record } = found;
    if (isRunning(record.owner)) return;
    const { ids, where } = await workersIn(record, threads);
    if (record.state === 'ready' && where === 'listed') return;
    await this.#holding([copyLock(id), ...ids], async () => {
      // Before the locks were held, another process may have worked in the copy, or forked or restored a thread of it.
      const now = findRecord(folder);
      if (now.type !== 'record' || isRunning(now.record.owner)) return;
      const workers = await workersIn(now.record, threads);
      if (workers.ids.some((threadId) => !ids.includes(threadId))) return;
      if (now.record.state === 'ready') {
        if (workers.where === 'listed') return;
        const mayLose = workers.where === 'gone' ? isOnlyIgnored : isNothing;
        if (!mayLose(await lossesInCopy(folder, now.record, pauses()))) return;
      }
      await this.#destroy(now.record);
    });
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
    await removeFolder(realOf(removed), pauses());
  }

  async #update(id: string, change: (record: CopyRecord) => CopyRecord): Promise<void> {
    await writeRecord(this.#folderOf(id), change(this.#recordOf(id)));
    this.reload();
  }

  #recordOf(id: string): CopyRecord {
    const folder = this.#folderOf(id);
    const known = this.#records.get(folder);
    const found = known?.type === 'record' ? known : findRecord(folder);
    if (found.type === 'record') return found.record;
    const problem = found.type === 'none' ? 'is gone' : `cannot be read: ${found.problem}`;
    throw new CopyRefused(`This side copy ${problem}.`);
  }

  #folderOf(id: string): string {
    return path.join(copiesFolder(this.#home), id);
  }

  /** By folder. */
  get #records(): ReadonlyMap<string, FoundRecord> {
    this.#known ??= findRecords(this.#home);
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

function copyLock(id: string): string {
  return `copy-${id}`;
}

/** Without folders inside another one, which are copied as part of it. */
function outermost(roots: readonly string[]): readonly string[] {
  const different = [...new Set(roots)];
  return different.filter((root) => !different.some((other) => other !== root && isBelow(root, other)));
}

/** Each once, on disks too that ignore case: two folders of a workspace may have one name. */
function namesFor(roots: readonly string[]): readonly string[] {
  const names = new Set<string>();
  return roots.map((root) => {
    const name = path.basename(root) || 'workspace';
    let unique = name;
    for (let count = 2; names.has(unique.toLowerCase()); count++) unique = `${name}-${count}`;
    names.add(unique.toLowerCase());
    return unique;
  });
}

/** Throws the signal's reason. */
function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  const pause = pauseEvery(PIECE_MS, () => setImmediate());
  return () => {
    signal?.throwIfAborted();
    return pause();
  };
}

function entryAfter({ change, base, mode: kept }: SettledFile, writer: BaseWriter): BaseEntry | null {
  const { copy, result } = change;
  const mode = kept ?? (result.type === 'file' ? result.mode : 0o644);
  if (base.type === 'bytes') {
    return { type: 'file', hash: contentHash(base.bytes), mode, at: writer.keep(base.bytes), stamp: null };
  }
  if (base.type === 'base') return change.base?.type === 'file' ? { ...change.base, mode, stamp: null } : null;
  if (result.type !== 'file') return null;
  using files = new CopyFiles();
  const read = files.read(copy, MAX_KEPT_BYTES);
  // The agent may have written it since it was compared: then it differs from this base.
  if (read === undefined || contentHash(read.bytes) !== result.hash) {
    return { type: 'file', hash: result.hash, mode, at: null, stamp: null };
  }
  return { type: 'file', hash: result.hash, mode, at: writer.keep(read.bytes), stamp: stampOf(read.stats) };
}
