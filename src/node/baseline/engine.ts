/** Scans workspace folders and keeps their contents. Runs in a worker, or in pieces beside everything else. */
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BaselineStore, Look, LookedChange, LookLimits, RecordedFile } from '../../core/ports.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import type { FileState } from '../../protocol/baseline.ts';
import { Blobs } from './blobs.ts';
import { compareLooks, goneEntries, type Looks } from './compareLooks.ts';
import { factsOf, type FolderFacts, FolderScan, type FoundFile, statOf } from './folderScan.ts';
import { type IndexEntry, isIgnored, isUnchanged, leftOut, newEntry } from './indexEntry.ts';
import { type IndexLine, IndexLog } from './indexLog.ts';
import { type KeepOptions, keepState } from './keepState.ts';
import { MAX_CAPTURED_BYTES, MAX_FILE_BYTES } from './readUnchanged.ts';
import { Collector, Room } from './room.ts';

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
  readonly room: Room;
  readonly keep: KeepOptions;
  /** There was no room for a content. */
  hasNoRoom: boolean;
  /** The entries of all folders when it began, and those that were gone by then. */
  readonly before: readonly ReadonlyMap<string, IndexEntry>[];
}

const NOTHING = { changes: [], newFolders: [], goneFolders: [] };

export class BaselineEngine implements Omit<BaselineStore, 'dispose'> {
  readonly #options: EngineOptions;
  readonly #blobs: Blobs;
  readonly #roots = new Map<string, Root>();
  readonly #collector: Collector;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EngineOptions) {
    this.#options = options;
    const { home } = options;
    this.#blobs = new Blobs(join(home, 'baselines', 'blobs'));
    this.#collector = new Collector({ home, blobs: this.#blobs, live: () => this.#liveHashes() });
  }

  look(roots: readonly string[], limits: LookLimits): Promise<Look> {
    return this.#inSequence(async () => {
      const looks: Look[] = [];
      const looking = this.#looking(limits);
      for (const root of roots) looks.push(await this.#lookAt(root, looking));
      const problems = looks.flatMap(({ problem }) => problem ?? []);
      this.#collector.collectWhenDue(limits.maxBytes);
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

  #looking({ maxBytes }: LookLimits): Looking {
    const blobs = this.#blobs;
    const room = new Room({ home: this.#options.home, blobs, collector: this.#collector, maxBytes });
    const keep = { blobs, maxBytes: MAX_FILE_BYTES, hasRoomFor: (bytes: Uint8Array) => room.isFor(bytes) };
    const before = [...this.#roots.values()].flatMap(({ entries, gone }) => [entries, gone]);
    return { room, keep, hasNoRoom: false, before };
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
    const isSame = known !== undefined && isUnchanged(known, stats);
    if (isSame && ignored === isIgnored(known.state) && looking.room.keeps(known.state)) return known;
    if (found.isUnnameable) return newEntry(leftOut('name', stats), stats);
    const state = ignored ? leftOut('ignored', stats) : keepState(path, stats, looking.keep);
    if (state === undefined) return undefined;
    if (state.type === 'left_out' && state.reason === 'no_room') looking.hasNoRoom = true;
    return newEntry(state, stats);
  }

  #captureOne(path: string): FileState {
    const stats = statOf(path);
    const [root] = [...this.#roots].filter(([folder]) => isBelow(path, folder)).map(([, known]) => known);
    const keep = { blobs: this.#blobs, maxBytes: MAX_CAPTURED_BYTES };
    const state = (stats && keepState(path, stats, keep)) ?? { type: 'absent' };
    const tracked = root?.entries.get(path);
    // Ignored and large files are left to the next look, which would find another state for them.
    if (root !== undefined && !root.isNew && (tracked === undefined || !isIgnored(tracked.state))) {
      this.#save(root, enterCapture(root, { path, state, stats }));
    }
    return state;
  }

  /** Saves the entries of a root, whole or by the lines that changed. A failure only costs the next process time. */
  #save({ log, entries, folders }: Root, lines: readonly IndexLine[] | 'all'): void {
    try {
      log.save({ entries, folders: new Set(folders.keys()) }, lines);
    } catch {
      // As on a full disk.
    }
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
function enterCapture(
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
    if (known === undefined || !isUnchanged(known, stats)) lines.push([path, entry]);
  }
  return lines;
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
