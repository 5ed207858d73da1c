/** Scans workspace folders and keeps their contents. Runs in a worker, or in pieces beside everything else. */
import { readlinkSync, type Stats, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentHash } from '../../core/baseline/contentHash.ts';
import type { BaselineStore, Look, LookedChange, LookLimits, RecordedFile } from '../../core/ports.ts';
import { errorCode } from '../../core/util/fileErrors.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import type { FileState, LeftOutReason } from '../../protocol/baseline.ts';
import { Blobs } from './blobs.ts';
import { collectGarbage } from './collectGarbage.ts';
import { compareLooks, goneEntries, type Looks } from './compareLooks.ts';
import { factsOf, type FolderFacts, FolderScan, type FoundFile, statOf, TICK_MS } from './folderScan.ts';
import { type IndexEntry, type IndexLine, IndexLog, isIgnored } from './indexLog.ts';
import { MAX_CAPTURED_BYTES, MAX_FILE_BYTES, readUnchanged } from './readUnchanged.ts';

/** Fraction of the limit above which files that did not fit are not tried again. */
const NEARLY_FULL = 0.9;
/** Fraction of the limit that must be written after an insufficient collection before the next one. */
const GROWTH = 0.05;
/**
 * Milliseconds after an insufficient collection until the next one in any case: young content can be removed by then.
 */
const COLLECT_AGAIN_MS = 10 * 60_000;
/** Free space of TILLER_HOME's disk that is left for other programs. */
const DISK_RESERVE_BYTES = 64 * 1024 * 1024;

export interface EngineOptions {
  /** TILLER_HOME. */
  readonly home: string;
  /** The home folder of the user, which is not recorded as a workspace. */
  readonly userHome: string;
  /** Called often during a scan. Returns a wait when other work is to get its turn. */
  readonly pause: () => Promise<void> | undefined;
}

interface Root {
  readonly scan: FolderScan;
  readonly log: IndexLog;
  entries: Map<string, IndexEntry>;
  /** `undefined` where only the index of another process names the folder. */
  folders: Map<string, FolderFacts | undefined>;
  /** No look has ended yet. */
  isNew: boolean;
  /** Entries that the last look has found no more. */
  gone: ReadonlyMap<string, IndexEntry>;
  /** When the last look of this process began, milliseconds since the epoch. */
  lookedAt: number | undefined;
}

/** A scan of a folder. */
interface Looking {
  readonly limits: LookLimits;
  hasCollected: boolean;
  hasNoRoom: boolean;
  /** Bytes that may still be written before the free space of the disk is read again. */
  checkedBytes: number;
  /** The entries of all folders when it began, and those that were gone by then. */
  readonly before: readonly ReadonlyMap<string, IndexEntry>[];
}

const NOTHING = { changes: [], newFolders: [], goneFolders: [] };

