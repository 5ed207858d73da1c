/** Reads files of a side copy. A command may put a link there at any time: no file is read through one. */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { isMissing } from '../../core/util/fileErrors.ts';
import { openFile } from '../apply/fileImage.ts';
import { holdFolders } from '../apply/heldFolders.ts';

/** Places are absolute. The owner disposes. */
export class CopyFiles implements Disposable {
  readonly #folders = holdFolders();

  /** `undefined` for a missing path; `unreachable` where a folder on the way is a link, or may not be read. */
  stats(place: string): Stats | 'unreachable' | undefined {
    try {
      return lstatSync(this.#folders.at(place), { throwIfNoEntry: false });
    } catch (error) {
      return isMissing(error) ? undefined : 'unreachable';
    }
  }

  /** @throws PlaceMoved, the error of the disk */
  target(place: string): string {
    return readlinkSync(this.#folders.at(place));
  }

  /** Resolves to the hash of the content. Rejects with PlaceMoved, or the error of the disk. */
  async hash(place: string): Promise<string> {
    const hash = createHash('sha256');
    const file = openFile(place, constants.O_RDONLY, this.#folders);
    // Closes the file in the end.
    for await (const chunk of createReadStream(place, { fd: file })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  }

  /** `undefined` for a path that is not a file, cannot be read or is longer than `maxBytes`. */
  read(place: string, maxBytes: number): { readonly bytes: Buffer; readonly stats: Stats } | undefined {
    let file: number;
    try {
      file = openFile(place, constants.O_RDONLY, this.#folders);
    } catch {
      return undefined;
    }
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > maxBytes) return undefined;
      const bytes = readUpTo(file, stats.size);
      return bytes && { bytes, stats };
    } finally {
      closeSync(file);
    }
  }

  [Symbol.dispose](): void {
    this.#folders.dispose();
  }
}

/** `undefined` where the file has more than `size` bytes, because it has grown. @throws the error of the disk */
export function readUpTo(file: number, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, null);
  }
  return length > size ? undefined : bytes.subarray(0, length);
}
