/**
 * The result of the last look, on disk, so that the next process reads only files that have changed since:
 * `baselines/index/<folder>/<process>.log`, one for each process. It is a cache; while its process runs, or no other
 * one is there, the contents that it names are kept. A line that a crash tore is left out.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../core/baseline/contentHash.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, namesIn, PRIVATE_FILE, PRIVATE_FOLDER, removeFile } from '../host/privateFiles.ts';
import { isRunning, type ProcessIdentity, thisProcess } from '../host/processIdentity.ts';
import type { IndexEntry } from './indexEntry.ts';

export interface Index {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly folders: ReadonlySet<string>;
}

/** A file with its state, `null` where it is gone; or a folder that was found. */
export type IndexLine = readonly [path: string, entry: IndexEntry | null] | readonly [folder: string];

const LOG = '.log';
/** Lines beyond those that are needed, after which the log is written anew. */
const SLACK = 20_000;
const LINES_AT_ONCE = 1_000;

/** The index of one folder on disk, as a log that each process writes for itself. */
export class IndexLog {
  readonly #folder: string;
  readonly #file: string;
  #lines = 0;
  #isOpen = false;

  constructor(home: string, root: string) {
    this.#folder = join(indexFolder(home), contentHash(Buffer.from(root)).slice(0, 32));
    const { pid, startTime } = thisProcess();
    this.#file = join(this.#folder, `${pid}-${startTime ?? ''}${LOG}`);
  }

  /** Returns the index of the process that wrote last; `undefined` when there is none. */
  load(): Index | undefined {
    const newest = logsIn(this.#folder).toSorted((one, other) => other.writtenAt - one.writtenAt)[0];
    return newest && readIndex(newest.path);
  }

  /**
   * Appends the lines, or writes the whole index anew: for `all`, at the first call, and when the log has become long.
   * @throws the error of the disk
   */
  save(index: Index, lines: readonly IndexLine[] | 'all'): void {
    const needed = index.entries.size + index.folders.size;
    if (lines === 'all' || !this.#isOpen || this.#lines > 2 * needed + SLACK) return this.#writeAll(index);
    if (lines.length === 0) return;
    appendFileSync(this.#file, textOf(lines), { mode: PRIVATE_FILE });
    this.#lines += lines.length;
  }

  #writeAll({ entries, folders }: Index): void {
    makePrivateFolderSync(indexFolder(join(this.#folder, '..', '..', '..')));
    mkdirSync(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const lines: IndexLine[] = [...[...folders].map((folder): IndexLine => [folder]), ...entries];
    const temporary = `${this.#file}.tmp`;
    writeFileSync(temporary, '', { mode: PRIVATE_FILE });
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      appendFileSync(temporary, textOf(lines.slice(at, at + LINES_AT_ONCE)));
    }
    renameSync(temporary, this.#file);
    this.#isOpen = true;
    this.#lines = lines.length;
    for (const { path, owner } of logsIn(this.#folder)) if (path !== this.#file && !isRunning(owner)) removeFile(path);
  }
}

/**
 * Removes logs of ended processes that were written more than `ageMs` ago: for a deleted folder no other process
 * removes them. A process writes its log anew at its first look, so a log in use is young.
 */
export function removeOldLogs(home: string, ageMs: number): void {
  const since = Date.now() - ageMs;
  for (const root of namesIn(indexFolder(home))) {
    const folder = join(indexFolder(home), root);
    const logs = logsIn(folder);
    const old = logs.filter(({ writtenAt, owner }) => writtenAt < since && !isRunning(owner));
    for (const { path } of old) removeFile(path);
    if (old.length === logs.length) removeEmptyFolder(folder);
  }
}

/** The hashes that all logs name. */
export function* hashesInLogs(home: string): Generator<string> {
  for (const root of namesIn(indexFolder(home))) {
    for (const { path } of logsIn(join(indexFolder(home), root))) {
      for (const [, entry] of readLines(path)) if (entry && 'hash' in entry.state) yield entry.state.hash;
    }
  }
}

/** Keeps a folder that is not empty: another process may have begun to write. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // As with a file of an interrupted write in it.
  }
}

function indexFolder(home: string): string {
  return join(home, 'baselines', 'index');
}

function readIndex(path: string): Index {
  const entries = new Map<string, IndexEntry>();
  const folders = new Set<string>();
  for (const [place, entry] of readLines(path)) {
    if (entry === undefined) folders.add(place);
    else if (entry === null) entries.delete(place);
    else entries.set(place, entry);
  }
  return { entries, folders };
}

function* readLines(path: string): Generator<IndexLine> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      yield JSON.parse(line) as IndexLine;
    } catch {
      // Torn by a crash: the path is read again.
    }
  }
}

function textOf(lines: readonly IndexLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function logsIn(
  folder: string,
): { readonly path: string; readonly owner: ProcessIdentity; readonly writtenAt: number }[] {
  return namesIn(folder).flatMap((name) => {
    if (!name.endsWith(LOG)) return [];
    const [pid = '', startTime = ''] = name.slice(0, -LOG.length).split('-');
    const path = join(folder, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    const owner = { pid: Number(pid), bootId: null, startTime: startTime === '' ? null : startTime };
    return writtenAt === undefined ? [] : [{ path, owner, writtenAt }];
  });
}