export class BaselineEngine implements Omit<BaselineStore, 'dispose'> {
  readonly #options: EngineOptions;
  readonly #blobs: Blobs;
  readonly #roots = new Map<string, Root>();
  #last: Promise<unknown> = Promise.resolve();
  /** The result of the last collection of unneeded content. */
  #collected: { readonly at: number; readonly leftBytes: number; readonly maxBytes: number } | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#blobs = new Blobs(join(options.home, 'baselines', 'blobs'));
  }

  look(roots: readonly string[], limits: LookLimits): Promise<Look> {
    return this.#inSequence(async () => {
      const looks: Look[] = [];
      const before = [...this.#roots.values()].flatMap(({ entries, gone }) => [entries, gone]);
      const looking: Looking = { limits, hasCollected: false, hasNoRoom: false, checkedBytes: 0, before };
      for (const root of roots) looks.push(await this.#lookAt(root, looking));
      const problems = looks.flatMap(({ problem }) => problem ?? []);
      if (this.#collected === undefined || this.#blobs.total > limits.maxBytes) this.#collect(limits);
      return {
        changes: looks.flatMap(({ changes }) => changes),
        newFolders: looks.flatMap(({ newFolders }) => newFolders),
        goneFolders: looks.flatMap(({ goneFolders }) => goneFolders),
        isFirst: looks.some(({ isFirst }) => isFirst),
        ...(problems[0] === undefined ? {} : { problem: problems[0] }),
      };
    });
  }

  async changedSince(roots: readonly string[], since: number): Promise<readonly RecordedFile[]> {
    return roots.flatMap((root) =>
      [...(this.#roots.get(root)?.entries ?? [])].flatMap(([path, { state, changedAt, bornAt }]) =>
        changedAt >= since && !isIgnored(state) ? [{ path, state, changedAt, bornAt }] : [],
      ),
    );
  }

  capture(paths: readonly string[]) {
    return this.#inSequence(async () => {
      const states = new Map<string, FileState>();
      for (const path of paths) {
        await this.#options.pause();
        states.set(path, this.#captureOne(path));
      }
      return states;
    });
  }

  missingFolders(paths: readonly string[]): Promise<readonly string[]> {
    const missing = new Set<string>();
    for (const path of paths) {
      // A root that is not there, as of a drive that was removed, has no folder above it.
      for (let at = dirname(path); statOf(at) === undefined && at !== dirname(at); at = dirname(at)) missing.add(at);
    }
    return Promise.resolve([...missing].toSorted());
  }

  async keep(bytes: Uint8Array, mode: number) {
    return { type: 'file' as const, hash: this.#blobs.put(bytes), size: bytes.length, mode };
  }

  async read(hash: string): Promise<Uint8Array | undefined> {
    return this.#blobs.read(hash);
  }

  async #lookAt(root: string, looking: Looking): Promise<Look> {
    if (isBelow(this.#options.userHome, root)) {
      const problem = `${root} is no project folder: what commands change there is not recorded.`;
      return { ...NOTHING, isFirst: false, problem };
    }
    const known = this.#roots.get(root) ?? this.#open(root);
    this.#roots.set(root, known);
    const entries = new Map<string, IndexEntry>();
    const folders = new Map<string, FolderFacts>();
    const begun = Date.now();
    const walk = known.scan.walk(folders);
    let step = walk.next();
    for (; step.done !== true; step = walk.next()) {
      const pause = this.#options.pause();
      if (pause !== undefined) await pause;
      const entry = this.#entryOf(step.value, known.entries.get(step.value.path), looking);
      if (entry !== undefined) entries.set(step.value.path, entry);
    }
    const isFirst = known.isNew;
    const found = isFirst ? NOTHING : compareLooks(this.#looks(known, { entries, folders }, looking));
    const lines = isFirst ? 'all' : linesSince(known, { entries, folders }, found.changes);
    known.gone = goneEntries({ before: known.entries, after: entries });
    known.entries = entries;
    known.folders = folders;
    known.isNew = false;
    known.lookedAt = begun;
    this.#save(known, lines);
    const problem = problemOf(root, step.value === 'too_many', looking.hasNoRoom);
    return { ...found, isFirst, ...(problem === undefined ? {} : { problem }) };
  }

  #looks(
    { entries: before, folders: foldersBefore, lookedAt }: Root,
    { entries: after, folders: foldersAfter }: { entries: Root['entries']; folders: ReadonlyMap<string, FolderFacts> },
    looking: Looking,
  ): Looks {
    const stateOf = (path: string, known: IndexEntry) => {
      const stats = statOf(path);
      return stats && this.#entryOf({ path, stats, isIgnored: false }, known, looking);
    };
    return { before, foldersBefore, lookedAt, after, foldersAfter, stateOf, everywhere: looking.before };
  }

  /** Continues from the index of the last process: its times show later changes. */
  #open(root: string): Root {
    const log = new IndexLog(this.#options.home, root);
    const loaded = loadOf(log);
    return {
      scan: new FolderScan(root, [this.#options.home]),
      log,
      entries: new Map(loaded?.entries),
      folders: new Map([...(loaded?.folders ?? [])].map((folder) => [folder, undefined])),
      isNew: loaded === undefined,
      gone: new Map(),
      lookedAt: undefined,
    };
  }

  /** `undefined` when it is gone by now. */
  #entryOf(found: FoundFile, known: IndexEntry | undefined, looking: Looking): IndexEntry | undefined {
    const { path, stats, isIgnored: ignored } = found;
    const isSame = known !== undefined && !known.isRacy && isUnchanged(known, stats);
    if (isSame && ignored === isIgnored(known.state) && this.#isKept(known.state, looking)) return known;
    if (found.isUnnameable) return newEntry(leftOut('name', stats), stats);
    const state = ignored ? leftOut('ignored', stats) : this.#record(path, stats, looking);
    if (state === undefined) return undefined;
    return newEntry(state, stats);
  }

  /**
   * Returns true if the entry can stay: its content is still kept, or there is still no room for it. Checked at each
   * look, because another process may have removed content.
   */
  #isKept(state: IndexEntry['state'], { limits }: Looking): boolean {
    if (state.type !== 'left_out') return this.#blobs.has(state.hash);
    return state.reason !== 'no_room' || this.#blobs.total > limits.maxBytes * NEARLY_FULL;
  }

  #record(path: string, stats: Stats, looking: Looking): IndexEntry['state'] | undefined {
    if (stats.isSymbolicLink()) return this.#linkAt(path, stats);
    if (!stats.isFile()) return leftOut('special', stats);
    if (stats.size > MAX_FILE_BYTES) return leftOut('too_large', stats);
    const read = readUnchanged(path);
    if (read === 'gone') return undefined;
    if (read === 'unreadable') return leftOut('unreadable', stats);
    if (!this.#hasRoomFor(read.bytes, looking)) {
      looking.hasNoRoom = true;
      return leftOut('no_room', stats);
    }
    const hash = this.#put(read.bytes);
    if (hash !== undefined) return { type: 'file', hash, size: read.bytes.length, mode: read.mode };
    looking.hasNoRoom = true;
    return leftOut('no_room', stats);
  }

  /** Returns true if there is room for the bytes. Without room, frees space once in a look. */
  #hasRoomFor(bytes: Uint8Array, looking: Looking): boolean {
    const { maxBytes } = looking.limits;
    const fits = () => this.#blobs.total + bytes.length <= maxBytes;
    const leavesRoom = this.#leavesRoomOnDisk(bytes.length, looking);
    if ((fits() && leavesRoom) || this.#blobs.has(contentHash(bytes))) return true;
    if (!leavesRoom) return false;
    if (looking.hasCollected) return false;
    looking.hasCollected = true;
    this.#collect(looking.limits);
    return fits();
  }

  /**
   * Returns true if the bytes leave the reserve of free space: the threads themselves are written to this disk, too.
   */
  #leavesRoomOnDisk(bytes: number, looking: Looking): boolean {
    looking.checkedBytes -= bytes;
    if (looking.checkedBytes > 0) return true;
    const free = freeBytes(this.#options.home);
    looking.checkedBytes = (free - DISK_RESERVE_BYTES) / 2;
    return looking.checkedBytes > bytes;
  }

  /** `undefined` when it is gone by now, or no link any more. */
  #linkAt(path: string, stats: Stats): Exclude<IndexEntry['state'], { type: 'file' }> | undefined {
    const bytes = targetAt(path);
    if (bytes === undefined) return undefined;
    const target = bytes.toString('utf8');
    if (!Buffer.from(target, 'utf8').equals(bytes)) return leftOut('link', stats);
    const hash = this.#put(bytes);
    return hash === undefined ? leftOut('no_room', stats) : { type: 'link', target, hash };
  }

  /** `undefined` on a full disk. */
  #put(bytes: Uint8Array): string | undefined {
    try {
      return this.#blobs.put(bytes);
    } catch (error) {
      if (NO_ROOM.has(errorCode(error) ?? '')) return undefined;
      throw error;
    }
  }

  #captureOne(path: string): FileState {
    const stats = statOf(path);
    const [root] = [...this.#roots].filter(([folder]) => isBelow(path, folder)).map(([, known]) => known);
    const state = this.#stateNow(path, stats);
    const tracked = root?.entries.get(path);
    // Ignored and large files are left to the next look, which would find another state for them.
    if (root !== undefined && !root.isNew && (tracked === undefined || !isIgnored(tracked.state))) {
      this.#save(root, linesOfCapture(root, { path, state, stats }));
    }
    return state;
  }

  #stateNow(path: string, stats: Stats | undefined): FileState {
    if (stats === undefined) return { type: 'absent' };
    if (stats.isSymbolicLink()) return this.#linkAt(path, stats) ?? { type: 'absent' };
    if (!stats.isFile()) return leftOut('special', stats);
    if (stats.size > MAX_CAPTURED_BYTES) return leftOut('too_large', stats);
    const read = readUnchanged(path);
    if (read === 'gone') return { type: 'absent' };
    if (read === 'unreadable') return leftOut('unreadable', stats);
    const hash = this.#put(read.bytes);
    return hash === undefined
      ? leftOut('no_room', stats)
      : { type: 'file', hash, size: read.bytes.length, mode: read.mode };
  }

  /** Saves the entries of a root, whole or by the lines that changed. A failure only costs the next process time. */
  #save({ log, entries, folders }: Root, lines: readonly IndexLine[] | 'all'): void {
    try {
      log.save({ entries, folders: new Set(folders.keys()) }, lines);
    } catch {
      // As on a full disk.
    }
  }

  /** Skips a collection soon after one that left more than the limit: it would read everything and free nothing. */
  #collect({ maxBytes }: LookLimits): void {
    const last = this.#collected;
    const isDue =
      last === undefined ||
      last.maxBytes !== maxBytes ||
      this.#blobs.total > last.leftBytes + maxBytes * GROWTH ||
      Date.now() - last.at > COLLECT_AGAIN_MS;
    if (!isDue || !collectGarbage(this.#options.home, this.#blobs, maxBytes, this.#liveHashes())) return;
    this.#collected = { at: Date.now(), leftBytes: this.#blobs.total, maxBytes };
  }

  *#liveHashes(): Generator<string> {
    for (const { entries } of this.#roots.values()) {
      for (const { state } of entries.values()) if (state.type !== 'left_out') yield state.hash;
    }
  }

  /** Looks and captures follow each other. */
  #inSequence<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** The lines by which a look changes the index. No line removes a folder: then the index is written anew. */
