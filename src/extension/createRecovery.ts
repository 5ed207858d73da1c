import type { DisposableStore } from '../core/util/disposable.ts';
import { watchJournals } from '../node/apply/journal.ts';
import { Quarantine } from '../node/sandbox/quarantine.ts';
import { QuarantineOffer } from '../vscode/recovery/quarantineOffer.ts';
import { RecoveryOffer } from '../vscode/recovery/recoveryOffer.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import { findRecoverable } from './recoverPatches.ts';

/** Patches that a crash interrupted, and files that were moved out of the workspace. */
export interface Recovery {
  readonly recovery: RecoveryOffer;
  readonly quarantine: QuarantineOffer;
  /** The ids of the entries in quarantine. */
  readonly quarantined: () => readonly string[];
}

/** Builds the offers for interrupted patches and for files in quarantine. `store` disposes of them. */
export function createRecovery(
  { node, report }: Host,
  { applyPorts }: Editors,
  { threads }: Agent,
  {
    onPatches,
    onQuarantine,
  }: {
    /** Called when the interrupted patches have changed. */
    readonly onPatches: () => void;
    /** Called when the entries in quarantine have changed. */
    readonly onQuarantine: () => void;
  },
  store: DisposableStore,
): Recovery {
  const { home } = node.storage;
  const stored = new Quarantine(home);
  return {
    recovery: store.add(
      new RecoveryOffer({
        find: () => findRecoverable(home, node.locks, applyPorts),
        watch: (onSettled) => watchJournals(home, onSettled),
        onChange: onPatches,
        report,
      }),
    ),
    quarantine: store.add(new QuarantineOffer({ threads, deps: stored, onChange: onQuarantine, report })),
    quarantined: () => stored.ids,
  };
}
