import type { Stats } from 'node:fs';
import type { FileState, LeftOutReason } from '../../protocol/baseline.ts';
import { TICK_MS } from './folderScan.ts';

/** The state of something that is there. */
export type PresentState = Exclude<FileState, { readonly type: 'absent' }>;

/** The state of one path at a look, and the facts by which a later look recognizes it as unchanged. */
export interface IndexEntry {
  readonly state: PresentState;
  readonly changedAt: number;
  readonly bornAt: number | null;
  readonly inode: number;
  readonly size: number;
  readonly modifiedAt: number;
  /** It was read within a tick of its last change: the next look reads it again. */
  readonly isRacy: boolean;
}

export function newEntry(state: PresentState, stats: Stats): IndexEntry {
  const { ctimeMs: changedAt, birthtimeMs, ino: inode, size, mtimeMs: modifiedAt } = stats;
  const bornAt = birthtimeMs > 0 ? birthtimeMs : null;
  return { state, changedAt, bornAt, inode, size, modifiedAt, isRacy: Date.now() - changedAt <= TICK_MS };
}

export function isUnchanged(known: IndexEntry, stats: Stats): boolean {
  return (
    !known.isRacy &&
    known.changedAt === stats.ctimeMs &&
    known.inode === stats.ino &&
    known.size === stats.size &&
    known.modifiedAt === stats.mtimeMs
  );
}

/** True for a file that an ignore file names. */
export function isIgnored(state: FileState): boolean {
  return state.type === 'left_out' && state.reason === 'ignored';
}

export function leftOut(
  reason: LeftOutReason,
  { ino, size, ctimeMs }: Stats,
): Extract<FileState, { type: 'left_out' }> {
  return { type: 'left_out', reason, stamp: `${ino}:${size}:${ctimeMs}` };
}
