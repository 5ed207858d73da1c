import type { RecordedChange } from '../../protocol/baseline.ts';
import { ChangeLedger } from '../baseline/changeLedger.ts';
import type { Ports } from '../ports.ts';
import type { Disposable } from '../util/disposable.ts';

/** The changes in the folders of this process's threads. Does nothing where changes are not recorded. */
export class WorkspaceChanges {
  /** Attributes changes for all threads, because their commands may run at the same time in the same folders. */
  readonly ledger: ChangeLedger | undefined;
  readonly #workspace: Ports['workspace'];

  /** `report`: called with the error of a listener. */
  constructor({ baseline, clock, workspace }: Ports, report: (error: unknown) => void) {
    this.ledger = baseline && new ChangeLedger({ store: baseline, clock, report });
    this.#workspace = workspace;
  }

  /** Calls the listener with changes that no command, patch or save of this window has made. */
  onOther(listener: (changes: readonly RecordedChange[]) => void): Disposable {
    return this.ledger?.onOtherChanges(listener) ?? { dispose: () => {} };
  }

  /** Calls the listener with the changes of a command when it has ended. */
  onCommand(listener: (changes: readonly RecordedChange[]) => void): Disposable {
    return this.ledger?.onCommandChanges(listener) ?? { dispose: () => {} };
  }

  /** Looks for changes of other programs. Real paths of folders. @throws the error of the disk */
  async lookForOthers(roots: readonly string[], maxBytes: number): Promise<void> {
    if (maxBytes > 0) await this.ledger?.lookForOthers(roots, { maxBytes });
  }

  /**
   * Call when the user, or Tiller for the user, has written or removed a file or folder: it is no change of a command
   * that runs at this moment. Never rejects.
   */
  async noteSave(path: string): Promise<void> {
    const place = await this.#workspace.realPath(path).catch(() => path);
    this.ledger?.noteWrite(place);
  }
}
