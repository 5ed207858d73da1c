/** The Workspace port on disk: for the CLI and for files that no editor has open. */
import { readFileSync, statSync, type Dirent } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { toWorkspaceError, WorkspaceError, type DirectoryEntry, type FileStat, type Workspace } from '../core/ports.ts';
import { abortable } from '../core/util/abort.ts';
import { isMissing } from './errors.ts';
import { land, type LandingOptions } from './landing.ts';
import { MAX_TEXT_BYTES } from './landing/limits.ts';
import { decodeText } from '../core/util/textBytes.ts';

export interface DiskWorkspaceOptions extends LandingOptions {
  readonly roots: readonly string[];
}

export function createDiskWorkspace({ roots, ...landing }: DiskWorkspaceOptions): Workspace {
  return {
    roots,
    async read(path, signal) {
      const decoded = decodeText(await readFileBytes(path, MAX_TEXT_BYTES, signal));
      if (decoded === undefined) {
        throw new WorkspaceError('not_text', path, `${path} is not text: it is binary or not encoded as UTF-8.`);
      }
      return { text: decoded.text, source: 'disk', dirty: false };
    },
    readBytes: (path, options) => readFileBytes(path, options?.maxBytes ?? MAX_TEXT_BYTES, options?.signal),
    stat: statPath,
    realPath: realPathOf,
    list: listDirectory,
    apply: (changes, signal) => land(changes, landing, signal),
    // What is on the disk is saved.
    unsavedLandings: () => [],
    save: async () => [],
  };
}

async function readFileBytes(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const reading = readWithin(path, maxBytes);
  // The disk cannot be interrupted; whoever asked need not wait for it.
  return signal === undefined ? reading : abortable(reading, signal);
}

const SMALL_FILE = 256 * 1024;

async function readWithin(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new WorkspaceError('is_directory', path, `${path} is a directory.`);
    // Reading a pipe or a device might never end.
    if (!stats.isFile()) throw new WorkspaceError('io', path, `${path} is a device, a pipe or a socket.`);
    if (stats.size > maxBytes) {
      throw new WorkspaceError('too_large', path, `${path} has ${stats.size} bytes; the limit is ${maxBytes}.`);
    }
    // Through the thread pool a small file takes ten times as long, and a patch may read hundreds.
    return stats.size <= SMALL_FILE ? readFileSync(path) : await readFile(path);
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

async function statPath(path: string): Promise<FileStat | undefined> {
  try {
    const link = await lstat(path);
    const symbolicLink = link.isSymbolicLink();
    const target = symbolicLink ? await stat(path).catch(() => link) : link;
    const type = target.isFile() ? 'file' : target.isDirectory() ? 'directory' : 'other';
    return { type, symbolicLink, size: target.size, modifiedAt: target.mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toWorkspaceError(error, path);
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
