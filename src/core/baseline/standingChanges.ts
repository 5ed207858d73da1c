/** Selects the changes in a thread's records that an undo or a redo reverts. */
import type { ChangeRecord, ChangeStep, RecordedChange } from '../../protocol/baseline.ts';
import type { KeptFolder } from '../ports.ts';
import { JoinedChanges } from './joinedChanges.ts';

export interface StandingChanges {
  readonly turnIds: readonly string[];
  /** One for each path, in the order of the paths: from before the first of the turns to after the last. */
  readonly changes: readonly RecordedChange[];
  /** Folders that were not there before the turns. */
  readonly newFolders: readonly string[];
  /** Folders that were there before and are not there after the turns. */
  readonly goneFolders: readonly KeptFolder[];
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

/** The inverse of the last undo; `undefined` if there was none or files were changed since. */
export function changesOfRedo(records: readonly ChangeRecord[]): StandingChanges | undefined {
  const undone: Reverted[] = [];
  for (const record of records) {
    if (record.type === 'step') {
      if (hasChanges(record)) undone.length = 0;
    } else if (record.direction === 'undo') undone.push(record);
    else undone.pop();
  }
  const last = undone.at(-1);
  return (
    last && {
      turnIds: last.turnIds,
      changes: last.changes,
      newFolders: last.newFolders,
      goneFolders: last.goneFolders ?? [],
    }
  );
}

/** The turns that changed something, the last one last. */
export function turnsWithChanges(records: readonly ChangeRecord[]): readonly string[] {
  const turnIds = new Set(records.flatMap((record) => (record.type === 'step' ? [record.turnId] : [])));
  return [...turnIds].filter((turnId) => !isEmpty(changesOfTurns(records, [turnId])));
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

function turnsOf({ turnIds }: Reverted): readonly string[] {
  return turnIds;
}

function keysOf({ turnIds, changes }: Reverted): readonly string[] {
  return turnIds.flatMap((turnId) => changes.map(({ path }) => keyOf(turnId, path)));
}

function keyOf(turnId: string, path: string): string {
  return `${turnId}\0${path}`;
}
