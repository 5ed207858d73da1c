/** Removes kept content that no record names, and the oldest records where the limit is reached. */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseRecord, RECORDS_FOLDER } from '../../core/baseline/changeRecords.ts';
import type { ChangeRecord } from '../../protocol/baseline.ts';
import { makePrivateFolderSync, namesIn, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { holderOf, tryLock } from '../host/processLock.ts';
import type { Blobs } from './blobs.ts';
import { hashesInLogs, removeOldLogs } from './indexLog.ts';

/** Content that was just written may not be named by any record yet. */
const YOUNG_MS = 10 * 60_000;
/** The share of the limit that remains after a collection, so that it is not reached again at once. */
const AFTERWARDS = 0.8;
const ENDING = '.jsonl';
const DAY_MS = 24 * 60 * 60_000;
/** An index log that no process has written for so long is removed: its folder may not exist any more. */
const OLD_LOG_MS = 14 * DAY_MS;

interface Kept {
  readonly file: string;
  readonly line: string;
  readonly record: ChangeRecord;
}

/**
 * Returns false, without any effect, while another process does it. `live`: the present content of this process's
 * folders. Records of a thread that another process works in stay. For a thread that this process works in the content
 * is removed and the record stays: the process may append to the file at any moment, and an undo names content that is
 * not kept.
 */
export function collectGarbage(home: string, blobs: Blobs, maxBytes: number, live: Iterable<string>): boolean {
  const locks = join(home, 'locks');
  makePrivateFolderSync(locks);
  const attempt = tryLock(join(locks, 'baselines.lock'));
  if (attempt.type === 'owned') return false;
  try {
    blobs.reload();
    // The logs are a cache, which goes before records do.
    removeOldLogs(home, blobs.total > maxBytes ? DAY_MS : OLD_LOG_MS);
    const needed = new Set([...live, ...hashesInLogs(home)]);
    const records = readRecords(join(home, RECORDS_FOLDER));
    const isFull = blobs.total > maxBytes;
    const dropped = new Set(isFull ? oldestBeyond(records, needed, blobs, maxBytes * AFTERWARDS, home) : []);
    for (const kept of records) if (!dropped.has(kept)) addHashes(needed, kept.record);
    rewriteWithout(dropped, home);
    const old = Date.now() - YOUNG_MS;
    const unneeded = [...blobs.all()].filter(({ hash, writtenAt }) => !needed.has(hash) && writtenAt < old);
    for (const { hash } of unneeded) blobs.remove(hash);
    return true;
  } finally {
    attempt.lock.release();
  }
}

/** Newest first they are kept as long as their content fits. */
function oldestBeyond(
  records: readonly Kept[],
  needed: ReadonlySet<string>,
  blobs: Blobs,
  limit: number,
  home: string,
): readonly Kept[] {
  const counted = new Set(needed);
  let bytes = 0;
  for (const hash of counted) bytes += blobs.sizeOf(hash);
  const newestFirst = records.toSorted((one, other) => (one.record.at < other.record.at ? 1 : -1));
  const dropped: Kept[] = [];
  for (const kept of newestFirst) {
    for (const hash of hashesOf(kept.record)) {
      if (counted.has(hash)) continue;
      counted.add(hash);
      bytes += blobs.sizeOf(hash);
    }
    if (bytes > limit && userOf(kept.file, home) !== 'other') dropped.push(kept);
  }
  return dropped;
}

/** The process that works in the thread of these records, and appends to them. */
function userOf(file: string, home: string): 'this' | 'other' | undefined {
  const holder = holderOf(join(home, 'locks', `${basename(file, ENDING)}.lock`));
  return holder && (holder.pid === process.pid ? 'this' : 'other');
}

/** Reads each file again: lines may have been appended since. */
function rewriteWithout(dropped: ReadonlySet<Kept>, home: string): void {
  for (const file of new Set([...dropped].map((kept) => kept.file))) {
    if (userOf(file, home) !== undefined) continue;
    const gone = new Set([...dropped].filter((kept) => kept.file === file).map(({ line }) => line));
    const lines = linesOf(file).filter((line) => !gone.has(line));
    if (lines.length === 0) {
      removeFile(file);
      continue;
    }
    const temporary = `${file}.tmp`;
    writeFileSync(temporary, lines.map((line) => `${line}\n`).join(''), { mode: PRIVATE_FILE });
    renameSync(temporary, file);
  }
}

function readRecords(folder: string): readonly Kept[] {
  return namesIn(folder).flatMap((name) => {
    if (!name.endsWith(ENDING)) return [];
    const file = join(folder, name);
    return linesOf(file).flatMap((line) => {
      const record = parseRecord(line);
      return record === undefined ? [] : [{ file, line, record }];
    });
  });
}

/** None where the file is gone. */
function linesOf(file: string): readonly string[] {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function addHashes(hashes: Set<string>, record: ChangeRecord): void {
  for (const hash of hashesOf(record)) hashes.add(hash);
}

function hashesOf(record: ChangeRecord): readonly string[] {
  if (record.type === 'agent_turn') return [];
  return record.changes.flatMap(({ before, after }) =>
    [before, after].flatMap((state) => ('hash' in state ? [state.hash] : [])),
  );
}
