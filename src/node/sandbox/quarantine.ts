/** Quarantine: files that a sandboxed command must not create are moved here, and can be restored. */
import {
  chmodSync,
  constants,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, PRIVATE_FILE } from '../host/privateFiles.ts';
import { exists, namesIn } from './disk.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const entrySchema = lazyObject(() => ({ path: z.string(), at: z.string() }));
const CONTENT = 'content';
const ENTRY = 'entry.json';

export interface QuarantineEntry {
  readonly id: string;
  /** The path before the move. */
  readonly path: string;
  /** ISO 8601. */
  readonly at: string;
}

export class Quarantine {
  readonly #folder: string;

  /** `home`: TILLER_HOME. */
  constructor(home: string) {
    this.#folder = path.join(home, 'quarantine');
  }

  /** Moves a file, a folder or a link here. Returns its id. @throws Error of the system: then nothing is listed of it */
  take(name: string): string {
    const at = new Date();
    const id = `${at.getTime().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    const folder = path.join(this.#folder, id);
    makePrivateFolderSync(folder);
    writeFileSync(path.join(folder, ENTRY), JSON.stringify({ path: name, at: at.toISOString() }), {
      mode: PRIVATE_FILE,
    });
    try {
      move(name, path.join(folder, CONTENT));
    } catch (error) {
      // A copy that could be made is kept: the original may be removed in part.
      if (!exists(path.join(folder, CONTENT))) rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return id;
  }

  /** Entries, oldest first. */
  list(): QuarantineEntry[] {
    return namesIn(this.#folder)
      .toSorted()
      .flatMap((id) => {
        const entry = this.#read(id);
        return entry === undefined ? [] : [{ id, ...entry }];
      });
  }

  /** The ids alone, without reading the entries: cheap enough for every update of the panel. */
  get ids(): readonly string[] {
    return namesIn(this.#folder);
  }

  /** Moves an entry to its former path. Returns that path. @throws Error with a message for the user. */
  restore(id: string): string {
    const entry = /^[\w-]+$/.test(id) ? this.#read(id) : undefined;
    if (entry === undefined) throw new Error('This was restored before, or is no longer kept.');
    if (exists(entry.path)) {
      throw new Error(`${entry.path} exists by now; move it away first.`);
    }
    try {
      mkdirSync(path.dirname(entry.path), { recursive: true });
      move(path.join(this.#folder, id, CONTENT), entry.path);
    } catch (error) {
      throw new Error(`${entry.path} could not be restored: ${messageOf(error)}`, { cause: error });
    }
    rmSync(path.join(this.#folder, id), { recursive: true, force: true });
    return entry.path;
  }

  #read(id: string): z.infer<typeof entrySchema> | undefined {
    try {
      return entrySchema.parse(JSON.parse(readFileSync(path.join(this.#folder, id, ENTRY), 'utf8')));
    } catch {
      return undefined;
    }
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) === 'EXDEV') moveToOtherDisk(from, to);
    else if (errorCode(error) === 'EACCES' && isFolder(from)) moveClosedFolder(from, to);
    else throw error;
  }
}

/** Moving a folder needs write permission for it: its own `..` changes (rename(2)). */
function moveClosedFolder(from: string, to: string): void {
  const { mode } = lstatSync(from);
  chmodSync(from, mode | constants.S_IRWXU);
  try {
    renameSync(from, to);
    chmodSync(to, mode);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    moveToOtherDisk(from, to);
  }
}

function moveToOtherDisk(from: string, to: string): void {
  addOwnerPermissions(from);
  try {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
  rmSync(from, { recursive: true, force: true });
}

/** Lets the owner read and change each folder of a tree: without that it could neither be copied nor removed. */
function addOwnerPermissions(tree: string): void {
  const ahead = [tree];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const folder = name;
    if (!isFolder(folder)) continue;
    chmodSync(folder, lstatSync(folder).mode | constants.S_IRWXU);
    for (const inner of namesIn(folder)) ahead.push(path.join(folder, inner));
  }
}

function isFolder(name: string): boolean {
  return lstatSync(name).isDirectory();
}
