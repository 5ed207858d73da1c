/** Fills a side copy with the files of the workspace: tracked files, and untracked ones that are not ignored. */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { contentHash } from '../../core/baseline/contentHash.ts';
import { CopyRefused } from '../../core/sideCopies/sideCopy.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { isBelow, pathBelow } from '../../core/util/pathBelow.ts';
import { type FolderFacts, FolderScan, statOf } from '../baseline/folderScan.ts';
import { NO_LINK } from '../host/openFlags.ts';
import type { BaseEntry, BaseWriter, CopyStamp } from './copyBase.ts';
import { readUpTo } from './copyFiles.ts';
import { type IndexedFile, indexWith, isAsIndexed } from './gitIndex.ts';
import { addWorktree, type Repository } from './gitWorktree.ts';
import { textsAboveHome } from './homeRules.ts';

/** Above this only the hash of a file's content is kept, as for undo (design decision 7). */
export const MAX_KEPT_BYTES = 1024 * 1024;

export interface FillOptions {
  /** Folder of the workspace, and the folder that is made of it. */
  readonly home: string;
  readonly copy: string;
  /** TILLER_HOME, which is left out where it lies in the workspace. */
  readonly tillerHome: string;
  readonly repository: Repository | undefined;
  readonly gitFolder: string | null;
  /** See `MakeOptions`. */
  readonly links: readonly string[];
  /** Unsaved text, by path in the workspace. */
  readonly unsaved: ReadonlyMap<string, Uint8Array>;
  readonly base: BaseWriter;
  /** Yields to other work of the process; call it often. @throws the reason of the user's cancellation */
  readonly pause: () => Promise<void> | undefined;
  readonly progress: (done: number, total: number) => void;
}

export interface Filled {
  /** Absolute paths in the copy. */
  readonly links: readonly string[];
  /** Files of the workspace that could not be read. */
  readonly skipped: readonly string[];
  /** Folders of the workspace with a git repository of their own, such as submodules: plain files in the copy. */
  readonly repositories: readonly string[];
  /** Git knows the copy. False also where its repository cannot be written. */
  readonly isWorktree: boolean;
}

/** @throws CopyRefused, the error of the disk, or the error of `pause` */
export async function fillCopy(options: FillOptions): Promise<Filled> {
  const { home, copy, repository, gitFolder, unsaved, pause, progress } = options;
  const found = await filesIn(options);
  const indexed = new Map(repository?.index.files.map((file) => [file.path, file]));
  const behindLink = linksOnTheWay(home);
  const isLinked = (below: string) =>
    found.links.some((link) => pathBelow(link, below) !== undefined) || behindLink(path.dirname(below));
  // Tracked files that are ignored. One behind a link is no file of the repository any more.
  for (const name of indexed.keys()) {
    await pause();
    const below = name.split('/').join(path.sep);
    if (!isLinked(below) && statOf(path.join(home, below))?.isDirectory() === false) found.files.add(below);
  }
  for (const place of unsaved.keys()) {
    const below = pathBelow(home, place);
    // The document was never saved.
    if (below !== undefined && !isLinked(below) && statOf(place) === undefined) found.files.add(below);
  }
  mkdirSync(copy, { recursive: true });
  for (const folder of found.folders) {
    await pause();
    mkdirSync(path.join(copy, folder), { recursive: true });
  }
  const unchanged: [IndexedFile, BigIntStats][] = [];
  const skipped: string[] = [...found.unnameable];
  let done = 0;
  for (const below of found.files) {
    const wait = pause();
    if (wait !== undefined) {
      progress(done, found.files.size);
      await wait;
    }
    done++;
    const from = path.join(home, below);
    const to = path.join(copy, below);
    if (!isBelow(to, copy) || to === copy) throw new CopyRefused(`${from} is not in ${home}.`);
    const entry = indexed.get(below.split(path.sep).join('/'));
    const stats = entry === undefined || unsaved.has(from) ? undefined : bigStatOf(from);
    const isUnchanged = entry !== undefined && stats !== undefined && isAsIndexed(entry, stats);
    const made = await copyOne(from, to, options);
    if (made === 'gone') continue;
    if (made === 'unreadable') {
      skipped.push(from);
      continue;
    }
    if (made === undefined) continue;
    options.base.add(to, made);
    const copied = isUnchanged ? bigStatOf(to) : undefined;
    if (isUnchanged && copied !== undefined) unchanged.push([entry, copied]);
  }
  progress(done, found.files.size);
  const links = found.links.map((below) => linkTo(path.join(home, below), path.join(copy, below)));
  const isWorktree =
    repository !== undefined &&
    gitFolder !== null &&
    addWorktree(gitFolder, copy, repository.head, await indexWith(repository.index, unchanged, pause));
  return { links, skipped, repositories: found.repositories, isWorktree };
}

