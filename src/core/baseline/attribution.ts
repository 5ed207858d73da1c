/**
 * Attributes a change to its writer, by the time of the file system and by the known writers. A program that is not
 * known to Tiller and writes while exactly one command runs cannot be distinguished from that command.
 */
import { isBelow } from '../util/pathBelow.ts';
import type { ObservedChange } from './diffBaselines.ts';

/** The time in which a command may have written. */
export interface CommandWindow {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** `null` while it runs. */
  readonly endedAt: number | null;
  /** Folders that are compared for it. */
  readonly roots: readonly string[];
}

/** Something that is no command and wrote a file: a patch, an undo, or the editor that saves. */
export interface KnownWrite {
  readonly path: string;
  /** Milliseconds since the epoch; later than the write itself, which may have taken until then. */
  readonly at: number;
  /** The content that the writer left; `undefined` if unknown. */
  readonly after: ObservedChange['after'] | undefined;
}

export type Attribution =
  | { readonly type: 'command'; readonly id: string }
  /** No command that Tiller runs. */
  | { readonly type: 'other' }
  /** Either one of these commands or another writer made the change. */
  | { readonly type: 'uncertain'; readonly ids: readonly string[] };

/** Times of files come from a clock of the kernel that ticks every 1 to 10 ms, and may be a tick behind. */
export const CLOCK_TICK_MS = 20;
/** The maximum time between the start of a write and its announcement. */
const WRITE_MS = 1_000;

/** `now`: when the change was seen. */
export function attribute(
  change: ObservedChange,
  windows: readonly CommandWindow[],
  writes: readonly KnownWrite[],
  now: number,
): Attribution {
  const at = change.changedAt ?? now;
  const near = windows.filter((window) => couldHaveWritten(window, change, at));
  // One command often follows another within a tick.
  const exact = near.filter(({ startedAt, endedAt }) => at >= startedAt && (endedAt === null || at <= endedAt));
  const candidates = exact.length > 0 && change.changedAt !== null ? exact : near;
  if (candidates.length === 0) return { type: 'other' };
  const ids = candidates.map(({ id }) => id);
  const during = writes.filter((write) => isWithin(write, candidates));
  // The user has moved or pasted a whole folder.
  const ofFolder = during.filter(({ path }) => path !== change.path && isBelow(change.path, path));
  if (ofFolder.some((write) => isItsWork(write, change, at))) return { type: 'other' };
  const others = during.filter((write) => write.path === change.path);
  const last = others.at(-1);
  if (last !== undefined) return isItsWork(last, change, at) ? { type: 'other' } : { type: 'uncertain', ids };
  const [only, second] = ids;
  return only !== undefined && second === undefined ? { type: 'command', id: only } : { type: 'uncertain', ids };
}

/** A removed file has no time: every command that ran since the last look could have removed it. */
function couldHaveWritten({ startedAt, endedAt, roots }: CommandWindow, change: ObservedChange, at: number): boolean {
  if (!roots.some((root) => isBelow(change.path, root))) return false;
  if (change.changedAt === null) return true;
  return at >= startedAt - CLOCK_TICK_MS && (endedAt === null || at <= endedAt + CLOCK_TICK_MS);
}

function isWithin({ at }: KnownWrite, windows: readonly CommandWindow[]): boolean {
  return windows.some(({ startedAt, endedAt }) => at >= startedAt && (endedAt === null || at <= endedAt + WRITE_MS));
}

/** Returns true if one of these writers made the change. */
export function isKnownWrite({ path, changedAt }: ObservedChange, writes: readonly KnownWrite[]): boolean {
  const same = writes.filter((write) => isBelow(path, write.path));
  // A file that is gone has the time of its folder.
  return same.some(({ at }) => changedAt === null || (at >= changedAt - CLOCK_TICK_MS && at <= changedAt + WRITE_MS));
}

/** Returns true if the present content is the content that this writer wrote. */
function isItsWork({ after, at: announcedAt }: KnownWrite, change: ObservedChange, at: number): boolean {
  if (after === undefined) return at <= announcedAt + CLOCK_TICK_MS && at >= announcedAt - WRITE_MS;
  if (after.type === 'file') return change.after.type === 'file' && change.after.hash === after.hash;
  return after.type === change.after.type;
}
