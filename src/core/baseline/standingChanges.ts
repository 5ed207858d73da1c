/** Selects the changes in a thread's records that an undo or a redo reverts. */
import type { ChangeRecord, ChangeStep, RecordedChange } from '../../protocol/baseline.ts';
import { addChange } from './diffBaselines.ts';

export interface StandingChanges {
  readonly turnIds: readonly string[];
  /** One for each path, in the order of the paths: from before the first of the turns to after the last. */
  readonly changes: readonly RecordedChange[];
  /** Folders to remove where they are empty. */
  readonly newFolders: readonly string[];
}

type Reverted = Extract<ChangeRecord, { type: 'reverted' }>;

/** The changes of these turns that no undo has reverted. */
export function changesOfTurns(records: readonly ChangeRecord[], turnIds: readonly string[]): StandingChanges {
  const undone = new Set<string>();
  for (const record of records) {
    if (record.type !== 'reverted') continue;
    for (const key of keysOf(record)) {
      if (record.direction === 'undo') undone.add(key);
      else undone.delete(key);
    }
  }
  const steps = records.filter((record): record is ChangeStep => record.type === 'step');
  const wanted = steps.filter(({ turnId }) => turnIds.includes(turnId));
  const changes = new Map<string, RecordedChange>();
  for (const { turnId, changes: ofStep } of wanted) {
    for (const change of ofStep) if (!undone.has(keyOf(turnId, change.path))) addChange(changes, change);
  }
  return {
    turnIds: turnIds.filter((turnId) => wanted.some((step) => step.turnId === turnId)),
    changes: sorted(changes.values()),
    newFolders: [...new Set(wanted.flatMap(({ newFolders }) => newFolders))],
  };
}

/** The inverse of the last undo; `undefined` if there was none or files were changed since. */
export function changesOfRedo(records: readonly ChangeRecord[]): StandingChanges | undefined {
  const undone: Reverted[] = [];
  for (const record of records) {
    if (record.type === 'step') undone.length = 0;
    else if (record.direction === 'undo') undone.push(record);
    else undone.pop();
  }
  const last = undone.at(-1);
  return last && { turnIds: last.turnIds, changes: last.changes, newFolders: last.newFolders };
}

/** The turns that changed something, the last one last. */
export function turnsWithChanges(records: readonly ChangeRecord[]): readonly string[] {
  const turnIds = new Set(records.flatMap((record) => (record.type === 'step' ? [record.turnId] : [])));
  return [...turnIds].filter((turnId) => changesOfTurns(records, [turnId]).changes.length > 0);
}

function keysOf({ turnIds, changes }: Reverted): readonly string[] {
  return turnIds.flatMap((turnId) => changes.map(({ path }) => keyOf(turnId, path)));
}

function keyOf(turnId: string, path: string): string {
  return `${turnId}\0${path}`;
}

function sorted(changes: Iterable<RecordedChange>): readonly RecordedChange[] {
  return [...changes].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
