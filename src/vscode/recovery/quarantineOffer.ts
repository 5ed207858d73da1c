import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { contextKey } from '../ui/contextKey.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import { inWorkspace, shownPath } from '../ui/workspacePaths.ts';

/** The quarantine: entries that were moved out of the workspace, and their restoration. */
export interface QuarantineDeps {
  list(): readonly { readonly id: string; readonly path: string; readonly at: string }[];
  /** Returns the path. @throws Error with a message for the user. */
  restore(id: string): string;
}

/** Shows a warning when a command's leftovers were quarantined, with an action that restores them. */
export class QuarantineOffer implements Disposable {
  readonly #deps: QuarantineDeps;
  readonly #onChange: () => void;
  readonly #store = new DisposableStore();

  /** `onChange`: called after a file is quarantined or restored. */
  constructor({
    threads,
    deps,
    onChange,
    report,
  }: {
    readonly threads: ShownThread;
    readonly deps: QuarantineDeps;
    readonly onChange: () => void;
    readonly report: (error: unknown) => void;
  }) {
    this.#deps = deps;
    const setHasQuarantined = contextKey<boolean>('tiller.hasQuarantined');
    setHasQuarantined(deps.list().length > 0);
    this.#onChange = () => {
      setHasQuarantined(deps.list().length > 0);
      onChange();
    };
    this.#store.add(
      threads.onEvent(({ event: { msg } }) => {
        if (msg.type !== 'warning' || msg.quarantineId === undefined) return;
        this.#onChange();
        this.#offer(msg.message, msg.quarantineId).catch(report);
      }),
    );
  }

  /** Lists all entries in quarantine, newest first. */
  async pick(): Promise<void> {
    const entries = this.#deps.list().toReversed();
    if (entries.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No files were moved out of a workspace.'));
      return;
    }
    const picked = await vscode.window.showQuickPick(
      entries.map(({ id, path, at }) => ({
        id,
        label: withoutIcons(visibleName(shownPath(path))),
        description: new Date(at).toLocaleString(),
      })),
      { title: vscode.l10n.t('Restore files that were moved out of the workspace') },
    );
    if (picked) this.restore(picked.id);
  }

  /** Reports the outcome. */
  restore(id: string): void {
    try {
      const path = this.#deps.restore(id);
      void vscode.window.showInformationMessage(
        vscode.l10n.t('{0} was restored.', withoutLinks(visibleName(shownPath(path)))),
      );
    } catch (error) {
      void vscode.window.showErrorMessage(withoutLinks(inWorkspace(visibleName(messageOf(error)))));
    }
    this.#onChange();
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #offer(message: string, id: string): Promise<void> {
    const restore = vscode.l10n.t('Restore');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Tiller: {0}', withoutLinks(inWorkspace(message))),
      restore,
    );
    if (answer === restore) this.restore(id);
  }
}
