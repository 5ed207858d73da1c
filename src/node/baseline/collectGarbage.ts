/** Removes kept content that nothing needs, and the oldest records where the limit is reached. */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseRecord } from '../../core/baseline/changeRecords.ts';
import type { ChangeRecord } from '../../protocol/baseline.ts';
import { makePrivateFolderSync, namesIn, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { holderOf, tryLock } from '../host/processLock.ts';
import type { Blobs } from './blobs.ts';
import { hashesInLogs } from './indexLog.ts';

/** Content that was just written may not be named by any record yet. */
const YOUNG_MS = 10 * 60_000;
/** Of the limit: what is left once it was reached, so that it is not reached again at once. */
const AFTERWARDS = 0.8;
const ENDING = '.jsonl';

interface Kept {
  readonly file: string;
  readonly line: string;
  readonly record: ChangeRecord;
}

/**
 * Does nothing while another process does it. `live`: content that the folders of this process hold now. Records of a
 * thread that another process works in stay.
 */
export function collectGarbage(home: string, blobs: Blobs, maxBytes: number, live: Iterable<string>): void {
  const locks = join(home, 'locks');
  makePrivateFolderSync(locks);
  const attempt = tryLock(join(locks, 'baselines.lock'));
  if (attempt.type === 'owned') return;
  try {
    blobs.reload();
    const needed = new Set([...live, ...hashesInLogs(home)]);
    const records = readRecords(join(home, 'baselines', 'records'));
    const dropped = blobs.total > maxBytes ? oldestBeyond(records, needed, blobs, maxBytes * AFTERWARDS, home) : [];
    for (const { record } of records) if (!dropped.some((one) => one.record === record)) addHashes(needed, record);
    rewriteWithout(dropped, records);
    const old = Date.now() - YOUNG_MS;
    const unneeded = [...blobs.all()].filter(({ hash, writtenAt }) => !needed.has(hash) && writtenAt < old);
    for (const { hash } of unneeded) blobs.remove(hash);
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
    if (bytes > limit && !isInUse(kept.file, home)) dropped.push(kept);
  }
  return dropped;
}

/** By another process, which adds lines to it. */
function isInUse(file: string, home: string): boolean {
  const holder = holderOf(join(home, 'locks', `${basename(file, ENDING)}.lock`));
  return holder !== undefined && holder.pid !== process.pid;
}

function rewriteWithout(dropped: readonly Kept[], records: readonly Kept[]): void {
  const gone = new Set(dropped);
  for (const file of new Set(dropped.map((kept) => kept.file))) {
    const lines = records.filter((kept) => kept.file === file && !gone.has(kept)).map(({ line }) => `${line}\n`);
    if (lines.length === 0) {
      removeFile(file);
      continue;
    }
    const temporary = `${file}.tmp`;
    writeFileSync(temporary, lines.join(''), { mode: PRIVATE_FILE });
    renameSync(temporary, file);
  }
}

function readRecords(folder: string): readonly Kept[] {
  return namesIn(folder).flatMap((name) => {
    if (!name.endsWith(ENDING)) return [];
    const file = join(folder, name);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const record = parseRecord(line);
        return record === undefined ? [] : [{ file, line, record }];
      });
  });
}

function addHashes(hashes: Set<string>, record: ChangeRecord): void {
  for (const hash of hashesOf(record)) hashes.add(hash);
}

function hashesOf({ changes }: ChangeRecord): readonly string[] {
  return changes.flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (state.type === 'file' ? [state.hash] : [])),
  );
}
