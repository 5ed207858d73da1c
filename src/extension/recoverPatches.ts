import type { Locks, Log } from '../core/ports.ts';
import {
  type CutFile,
  type InterruptedApply,
  recoverJournals,
  type RecoveryChoices,
} from '../node/apply/recoverJournals.ts';
import type { RecoveryChoice } from '../protocol/wire.ts';
import { type CutText, holdsUnsaved, recoverBuffers, type RecoveryDeps } from '../vscode/apply/recoverBuffers.ts';
import type { RecoverablePatch, SettledPatch } from '../vscode/recovery/interruptedPatch.ts';

/** Interrupted patches: the user chooses to finish them or to roll them back (docs/design.md decision 4). */
export async function findRecoverable(
  home: string,
  locks: Locks,
  deps: RecoveryDeps & { readonly log: Pick<Log, 'warn'> },
): Promise<readonly RecoverablePatch[]> {
  const another = { before: 'after', after: 'before' } as const;
  const interrupted = await recoverJournals(
    home,
    locks,
    (sentence) => deps.log.warn(sentence),
    (files, side) => holdsUnsaved(goingTo(side, another[side], files)),
  );
  return interrupted.map((found) => {
    const { id, startedAt, changes } = found;
    return {
      id,
      startedAt,
      changes,
      settle: (way, patience) => found.settle((ways) => settle(found, ways, way, deps), patience),
    };
  });
}

function goingTo(to: 'before' | 'after', from: 'before' | 'after', files: readonly CutFile[]): readonly CutText[] {
  return files.map((file) => ({
    path: file.path,
    from: file[from],
    to: file[to],
    staysUnsaved: file.isUnsaved,
    ...(file.cells && { cells: to === 'before' ? file.cells : { file: null, removed: null } }),
  }));
}

/** Settles it in the editor and on the disk; resolves when both have the same state. */
async function settle(
  { files }: InterruptedApply,
  ways: RecoveryChoices,
  way: RecoveryChoice,
  deps: RecoveryDeps,
): Promise<SettledPatch> {
  const isRollback = way === 'roll_back';
  const buffers = await recoverBuffers(
    isRollback ? goingTo('before', 'after', files) : goingTo('after', 'before', files),
    deps,
  );
  const inEditor = new Map([
    ...buffers.unsaved.map((path) => [path, 'done'] as const),
    ...buffers.leftAlone.map((path) => [path, 'left_alone'] as const),
    ...buffers.moved.map((path) => [path, 'moved'] as const),
  ]);
  const { leftAlone } = await ways[isRollback ? 'rollback' : 'finish'](inEditor, buffers.readDisk);
  return { leftAlone, unsaved: buffers.unsaved };
}
