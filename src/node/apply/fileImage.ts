/**
 * The content of one path as a value that can be compared, journalled and restored. Uses synchronous calls: the system
 * answers them from memory in microseconds, and a call through the thread pool costs ten times that, which would be
 * most of the time that applying 500 files takes.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { type HeldFolders, PlaceMoved } from '../../core/patch/placedChange.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import { NO_LINK } from '../host/openFlags.ts';

export interface Owner {
  readonly user: number;
  readonly group: number;
}

export interface RegularFile {
  readonly type: 'file';
  readonly bytes: Uint8Array;
  /** Permission bits; `null` leaves them to the system, as for any new file. */
  readonly mode: number | null;
  readonly owner: Owner | null;
}

/** A link is stored as a link: its target is the image of another path. */
export type FileImage =
  | { readonly type: 'absent' }
  /** Permission bits for one that is made; without them the system decides. */
  | { readonly type: 'folder'; readonly mode?: number | undefined }
  | { readonly type: 'link'; readonly target: string }
  | RegularFile;

/** Changes with every write of the path; unlike comparing bytes it costs one stat. */
export type Stamp = string;

export interface SeenImage {
  readonly image: FileImage;
  readonly stamp: Stamp;
}

/**
 * `known`: the content of the file when it was last read. It becomes the image's content if the file still has it, so
 * that a large file does not take memory twice. @throws PlaceMoved; an error for a socket, a device, a pipe or an
 * unreadable file
 */
export function imageOf(place: string, folders: HeldFolders, known?: Uint8Array): SeenImage {
  const stats = look(place, folders);
  if (stats === undefined) return { image: { type: 'absent' }, stamp: stampFrom(stats) };
  if (stats.isDirectory()) return { image: { type: 'folder' }, stamp: stampFrom(stats) };
  if (stats.isSymbolicLink()) {
    return { image: { type: 'link', target: readlinkSync(folders.at(place)) }, stamp: stampFrom(stats) };
  }
  if (!stats.isFile()) throw new Error('it is a device, a pipe or a socket');
  // If the file is replaced meanwhile, the new one has another stamp when the step is made.
  const image: RegularFile = {
    type: 'file',
    bytes: readAt(place, folders, known),
    mode: Number(stats.mode & 0o7777n),
    owner: { user: Number(stats.uid), group: Number(stats.gid) },
  };
  return { image, stamp: stampFrom(stats) };
}

/** Returns the stamp of what is at the place now, a link not followed. */
export function stampOf(place: string, folders: HeldFolders): Stamp {
  return stampFrom(look(place, folders));
}

function readAt(place: string, folders: HeldFolders, known: Uint8Array | undefined): Uint8Array {
  const file = openFile(place, constants.O_RDONLY, folders);
  try {
    return known !== undefined && hasContent(file, known) ? known : readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns true if the open file has this content. Leaves the position in the file where it was. */
function hasContent(file: number, bytes: Uint8Array): boolean {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; ; ) {
    const length = readSync(file, piece, 0, PIECE_BYTES, at);
    if (length === 0) return at === bytes.length;
    if (Buffer.compare(piece.subarray(0, length), bytes.subarray(at, at + length)) !== 0) return false;
    at += length;
  }
}

const PIECE_BYTES = 256 * 1024;

/** Does not follow a link. The caller closes it. @throws PlaceMoved */
export function openFile(place: string, flags: number, folders: HeldFolders): number {
  try {
    return openSync(folders.at(place), flags | NO_LINK);
  } catch (error) {
    throw errorCode(error) === 'ELOOP' ? new PlaceMoved(place) : error;
  }
}

/** A mode of `null` equals every other. */
export function sameImage(one: FileImage, other: FileImage): boolean {
  if (one.type !== 'file' || other.type !== 'file') return sameContent(one, other);
  const sameMode = one.mode === null || other.mode === null || one.mode === other.mode;
  return sameMode && sameContent(one, other);
}

/** Compares bytes, or the target of a link; permissions and owner do not count. */
export function sameContent(one: FileImage, other: FileImage): boolean {
  if (one.type === 'file') return other.type === 'file' && Buffer.compare(one.bytes, other.bytes) === 0;
  if (one.type === 'link') return other.type === 'link' && one.target === other.target;
  return one.type === other.type;
}

/** `undefined` also where a folder of the path is a file. */
function look(place: string, folders: HeldFolders): BigIntStats | undefined {
  try {
    return lstatSync(folders.at(place), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns the stamp of a stat of the path that followed no link; `undefined` for a missing path. */
export function stampFrom(stats: BigIntStats | undefined): Stamp {
  if (stats === undefined) return 'absent';
  // The stat of a folder changes with every file in it.
  if (stats.isDirectory()) return 'folder';
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}
