/** The state of a workspace as a value, and how two of them differ. */
import type { FileState } from '../../protocol/baseline.ts';

/** The result of a scan for one path. */
export interface BaselineEntry {
  readonly state: Exclude<FileState, { type: 'absent' }>;
  /** When its inode was last changed, milliseconds since the epoch. No program can set this time back. */
  readonly changedAt: number;
  /** The creation time, where the file system has it. */
  readonly bornAt: number | null;
}

/** By absolute path. */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

/** A path whose state differs between two scans. */
export interface ObservedChange {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** The time of the change; `null` where the file system has none, as for a removed file. */
  readonly changedAt: number | null;
}

const ABSENT: FileState = { type: 'absent' };

/** Returns the changes between two baselines, in the order of the paths. */
export function diffBaselines(before: Baseline, after: Baseline): readonly ObservedChange[] {
  const changes: ObservedChange[] = [];
  for (const [path, entry] of after) {
    const known = before.get(path);
    if (known === entry || (known !== undefined && sameState(known.state, entry.state))) continue;
    changes.push({ path, before: known?.state ?? ABSENT, after: entry.state, changedAt: entry.changedAt });
  }
  for (const [path, { state }] of before) {
    if (!after.has(path)) changes.push({ path, before: state, after: ABSENT, changedAt: null });
  }
  return changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns true for the same content and mode. Of a file that was left out only its stamp is known. */
export function sameState(one: FileState, other: FileState): boolean {
  if (one.type === 'file') return other.type === 'file' && one.hash === other.hash && one.mode === other.mode;
  if (one.type === 'link') return other.type === 'link' && one.target === other.target;
  if (one.type === 'absent') return other.type === 'absent';
  return other.type === 'left_out' && one.reason === other.reason && one.stamp === other.stamp;
}

/**
 * Joins changes of one path to one, from the first state to the last; `undefined` when it leads back to where it began.
 */
export function composed<Change extends Pick<ObservedChange, 'before' | 'after'>>(
  first: Change,
  second: Change,
): Change | undefined {
  return sameState(first.before, second.after) ? undefined : { ...second, before: first.before };
}