function linesSince(
  before: Pick<Root, 'folders'>,
  { entries, folders }: { readonly entries: Root['entries']; readonly folders: ReadonlyMap<string, FolderFacts> },
  changes: readonly LookedChange[],
): readonly IndexLine[] | 'all' {
  if ([...before.folders.keys()].some((folder) => !folders.has(folder))) return 'all';
  const newFolders = [...folders.keys()].filter((folder) => !before.folders.has(folder));
  return [
    ...newFolders.map((folder) => [folder] as const),
    ...changes.map(({ path }) => [path, entries.get(path) ?? null] as const),
  ];
}

/** Enters a captured state with the folders above it. Returns the lines by which that changes the index. */
function linesOfCapture(
  { entries, folders }: Root,
  { path, state, stats }: { readonly path: string; readonly state: FileState; readonly stats: Stats | undefined },
): readonly IndexLine[] {
  const lines: IndexLine[] = [];
  for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) {
    const folderStats = statOf(folder);
    if (folderStats === undefined) break;
    folders.set(folder, factsOf(folderStats));
    lines.push([folder]);
  }
  if (stats === undefined || state.type === 'absent') {
    if (entries.delete(path)) lines.push([path, null]);
  } else if (state.type !== 'file' || state.size <= MAX_FILE_BYTES) {
    const known = entries.get(path);
    const entry = newEntry(state, stats);
    entries.set(path, entry);
    if (known === undefined || known.isRacy || !isUnchanged(known, stats)) lines.push([path, entry]);
  }
  return lines;
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG']);

