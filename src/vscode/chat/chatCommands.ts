import * as vscode from 'vscode';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import type { UserInput } from '../../protocol/item.ts';
import { hasFolder, offerFolder } from '../ui/neededPlace.ts';

export interface ChatCommandDeps {
  /** Shows the panel and sends a message to the shown thread. */
  readonly send: (input: readonly UserInput[]) => Promise<unknown>;
  readonly threads: Pick<ShownThread, 'submit' | 'clear' | 'state' | 'access'>;
  readonly view: {
    focusComposer(): void;
    showWaiting(): void;
    reveal(): Promise<void>;
    openInEditor(): void;
    openInWindow(): Promise<void>;
  };
}

/** The commands about the panel and the thread it shows. */
export class ChatCommands {
  readonly #deps: ChatCommandDeps;

  constructor(deps: ChatCommandDeps) {
    this.#deps = deps;
  }

  async focus(): Promise<void> {
    await this.#deps.view.reveal();
    this.#deps.view.focusComposer();
  }

  openInEditor(): void {
    this.#deps.view.openInEditor();
    this.#deps.view.focusComposer();
  }

  async openInWindow(): Promise<void> {
    await this.#deps.view.openInWindow();
    this.#deps.view.focusComposer();
  }

  /** Sends a message to the shown thread; asks for the text when none is given. */
  async ask(given: string | undefined): Promise<void> {
    if (!hasFolder()) return offerFolder();
    const text = given ?? (await vscode.window.showInputBox({ title: vscode.l10n.t('Ask Tiller') }));
    if (!text?.trim()) return;
    await this.#deps.send([{ type: 'text', text }]);
  }

  /** The focus comes with the empty thread: later, it would close a list or a search that the user has opened since. */
  async newThread(): Promise<void> {
    const { threads, view } = this.#deps;
    // Starts before the panel is shown: a message that the user sends during that time belongs to the new thread.
    const cleared = threads.clear().then(() => view.focusComposer());
    await Promise.all([cleared, view.reveal()]);
  }

  interrupt(): Promise<void> {
    return this.#deps.threads.submit({ type: 'interrupt' });
  }

  /** Compacts the shown thread; the panel shows the result. */
  async compact(): Promise<void> {
    const { threads } = this.#deps;
    await this.#deps.view.reveal();
    if (threads.state !== null && threads.access.type === 'own') return threads.submit({ type: 'compact' });
    const sentence =
      threads.state === null
        ? vscode.l10n.t('No thread is shown.')
        : vscode.l10n.t('This thread is read-only here and cannot be compacted.');
    void vscode.window.showInformationMessage(sentence);
  }

  /** Shows the pending requests of the shown thread in the panel. */
  async showPending(): Promise<void> {
    await this.#deps.view.reveal();
    this.#deps.view.showWaiting();
  }
}
