/** Side copies on disk, in `copies/` of TILLER_HOME: made, compared with their base, removed. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Clock, Locks, Log } from '../../core/ports.ts';
import {
  type BaseFile,
  copyAround,
  type CopyChange,
  type CopyLosses,
  CopyRefused,
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
import { makePrivateFolder } from '../host/privateFiles.ts';
import { thisProcess } from '../host/processIdentity.ts';
import { lossesInCopy, sizeOfFolder } from './changesInCopy.ts';
import { BaseWriter, readKept } from './copyBase.ts';
import { CopyFiles } from './copyFiles.ts';
import { namesFor, outermost, realOf, WORK } from './copyFolders.ts';
import { copyLock, holding } from './copyLocks.ts';
import {
  copiesFolder,
  type CopyRecord,
  findRecord,
  findRecords,
  FOLDER,
  type FoundRecord,
  writeRecord,
} from './copyRecord.ts';
import { destroyCopy } from './destroyCopy.ts';
import { type Repository, repositoryAt, worktreeFolder } from './gitWorktree.ts';
import { fillCopy } from './makeCopy.ts';
import { pauses } from './pauses.ts';
import { settleFiles, unsettleFiles } from './settleFiles.ts';
import { sweepCopies } from './sweepCopies.ts';
import { append } from '../../core/util/append.ts';

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
      return { copy: copyOf(ready), skipped: filled.skipped, repositories: filled.repositories };
    } catch (error) {
      await this.#destroy(record);
      throw error;
    }
  }

  async #fill(
    planned: readonly PlannedFolder[],
    given: Pick<MakeOptions, 'links' | 'unsaved' | 'signal' | 'progress'> & { readonly folder: string },
  ): Promise<{ links: string[]; skipped: string[]; repositories: string[]; folders: CopiedFolder[] }> {
    const base = new BaseWriter(given.folder);
    const links: string[] = [];
    const skipped: string[] = [];
    const repositories: string[] = [];
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
        append(links, filled.links);
        append(skipped, filled.skipped);
        append(repositories, filled.repositories);
        folders.push(filled.isWorktree ? folder : { ...folder, kind: 'plain', gitFolder: null, head: null });
      }
    } finally {
      base.close();
    }
    return { links, skipped, repositories, folders };
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
    settleFiles(this.#folderOf(id), files);
  }

  async unsettle(id: string, files: readonly Pick<CopyChange, 'copy' | 'base'>[]): Promise<void> {
    unsettleFiles(this.#folderOf(id), files);
  }

  size(id: string, signal: AbortSignal): Promise<number> {
    return sizeOfFolder(this.#folderOf(id), pauses(signal));
  }

  async remove(id: string, { threads = [], agrees }: RemoveOptions = {}): Promise<RemoveResult> {
    const { threadId } = this.#recordOf(id);
    const names = new Set([copyLock(id), ...threads, ...(threadId === null ? [] : [threadId])]);
    let mayRemove = true;
    const isAlone = await holding(this.#deps.locks, [...names], async () => {
      mayRemove = agrees === undefined || (await agrees(await this.losses(id, new AbortController().signal)));
      if (mayRemove) await this.#destroy(this.#recordOf(id));
    });
    if (!isAlone) return 'in_use';
    return mayRemove ? 'removed' : 'kept';
  }

  alone(id: string, act: () => Promise<unknown>): Promise<boolean> {
    return holding(this.#deps.locks, [copyLock(id)], act);
  }

  async sweep(threads: ThreadsOfCopies): Promise<void> {
    await sweepCopies(this.#deps, threads);
    this.reload();
  }

  #destroy(record: CopyRecord): Promise<void> {
    return destroyCopy(this.#home, record, () => this.reload());
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

  /** The records by folder. */
  get #records(): ReadonlyMap<string, FoundRecord> {
    this.#known ??= findRecords(this.#home);
    return this.#known;
  }

  get #home(): string {
    return this.#deps.home;
  }
}

function copyOf({ id, threadId, createdAt, folders }: CopyRecord): SideCopy {
  return { id, threadId, createdAt, folders: folders.map(({ home, copy, kind }) => ({ home, copy, kind })) };
}
