/** Selects the changes in a thread's records that an undo or a redo reverts. */
import type { ChangeRecord, ChangeStep, RecordedChange } from '../../protocol/baseline.ts';
import type { KeptFolder } from '../ports.ts';
import { JoinedChanges } from './joinedChanges.ts';

/** A sub-agent whose changes are among those of a turn that has started it. */
export interface ChangingAgent {
  readonly agentId: string;
  readonly name: string;
  readonly turnIds: readonly string[];
  /** Absolute paths of files that these turns have changed. */
  readonly paths: ReadonlySet<string>;
}

export interface StandingChanges {
  /** Turns of the thread that have made changes, themselves or by their sub-agents. */
  readonly turnIds: readonly string[];
  /** One for each path, in the order of the paths: from before the first of the turns to after the last. */
  readonly changes: readonly RecordedChange[];
  /** Folders that were not there before the turns. */
  readonly newFolders: readonly string[];
  /** Folders that were there before and are not there after the turns. */
  readonly goneFolders: readonly KeptFolder[];
  readonly agents?: readonly ChangingAgent[];
}

type Reverted = Extract<ChangeRecord, { type: 'reverted' }>;

/** The changes of these turns that no undo has reverted. */
export function changesOfTurns(records: readonly ChangeRecord[], turnIds: readonly string[]): StandingChanges {
  const undone = undoneIn(records, keysOf);
  const steps = records.filter((record): record is ChangeStep => record.type === 'step');
  const wanted = steps.filter(({ turnId }) => turnIds.includes(turnId));
  const changes = new JoinedChanges();
  const standing = new Set<string>();
  for (const { turnId, changes: ofStep } of wanted) {
    for (const change of ofStep) {
      if (undone.has(keyOf(turnId, change.path))) continue;
      changes.add(change);
      standing.add(turnId);
    }
  }
  return {
    turnIds: turnIds.filter((turnId) => wanted.some((step) => step.turnId === turnId)),
    changes: changes.all(),
    ...foldersOf(wanted, undoneIn(records, turnsOf), standing),
  };
}

/** Returns true if there is nothing to undo. */
export function isEmpty({ turnIds, changes, goneFolders, newFolders }: StandingChanges): boolean {
  return turnIds.length === 0 || changes.length + goneFolders.length + newFolders.length === 0;
}

/**
 * The inverse of the last undo, without its agents; `undefined` if there was none or files were changed since.
 */
export function changesOfRedo(records: readonly ChangeRecord[]): StandingChanges | undefined {
  const last = lastUndo(records);
  return (
    last && {
      turnIds: last.turnIds,
      changes: last.changes,
      newFolders: last.newFolders,
      goneFolders: last.goneFolders ?? [],
    }
  );
}

/** The last undo that was not redone; `undefined` where files were changed since. */
export function lastUndo(records: readonly ChangeRecord[]): Reverted | undefined {
  const undone: Reverted[] = [];
  for (const record of records) {
    if (record.type === 'agent_turn') continue;
    if (record.type === 'step') {
      if (hasChanges(record)) undone.length = 0;
    } else if (record.direction === 'undo') undone.push(record);
    else undone.pop();
  }
  return undone.at(-1);
}

/** False for a command that a crash has cut off before it changed something. */
function hasChanges({ changes, newFolders, goneFolders = [] }: ChangeStep): boolean {
  return changes.length + newFolders.length + goneFolders.length > 0;
}

/** Selects what is undone and was not redone. `keysOf`: what one undo or redo reverts. */
function undoneIn(
  records: readonly ChangeRecord[],
  keysOf: (reverted: Reverted) => readonly string[],
): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const record of records) {
    if (record.type !== 'reverted') continue;
    for (const key of keysOf(record)) {
      if (record.direction === 'undo') undone.add(key);
      else undone.delete(key);
    }
  }
  return undone;
}

/** A folder that one step made and a later one removed is no change; neither is the opposite. */
function foldersOf(
  steps: readonly ChangeStep[],
  undone: ReadonlySet<string>,
  standing: ReadonlySet<string>,
): Pick<StandingChanges, 'newFolders' | 'goneFolders'> {
  const made = new Set<string>();
  const gone = new Map<string, KeptFolder>();
  for (const { turnId, newFolders, goneFolders = [] } of steps) {
    const isUndone = undone.has(turnId);
    // A folder may be left only for the file of a conflict in it.
    const removable = isUndone && !standing.has(turnId) ? [] : newFolders;
    for (const path of removable) if (!gone.delete(path)) made.add(path);
    // Folders that an undo brought back are the user's to remove.
    for (const folder of isUndone ? [] : goneFolders) if (!made.delete(folder.path)) gone.set(folder.path, folder);
  }
  return { newFolders: [...made], goneFolders: [...gone.values()] };
}

/** Turn ids of all threads differ. */
function turnsOf({ turnIds, agents = [] }: Reverted): readonly string[] {
  return [...turnIds, ...agents.flatMap((agent) => agent.turnIds)];
}

function keysOf(record: Reverted): readonly string[] {
  const { changes } = record;
  return turnsOf(record).flatMap((turnId) => changes.map(({ path }) => keyOf(turnId, path)));
}

function keyOf(turnId: string, path: string): string {
  return `${turnId}\0${path}`;
}
