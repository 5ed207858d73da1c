import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import { inWorkspace, shownPath } from '../ui/workspacePaths.ts';

/** What was moved out of the workspace, and the way back. */
export interface QuarantineDeps {
  list(): readonly { readonly id: string; readonly path: string; readonly at: string }[];
  /** Returns the path. @throws Error with a sentence for the person. */
  restore(id: string): string;
}

/** Says when a command's doing was moved out of the workspace, wherever the person looks, and puts it back at one click. */
export class QuarantineOffer implements Disposable {
  readonly #deps: QuarantineDeps;
  readonly #onChange: () => void;
  readonly #store = new DisposableStore();

  /** `onChange`: something was moved away, or is back. */
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
    this.#onChange = onChange;
    this.#store.add(
      threads.onEvent(({ event: { msg } }) => {
        if (msg.type !== 'warning' || msg.quarantineId === undefined) return;
        onChange();
        this.#offer(msg.message, msg.quarantineId).catch(report);
      }),
    );
  }

  /** Everything that is kept, the newest first. */
  async pick(): Promise<void> {
    const entries = this.#deps.list().toReversed();
    if (entries.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing was moved out of a workspace.'));
      return;
    }
    const picked = await vscode.window.showQuickPick(
      entries.map(({ id, path, at }) => ({
        id,
        label: withoutIcons(visibleName(shownPath(path))),
        description: new Date(at).toLocaleString(),
      })),
      { title: vscode.l10n.t('Put back what was moved out of the workspace') },
    );
    if (picked) this.restore(picked.id);
  }

  /** Says how it went. */
  restore(id: string): void {
    try {
      const path = this.#deps.restore(id);
      void vscode.window.showInformationMessage(
        vscode.l10n.t('{0} is back.', withoutLinks(visibleName(shownPath(path)))),
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
    const restore = vscode.l10n.t('Put Back');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Tiller: {0}', withoutLinks(inWorkspace(message))),
      restore,
    );
    if (answer === restore) this.restore(id);
  }
}
