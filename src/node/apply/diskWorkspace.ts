/** The Workspace port on disk: for the CLI, and for files that no editor has open. */
import {
  constants,
  fstatSync,
  lstatSync,
  openSync,
  closeSync,
  read,
  readFile as readOpenFile,
  readFileSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type HeldFolders, PlaceMoved } from '../../core/patch/placedChange.ts';
import {
  toWorkspaceError,
  WorkspaceError,
  type DirectoryEntry,
  type FilePlace,
  type FilePlaces,
  type FileStat,
  type TextFile,
  type Workspace,
} from '../../core/ports.ts';
import { abortable } from '../../core/util/abort.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import { applyPatch, type ApplyOptions } from './applyPatch.ts';
import { DiskPaths } from './canonicalPath.ts';
import { decodeFile } from './decodedFile.ts';
import { WantedLinks } from '../host/wantedLinks.ts';
import { NO_LINK } from '../host/openFlags.ts';
import { holdFolders } from './heldFolders.ts';
import { restoreFiles } from './restoreFiles.ts';
import { FILES_AT_ONCE, MAX_TEXT_BYTES } from './limits.ts';

export interface DiskWorkspaceOptions extends ApplyOptions {
  readonly roots: readonly string[];
  /** The search for hard links; one of its own if absent. */
  readonly links?: WantedLinks;
}

export function createDiskWorkspace({ roots, links = new WantedLinks(), ...options }: DiskWorkspaceOptions): Workspace {
  return {
    roots,
    async read(path, signal) {
      return textIn(await readFileBytes(path, MAX_TEXT_BYTES, signal), path, path);
    },
    readBytes: (path, options) => readFileBytes(path, options?.maxBytes ?? MAX_TEXT_BYTES, options?.signal),
    stat: statPath,
    realPath: realPathOf,
    places: placesOfPaths,
    readPlaces: readAtPlaces,
    findLinks: (files, wanted, also) => links.find(files, wanted, [...roots, ...also]),
    list: listDirectory,
    apply: (changes, signal) => applyPatch(changes, options, signal),
    // Files on the disk are always saved.
    unsavedFiles: () => [],
    save: async () => [],
    restore: (files, folders) => restoreFiles(files, folders, options),
  };
}

function textIn(bytes: Uint8Array, place: string, path: string): TextFile {
  const decoded = decodeFile(place, bytes);
  if (decoded !== undefined) return { text: decoded.text, source: 'disk', dirty: false };
  throw new WorkspaceError('not_text', path, `${path} is not text: it is binary or not encoded as UTF-8.`);
}

async function placesOfPaths(paths: readonly string[]): Promise<ReadonlyMap<string, FilePlace | WorkspaceError>> {
  const disk = new DiskPaths();
  const places = paths.map(async (path) => {
    const place = await disk.place(path).catch((error: unknown) => toWorkspaceError(error, path));
    return [path, place] as const;
  });
  return new Map(await Promise.all(places));
}

async function readAtPlaces(
  places: FilePlaces,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, TextFile | WorkspaceError>> {
  const folders = holdFolders();
  const files = new Map<string, TextFile | WorkspaceError>();
  try {
    for (const [path, { target }] of places) {
      if (files.size % FILES_AT_ONCE === 0) await setImmediate();
      signal?.throwIfAborted();
      files.set(path, await readAt(target, path, folders));
    }
  } finally {
    folders.dispose();
  }
  return files;
}

/** Never rejects: failures are returned. */
async function readAt(place: string, path: string, folders: HeldFolders): Promise<TextFile | WorkspaceError> {
  try {
    const file = openSync(folders.at(place), constants.O_RDONLY | NO_LINK);
    try {
      return textIn(await bytesOf(file, path, MAX_TEXT_BYTES), place, path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const isLink = error instanceof PlaceMoved || errorCode(error) === 'ELOOP';
    return isLink ? new WorkspaceError('moved', path, `${path} leads elsewhere now.`) : toWorkspaceError(error, path);
  }
}

/** A few milliseconds from the system's cache. */
const READ_AT_ONCE = 8 * 1024 * 1024;
const readOpen: (file: number) => Promise<Buffer> = promisify(readOpenFile);
const readPiece = promisify(read);

async function bytesOf(file: number, path: string, maxBytes: number): Promise<Uint8Array> {
  const stats = fstatSync(file);
  mustBeReadable(stats, path, maxBytes);
  if (stats.size === 0) return readUnsized(file, path, maxBytes);
  // Applying the patch reads it in the same way; through the thread pool it takes three times as long.
  return stats.size <= READ_AT_ONCE ? readFileSync(file) : readOpen(file);
}

async function readFileBytes(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const reading = readWithin(path, maxBytes);
  // The read itself cannot be cancelled; the caller need not wait for it.
  return signal === undefined ? reading : abortable(reading, signal);
}

const SMALL_FILE = 256 * 1024;

async function readWithin(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const stats = statSync(path);
    mustBeReadable(stats, path, maxBytes);
    if (stats.size === 0) return await openUnsized(path, maxBytes);
    // For a small file the thread pool takes ten times as long, and a patch may read hundreds.
    return stats.size <= SMALL_FILE ? readFileSync(path) : await readFile(path);
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

const MAX_UNSIZED_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

async function openUnsized(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = openSync(path, constants.O_RDONLY);
  try {
    return await readUnsized(file, path, maxBytes);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads an empty file, or one of the kernel: those report no size, and some never end (`/proc/self/pagemap`). In the thread
 * pool, because others wait for something to read.
 */
async function readUnsized(file: number, path: string, maxBytes: number): Promise<Uint8Array> {
  const limit = Math.min(maxBytes, MAX_UNSIZED_BYTES);
  const pieces: Buffer[] = [];
  for (let length = 0; length <= limit; ) {
    const { bytesRead, buffer } = await readPiece(file, Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, null);
    if (bytesRead === 0) return Buffer.concat(pieces);
    pieces.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  throw new WorkspaceError('too_large', path, `${path} reports no size and has more than ${limit} bytes.`);
}

function mustBeReadable(stats: Stats, path: string, maxBytes: number): void {
  if (stats.isDirectory()) throw new WorkspaceError('is_directory', path, `${path} is a directory.`);
  // Reading a pipe or a device may never end.
  if (!stats.isFile()) throw new WorkspaceError('io', path, `${path} is a device, a pipe or a socket.`);
  if (stats.size > maxBytes) {
    throw new WorkspaceError('too_large', path, `${path} has ${stats.size} bytes; the limit is ${maxBytes}.`);
  }
}

/** Synchronous, as it is asked before each command: the thread pool takes ten times as long. */
async function statPath(path: string): Promise<FileStat | undefined> {
  try {
    const link = lstatSync(path, { throwIfNoEntry: false });
    if (link === undefined) return undefined;
    const symbolicLink = link.isSymbolicLink();
    const target = (symbolicLink && targetOf(path)) || link;
    const type = target.isFile() ? 'file' : target.isDirectory() ? 'directory' : 'other';
    return { type, symbolicLink, size: target.size, modifiedAt: target.mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toWorkspaceError(error, path);
  }
}

/** `undefined` for a link that leads nowhere, or whose target may not be looked at. */
function targetOf(link: string): Stats | undefined {
  try {
    return statSync(link);
  } catch {
    return undefined;
  }
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

async function listDirectory(path: string): Promise<readonly DirectoryEntry[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, type: entryType(entry) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

function entryType(entry: Dirent): DirectoryEntry['type'] {
  if (entry.isSymbolicLink()) return 'symbolic_link';
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}
