/** The differences between a side copy and its base. */
import { accessSync, constants, type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CopyChange, CopyLosses, CopyState } from '../../core/sideCopies/sideCopy.ts';
import { errorCode } from '../../core/util/fileErrors.ts';
import { type FolderFacts, FolderScan, statOf } from '../baseline/folderScan.ts';
import { type BaseEntry, type CopyStamp, readBase } from './copyBase.ts';
import { CopyFiles } from './copyFiles.ts';
import type { CopyRecord } from './copyRecord.ts';
import { commitsIn } from './gitWorktree.ts';
import { rulesOf, textsAboveHome } from './homeRules.ts';
import { repositoriesIn, stampOf } from './makeCopy.ts';
import { append } from '../../core/util/append.ts';

interface Scan {
  readonly files: CopyFiles;
  readonly base: ReadonlyMap<string, BaseEntry>;
  readonly record: CopyRecord;
  /** Called between files, so that a long scan can wait or end. */
  readonly pause: () => Promise<void> | undefined;
  readonly maxFiles: number | undefined;
}

/** `changes` sorted by path. Rejects with the error of the disk, or the error of `pause`. */
export async function lossesInCopy(
  folder: string,
  record: CopyRecord,
  pause: () => Promise<void> | undefined,
  maxFiles?: number,
): Promise<CopyLosses> {
  using files = new CopyFiles();
  const base = await readBase(folder, pause);
  const scan: Scan = { files, base, record, pause, maxFiles };
  const changes = await changesOfBase(scan);
  const ignored: string[] = [];
  const unread: string[] = [];
  const repositories: string[] = [];
  let isPartial = false;
  for (const copied of record.folders) {
    const found = await newFilesIn(copied, scan);
    append(changes, found.changes);
    append(ignored, found.ignored);
    append(unread, found.unread);
    append(repositories, found.repositories);
    isPartial ||= found.isPartial;
  }
  return {
    changes: changes.toSorted((one, other) => (one.copy < other.copy ? -1 : 1)),
    ignored,
    commits: record.folders.flatMap(({ gitFolder, head }) => (gitFolder === null ? [] : commitsIn(gitFolder, head))),
    isPartial,
    unread,
    repositories,
  };
}

/** The files of the base that the copy has changed or removed. */
async function changesOfBase({ files, base, record, pause }: Scan): Promise<CopyChange[]> {
  const changes: CopyChange[] = [];
  for (const [copy, entry] of base) {
    await pause();
    const result = await stateOf(files, copy, entry);
    if (result !== 'same') changes.push({ home: homeOf(copy, record), copy, base: entry, result });
  }
  return changes;
}

/** Files and repositories of one folder of the copy that are not in the base, and those that cannot be read. */
async function newFilesIn(
  { home, copy, gitFolder }: CopyRecord['folders'][number],
  { files, base, record, pause, maxFiles }: Scan,
): Promise<Omit<CopyLosses, 'commits'> & { readonly changes: readonly CopyChange[] }> {
  const changes: CopyChange[] = [];
  const ignored: string[] = [];
  const unread: string[] = [];
  const isLeftOut = rulesAbove(home);
  const walked = new Map<string, FolderFacts>();
  const walk = new FolderScan(copy, record.links, undefined, maxFiles).walk(walked);
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) {
    const { path: place, isIgnored, isUnnameable } = step.value;
    await pause();
    if (isUnnameable) {
      unread.push(place);
      continue;
    }
    if (base.has(place)) continue;
    if (isIgnored || isLeftOut(homeOf(place, record))) {
      if (await holdsNewFile(place, base, record.links, pause)) ignored.push(place);
      continue;
    }
    const result = await stateOf(files, place, undefined);
    if (result !== 'same' && result.type !== 'absent') {
      changes.push({ home: homeOf(place, record), copy: place, base: undefined, result });
    }
  }
  append(
    unread,
    [...walked.keys()].filter((place) => !mayBeRead(place)),
  );
  // The `.git` of the worktree is Tiller's.
  const repositories = repositoriesIn(walked.keys(), gitFolder === null ? '' : copy);
  return { changes, ignored, unread, repositories, isPartial: step.value === 'too_many' };
}

/** Returns the place in the workspace that corresponds to one in the copy. */
function homeOf(place: string, { folders }: CopyRecord): string {
  const root = folders.find(({ copy }) => place.startsWith(`${copy}${path.sep}`));
  return root === undefined ? place : path.join(root.home, path.relative(root.copy, place));
}

/** Returns true if all files in a folder can be found. */
function mayBeRead(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Resolves to true if a file, or one at any depth of a folder, is not in the base. Links are not counted. True also for
 * a folder that cannot be read: it may contain some.
 */
async function holdsNewFile(
  place: string,
  base: ReadonlyMap<string, BaseEntry>,
  links: readonly string[],
  pause: () => Promise<void> | undefined,
): Promise<boolean> {
  if (statOf(place)?.isDirectory() !== true) return statOf(place)?.isFile() === true;
  const queue = [place];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (!mayBeRead(at)) return true;
    for (const entry of entriesIn(at)) {
      await pause();
      const inner = path.join(at, entry.name);
      if (links.includes(inner)) continue;
      if (entry.isDirectory()) queue.push(inner);
      else if (entry.isFile() && !base.has(inner)) return true;
    }
  }
  return false;
}

/** The rules of the workspace that are in no file of the copy. */
function rulesAbove(home: string): (place: string) => boolean {
  const rules = rulesOf(home, textsAboveHome(home));
  return (place) => {
    for (let at = place, isFolder = false; at !== home; at = path.dirname(at), isFolder = true) {
      if (rules.ignores(at, isFolder ? 'directory' : 'file')) return true;
      if (at === path.dirname(at)) return false;
    }
    return false;
  };
}

async function stateOf(files: CopyFiles, place: string, entry: BaseEntry | undefined): Promise<CopyState | 'same'> {
  const stats = files.stats(place);
  if (stats === 'unreachable') return { type: 'other' };
  if (stats === undefined || stats.isDirectory()) return { type: 'absent' };
  if (stats.isSymbolicLink()) {
    return entry?.type === 'link' && files.target(place) === entry.target ? 'same' : { type: 'other' };
  }
  if (!stats.isFile()) return { type: 'other' };
  const mode = stats.mode & 0o777;
  if (entry?.type === 'file' && entry.mode === mode && isSameStamp(entry.stamp ?? null, stampOf(stats))) return 'same';
  const hash = await files.hash(place).catch(undefinedWhereUnreadable);
  if (hash === undefined) return { type: 'other' };
  if (entry?.type === 'file' && entry.hash === hash && entry.mode === mode) return 'same';
  return { type: 'file', hash, mode, size: stats.size };
}

/** Returns undefined for the error of a file whose permission bits a command has removed; rethrows any other. */
function undefinedWhereUnreadable(error: unknown): undefined {
  if (!['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
  return undefined;
}

function isSameStamp(known: CopyStamp | null, now: CopyStamp): boolean {
  return (
    known !== null &&
    known.size === now.size &&
    known.modifiedAt === now.modifiedAt &&
    known.changedAt === now.changedAt &&
    known.inode === now.inode
  );
}

/** Bytes on the disk of a folder; links are not followed. */
export async function sizeOfFolder(folder: string, pause: () => Promise<void> | undefined): Promise<number> {
  let bytes = 0;
  const queue = [folder];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const entry of entriesIn(at)) {
      await pause();
      const place = path.join(at, entry.name);
      if (entry.isDirectory()) queue.push(place);
      else bytes += lstatSync(place, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return bytes;
}

function entriesIn(folder: string): readonly Dirent[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