/** Unlimited where the system does not report it. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}

function isUnchanged(known: IndexEntry, stats: Stats): boolean {
  return (
    known.changedAt === stats.ctimeMs &&
    known.inode === stats.ino &&
    known.size === stats.size &&
    known.modifiedAt === stats.mtimeMs
  );
}

function newEntry(state: IndexEntry['state'], stats: Stats): IndexEntry {
  const { ctimeMs: changedAt, birthtimeMs, ino: inode, size, mtimeMs: modifiedAt } = stats;
  const bornAt = birthtimeMs > 0 ? birthtimeMs : null;
  return { state, changedAt, bornAt, inode, size, modifiedAt, isRacy: Date.now() - changedAt <= TICK_MS };
}

function leftOut(reason: LeftOutReason, { ino, size, ctimeMs }: Stats): Extract<FileState, { type: 'left_out' }> {
  return { type: 'left_out', reason, stamp: `${ino}:${size}:${ctimeMs}` };
}

function targetAt(path: string): Buffer | undefined {
  try {
    return readlinkSync(path, 'buffer');
  } catch {
    return undefined;
  }
}

function problemOf(root: string, hasTooMany: boolean, hasNoRoom: boolean): string | undefined {
  if (hasTooMany) return `${root} has too many files: not all of what commands change there can be undone.`;
  if (!hasNoRoom) return undefined;
  return 'There is no room left to keep what commands change: not all of it can be undone.';
}

function loadOf(log: IndexLog) {
  try {
    return log.load();
  } catch {
    return undefined;
  }
}
