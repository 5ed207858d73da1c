/**
 * Ends a command with all its descendants. A signal to the process group misses children that called `setsid`;
 * following parents to children misses those whose parent has ended. So three relations count: the group and session of
 * the leader, descent, and a mark in the environment, which every child inherits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { endWindowsTree } from '../host/ownPrograms.ts';
import { listProcesses, startedWith, type ProcessRow } from './processTable.ts';

export interface TreeRoot {
  /** `undefined` where it was not recorded; then only the mark and descent count. */
  readonly leader: number | undefined;
  /** `NAME=value`, unique to the command. */
  readonly mark: string;
  /** Returns true if the leader was reaped: from then on its pid may belong to another process. */
  readonly leaderHasEnded: () => boolean;
  readonly platform: NodeJS.Platform;
}

const POLL_MS = 20;
const FORCED_ROUNDS = 10;

/**
 * SIGTERM to the whole tree, after `graceMs` SIGKILL to the remaining processes and to those that were started
 * in between.
 */
export async function endTree(root: TreeRoot, leaderEnded: Promise<unknown>, graceMs: number): Promise<void> {
  if (root.platform === 'win32') return root.leader === undefined ? undefined : endWindowsTree(root.leader);

  const deadline = performance.now() + graceMs;
  if (graceMs > 0) {
    signalTree(root, 'SIGTERM');
    await settledWithin(leaderEnded, graceMs);
    while (membersOf(root).length > 0 && performance.now() < deadline) await sleep(POLL_MS);
  }
  for (let round = 0; round < FORCED_ROUNDS && signalTree(root, 'SIGKILL'); round++) await sleep(round);
}

/** Ends at once the processes with this mark that may run although no record names them. Linux only. */
export async function endMarked(mark: string): Promise<void> {
  await endTree({ leader: undefined, mark, leaderHasEnded: () => true, platform: 'linux' }, Promise.resolve(), 0);
}

/** Interrupts the process group only, as Ctrl-C on a terminal does. */
export function interruptGroup({ leader, leaderHasEnded, platform }: TreeRoot): void {
  if (leader !== undefined && !leaderHasEnded()) send(platform === 'win32' ? leader : -leader, 'SIGINT');
}

/** Returns whether any process was there to be signalled. */
function signalTree(root: TreeRoot, signal: NodeJS.Signals): boolean {
  // The group first and in one call: a process that is just starting another cannot escape between two lookups.
  const signalled = root.leaderHasEnded() ? undefined : root.leader;
  if (signalled !== undefined) send(-signalled, signal);
  const members = membersOf(root);
  for (const { pid, group } of members) if (group !== signalled) send(pid, signal);
  return members.length > 0;
}

function membersOf({ leader, mark, leaderHasEnded, platform }: TreeRoot): ProcessRow[] {
  const rows = listProcesses(platform);
  const numberWasReused = leaderHasEnded() && rows.some((row) => row.pid === leader);
  const isTied = (row: ProcessRow) =>
    (!numberWasReused && (row.pid === leader || row.group === leader || row.session === leader)) ||
    (platform === 'linux' && startedWith(row.pid, mark));

  const members = new Set(rows.filter(isTied).map((row) => row.pid));
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  return rows.filter((row) => members.has(row.pid) && row.pid !== process.pid);
}

/** A process that has already ended is no error. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone, or not ours to end
  }
}

async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, sleep(milliseconds, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