/** Paths from the folder. */
async function filesIn({ home, tillerHome, links, pause }: FillOptions) {
  const folders = new Map<string, FolderFacts>();
  const files = new Set<string>();
  const linked: string[] = [];
  const unnameable: string[] = [];
  const walk = new FolderScan(home, [tillerHome], textsAboveHome).walk(folders);
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) {
    await pause();
    const below = path.relative(home, step.value.path);
    if (step.value.isUnnameable) unnameable.push(step.value.path);
    else if (!step.value.isIgnored) files.add(below);
    else if (isNamed(below, links)) linked.push(below);
  }
  if (step.value === 'too_many') {
    throw new CopyRefused(`${home} has more than 200,000 files that are not ignored: no side copy is made of it.`);
  }
  const below = [...folders.keys()].map((folder) => path.relative(home, folder));
  return { files, links: linked, unnameable, folders: below, repositories: repositoriesIn(folders.keys(), home) };
}

/** Returns the folders that have a git repository of their own, without the outermost one. */
export function repositoriesIn(folders: Iterable<string>, outermost: string): readonly string[] {
  return [...folders].filter((folder) => folder !== outermost && statOf(path.join(folder, '.git')) !== undefined);
}

/** Returns a function that returns true if a folder, given from `home`, is a link or is reached through one. */
function linksOnTheWay(home: string): (folder: string) => boolean {
  const known = new Map([['.', false]]);
  const isLink = (folder: string): boolean => {
    const found =
      known.get(folder) ?? (isLink(path.dirname(folder)) || statOf(path.join(home, folder))?.isSymbolicLink() === true);
    known.set(folder, found);
    return found;
  };
  return isLink;
}

function isNamed(below: string, links: readonly string[]): boolean {
  return links.some((link) => path.normalize(link) === below || link === path.basename(below));
}

function linkTo(target: string, place: string): string {
  mkdirSync(path.dirname(place), { recursive: true });
  symlinkSync(target, place);
  return place;
}

/** `undefined` for a socket or a device, which is left out. */
async function copyOne(
  from: string,
  to: string,
  { home, copy, unsaved, base }: FillOptions,
): Promise<BaseEntry | 'gone' | 'unreadable' | undefined> {
  const stats = statOf(from);
  const live = unsaved.get(from);
  if (live !== undefined) return write(to, live, stats === undefined ? 0o644 : stats.mode & 0o777, base);
  if (stats === undefined) return 'gone';
  mkdirSync(path.dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) return copyLink(from, to, { home, copy });
  if (!stats.isFile()) return undefined;
  try {
    if (stats.size > MAX_KEPT_BYTES) return await copyLong(from, to, stats);
    const bytes = readAll(from, stats.size);
    return bytes === undefined ? await copyLong(from, to, stats) : write(to, bytes, stats.mode & 0o777, base);
  } catch (error) {
    if (isMissing(error)) return 'gone';
    if (CANNOT_READ.has((error as NodeJS.ErrnoException).code ?? '')) return 'unreadable';
    throw error;
  }
}

const CANNOT_READ: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ELOOP']);

/** A link to a place in the workspace leads to the same place in the copy. */
function copyLink(from: string, to: string, { home, copy }: Pick<FillOptions, 'home' | 'copy'>): BaseEntry {
  const target = readlinkSync(from);
  const inside = path.isAbsolute(target) ? pathBelow(home, target) : undefined;
  const mapped = inside === undefined ? target : path.join(copy, inside);
  symlinkSync(mapped, to);
  return { type: 'link', target: mapped };
}

/** `undefined` when it has grown. */
function readAll(from: string, size: number): Buffer | undefined {
  const file = openSync(from, constants.O_RDONLY | NO_LINK);
  try {
    return readUpTo(file, size);
  } finally {
    closeSync(file);
  }
}

function write(to: string, bytes: Uint8Array, mode: number, base: BaseWriter): BaseEntry {
  mkdirSync(path.dirname(to), { recursive: true });
  const file = openSync(to, 'wx', mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    // The mode for a new file is masked by that of the process.
    fchmodSync(file, mode);
    return { type: 'file', hash: contentHash(bytes), mode, at: base.keep(bytes), stamp: stampOf(fstatSync(file)) };
  } finally {
    closeSync(file);
  }
}

/** The hash is of the bytes that the copy holds, also when another program writes to the original during the copy. */
async function copyLong(from: string, to: string, { mode }: Stats): Promise<BaseEntry> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  chmodSync(to, mode & 0o777);
  const stamp = stampOf(lstatSync(to));
  return { type: 'file', hash: await hashOfFile(to), mode: mode & 0o777, at: null, stamp };
}

/** Returns the SHA-256 in hexadecimal. Rejects with the error of the system. */
export async function hashOfFile(place: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(place)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Two equal stamps mean that the file has not been written in between. */
export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): CopyStamp {
  return { size, modifiedAt: mtimeMs, changedAt: ctimeMs, inode: ino };
}

/** `undefined` where it is gone. */
function bigStatOf(place: string): BigIntStats | undefined {
  return lstatSync(place, { bigint: true, throwIfNoEntry: false });
}
