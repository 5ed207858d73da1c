/** The differences between two looks at a folder. */
import { dirname } from 'node:path';
import { diffBaselines } from '../../core/baseline/diffBaselines.ts';
import type { Look, LookedChange } from '../../core/ports.ts';
import { type FolderFacts, statOf, TICK_MS } from './folderScan.ts';
import { type IndexEntry, isIgnored } from './indexEntry.ts';

/** The results of two looks at a folder. */
export interface Looks {
  readonly before: ReadonlyMap<string, IndexEntry>;
  readonly after: ReadonlyMap<string, IndexEntry>;
  /** `undefined` where only the index of another process names the folder. */
  readonly foldersBefore: ReadonlyMap<string, FolderFacts | undefined>;
  readonly foldersAfter: ReadonlyMap<string, FolderFacts>;
  /** When the first of the two began, milliseconds since the epoch; `undefined` for one of another process. */
  readonly lookedAt: number | undefined;
  /** The entries of all folders before, this one included, and those that were gone at the first look. */
  readonly everywhere: readonly ReadonlyMap<string, IndexEntry>[];
  /** The state of a file that the second look has not visited. */
  readonly stateOf: (path: string, known: IndexEntry) => IndexEntry | undefined;
}

/** Returns what was changed, made and removed between two looks. */
export function compareLooks(looks: Looks): Pick<Look, 'changes' | 'newFolders' | 'goneFolders'> {
  const { before, foldersBefore, foldersAfter, lookedAt } = looks;
  const changes = diffBaselines(before, withNewlyIgnored(looks))
    .map((change) => withTime(change, looks))
    .map((change) => withIgnoredBefore(change, before));
  const isGone = (folder: string) => !foldersAfter.has(folder) && statOf(folder)?.isDirectory() !== true;
  const isNew = (folder: string) => !foldersBefore.has(folder) && ignoredAbove(folder, before) === undefined;
  const found = {
    newFolders: [...foldersAfter.keys()].filter(isNew).toSorted(),
    goneFolders: [...foldersBefore]
      .filter(([folder]) => isGone(folder))
      .map(([path, facts]) => ({ path, ...(facts === undefined ? {} : { mode: facts.mode }) }))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  };
  return { changes: lookedAt === undefined ? changes : withArrivals(changes, { ...looks, lookedAt }), ...found };
}

/** A file below a folder that is ignored now is not gone, but was not visited. */
function withNewlyIgnored({ before, after, stateOf }: Looks): ReadonlyMap<string, IndexEntry> {
  const unvisited = [...before].filter(([path]) => !after.has(path) && ignoredAbove(path, after) !== undefined);
  if (unvisited.length === 0) return after;
  const all = new Map(after);
  for (const [path, known] of unvisited) {
    const entry = stateOf(path, known);
    if (entry !== undefined) all.set(path, entry);
  }
  return all;
}

/** A file below a folder that was ignored before is not new: it may have been there. */
function withIgnoredBefore(change: LookedChange, before: Looks['before']): LookedChange {
  if (change.before.type !== 'absent') return change;
  const ignored = ignoredAbove(change.path, before);
  return ignored === undefined ? change : { ...change, before: ignored.state };
}

/**
 * Returns the entries that a look has found no more. A look beside a move may miss a file at both paths, and the next one
 * finds it.
 */
export function goneEntries({ before, after }: Pick<Looks, 'before' | 'after'>): ReadonlyMap<string, IndexEntry> {
  return new Map([...before].filter(([path]) => !after.has(path)));
}

function ignoredAbove(path: string, entries: ReadonlyMap<string, IndexEntry>): IndexEntry | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const entry = entries.get(folder);
    if (entry !== undefined && isIgnored(entry.state)) return entry;
  }
  return undefined;
}

/** A file that is gone was there at most until its folder last changed. */
function withTime(change: LookedChange, { after, foldersAfter }: Looks): LookedChange {
  if (change.changedAt !== null) return change;
  const isUnvisited = ignoredAbove(change.path, after) !== undefined;
  for (let folder = dirname(change.path); folder !== dirname(folder); folder = dirname(folder)) {
    const changedAt = foldersAfter.get(folder)?.changedAt ?? (isUnvisited ? statOf(folder)?.ctimeMs : undefined);
    if (changedAt !== undefined) return { ...change, changedAt };
  }
  return change;
}

/**
 * Dates changes of files that came by a move, and marks those that came from a place whose content is not kept. Moving a
 * folder leaves the times of the files in it as they are: only the folder itself says when they came.
 */
function withArrivals(
  changes: readonly LookedChange[],
  looks: Looks & { readonly lookedAt: number },
): readonly LookedChange[] {
  const { before, after, lookedAt, everywhere } = looks;
  let recorded: ReadonlySet<number> | undefined;
  return changes.map((change) => {
    const entry = after.get(change.path);
    const isHere = entry === undefined || before.get(change.path)?.inode === entry.inode;
    if (isHere || change.changedAt === null || !isOlder(entry, lookedAt - TICK_MS)) return change;
    recorded ??= recordedInodes(everywhere);
    const isOnlyCopy = !recorded.has(entry.inode) && (statOf(change.path)?.nlink ?? 1) < 2;
    return {
      ...change,
      changedAt: Math.max(change.changedAt, arrivalOf(change.path, looks)),
      ...(isOnlyCopy ? { isOnlyCopy } : {}),
    };
  });
}

function isOlder({ changedAt, bornAt }: IndexEntry, time: number): boolean {
  return changedAt < time || (bornAt !== null && bornAt < time);
}

/** The last time at which a folder on the way was made or moved there; 0 if none was. */
function arrivalOf(path: string, { foldersBefore, foldersAfter }: Looks): number {
  let latest = 0;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const facts = foldersAfter.get(folder);
    if (facts === undefined) return latest;
    const known = foldersBefore.get(folder);
    const isOther = known === undefined ? !foldersBefore.has(folder) : known.inode !== facts.inode;
    if (isOther) latest = Math.max(latest, facts.changedAt);
  }
}

/** Returns the inodes of files whose content is kept. */
function recordedInodes(everywhere: Looks['everywhere']): ReadonlySet<number> {
  const inodes = new Set<number>();
  for (const entries of everywhere) {
    for (const { state, inode } of entries.values()) if (state.type !== 'left_out') inodes.add(inode);
  }
  return inodes;
}
