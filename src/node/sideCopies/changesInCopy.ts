/** What differs between a side copy and its base. */
import { type Dirent, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CopyChange, CopyState } from '../../core/sideCopies/sideCopy.ts';
import { FolderScan, statOf } from '../baseline/folderScan.ts';
import { type BaseEntry, type CopyStamp, readBase } from './copyBase.ts';
import type { CopyRecord } from './copyRecord.ts';
import { rulesOf, textsAboveHome } from './homeRules.ts';
import { hashOfFile, stampOf } from './makeCopy.ts';

/** Sorted by path. Rejects with the error of the disk, or with what `pause` throws. */
export async function changesInCopy(
  folder: string,
  record: CopyRecord,
  pause: () => Promise<void> | undefined,
): Promise<readonly CopyChange[]> {
  const base = readBase(folder);
  const changes: CopyChange[] = [];
  const homeOf = (place: string): string => {
    const root = record.folders.find(({ copy }) => place.startsWith(`${copy}${path.sep}`));
    return root === undefined ? place : path.join(root.home, path.relative(root.copy, place));
  };
  for (const [copy, entry] of base) {
    await pause();
    const result = await stateOf(copy, entry);
    if (result !== 'same') changes.push({ home: homeOf(copy), copy, base: entry, result });
  }
  for (const { home, copy } of record.folders) {
    const isLeftOut = rulesAbove(home);
    const walk = new FolderScan(copy, record.links).walk(new Map());
    for (const { path: place, isIgnored } of walk) {
      await pause();
      if (isIgnored || base.has(place) || isLeftOut(homeOf(place))) continue;
      const result = await stateOf(place, undefined);
      if (result !== 'same' && result.type !== 'absent') {
        changes.push({ home: homeOf(place), copy: place, base: undefined, result });
      }
    }
  }
  return changes.toSorted((one, other) => (one.copy < other.copy ? -1 : 1));
}

/** The rules of the workspace that are in no file of the copy. */
function rulesAbove(home: string): (place: string) => boolean {
  const rules = rulesOf(home, textsAboveHome(home));
  return (place) => {
    for (let at = place, isFolder = false; at !== home; at = path.dirname(at), isFolder = true) {
      if (rules.ignores(at, isFolder)) return true;
      if (at === path.dirname(at)) return false;
    }
    return false;
  };
}

async function stateOf(place: string, entry: BaseEntry | undefined): Promise<CopyState | 'same'> {
  const stats = statOf(place);
  if (stats === undefined || stats.isDirectory()) return { type: 'absent' };
  if (stats.isSymbolicLink()) {
    return entry?.type === 'link' && readlinkSync(place) === entry.target ? 'same' : { type: 'other' };
  }
  if (!stats.isFile()) return { type: 'other' };
  const mode = stats.mode & 0o777;
  if (entry?.type === 'file' && entry.mode === mode && isSameStamp(entry.stamp ?? null, stampOf(stats))) return 'same';
  const hash = await hashOfFile(place);
  if (entry?.type === 'file' && entry.hash === hash && entry.mode === mode) return 'same';
  return { type: 'file', hash, mode, size: stats.size };
}

function isSameStamp(known: CopyStamp | null, now: CopyStamp): boolean {
  return (
    known !== null &&
    known.size === now.size &&
    known.modifiedAt === now.modifiedAt &&
    known.changedAt === now.changedAt &&
    known.inode === now.inode
  );
}

/** Bytes on the disk of a folder; links are not followed. */
export async function sizeOfFolder(folder: string, pause: () => Promise<void> | undefined): Promise<number> {
  let bytes = 0;
  const queue = [folder];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const entry of entriesIn(at)) {
      await pause();
      const place = path.join(at, entry.name);
      if (entry.isDirectory()) queue.push(place);
      else bytes += lstatSync(place, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return bytes;
}

function entriesIn(folder: string): readonly Dirent[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
