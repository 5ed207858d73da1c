/**
 * The contents of a side copy at its start, or since some of it came home: `base.jsonl` names each file with the hash
 * of its content, `base.pack` has the contents. Both only grow; a line that a crash tore is left out.
 */
import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { contentHash } from '../../core/baseline/contentHash.ts';
import type { BaseFile } from '../../core/sideCopies/sideCopy.ts';
import { PRIVATE_FILE } from '../host/privateFiles.ts';

/** By which the file in the copy is known to be unchanged. */
export interface CopyStamp {
  readonly size: number;
  readonly modifiedAt: number;
  readonly changedAt: number;
  readonly inode: number;
}

/** `stamp`: `null` where the file has to be read to be compared. */
export type BaseEntry = BaseFile & { readonly stamp?: CopyStamp | null };

/** `null`: the base has no such file. */
type Line = readonly [path: string, entry: BaseEntry | null];

/** Bytes that are gathered before they are written. */
const GATHERED = 1024 * 1024;

/** Writes the base; the owner closes it. */
export class BaseWriter {
  readonly #folder: string;
  readonly #pack: number;
  #offset: number;
  #contents: Uint8Array[] = [];
  #gathered = 0;
  #lines: string[] = [];

  /** @throws the error of the disk */
  constructor(folder: string) {
    this.#folder = folder;
    // Written also for a copy without files.
    appendFileSync(listOf(folder), '', { mode: PRIVATE_FILE });
    this.#pack = openSync(packOf(folder), 'a', PRIVATE_FILE);
    this.#offset = fstatSync(this.#pack).size;
  }

  /** Appends the content to the pack and returns its place there. @throws the error of the disk */
  keep(bytes: Uint8Array): readonly [offset: number, length: number] {
    const at = [this.#offset, bytes.length] as const;
    this.#offset += bytes.length;
    this.#contents.push(bytes);
    this.#gathered += bytes.length;
    if (this.#gathered > GATHERED) this.#flush();
    return at;
  }

  add(...line: Line): void {
    this.#lines.push(`${JSON.stringify(line)}\n`);
  }

  /** A content is on the disk before the line that names it. @throws the error of the disk */
  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#pack);
    }
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#contents);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#pack, bytes, at);
    this.#contents = [];
    this.#gathered = 0;
    // A crash may have left a line without its end.
    if (this.#lines.length > 0)
      appendFileSync(listOf(this.#folder), `\n${this.#lines.join('')}`, { mode: PRIVATE_FILE });
    this.#lines = [];
  }
}

/** Reads the base by absolute path in the copy. Rejects with the error of the disk, or the error of `pause`. */
export async function readBase(
  folder: string,
  pause: () => Promise<void> | undefined,
): Promise<ReadonlyMap<string, BaseEntry>> {
  const entries = new Map<string, BaseEntry>();
  for (const line of readFileSync(listOf(folder), 'utf8').split('\n')) {
    if (line === '') continue;
    await pause();
    const [place, entry] = lineIn(line) ?? [];
    if (place === undefined) continue;
    if (entry) entries.set(place, entry);
    else entries.delete(place);
  }
  return entries;
}

/** The content of an entry; `undefined` where it is not kept, or is damaged. @throws the error of the disk */
export function readKept(folder: string, entry: BaseFile): Buffer | undefined {
  if (entry.type === 'link' || entry.at === null) return undefined;
  const [offset, length] = entry.at;
  const pack = openSync(packOf(folder), 'r');
  try {
    const bytes = Buffer.alloc(length);
    let read = 0;
    while (read < length) {
      const more = readSync(pack, bytes, read, length - read, offset + read);
      if (more === 0) return undefined;
      read += more;
    }
    return contentHash(bytes) === entry.hash ? bytes : undefined;
  } finally {
    closeSync(pack);
  }
}

/** Written by this class only: a line is whole, or torn. */
function lineIn(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function packOf(folder: string): string {
  return path.join(folder, 'base.pack');
}

function listOf(folder: string): string {
  return path.join(folder, 'base.jsonl');
}
