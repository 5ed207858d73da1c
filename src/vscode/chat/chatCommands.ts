import * as vscode from 'vscode';
import type { Op } from '../../protocol/op.ts';
import { describeSelection } from './editorText.ts';

export interface ChatCommandDeps {
  readonly threads: { submit(op: Op): Promise<void>; clear(): Promise<void> };
  readonly view: { focusComposer(): void; insertText(text: string): void; showWaiting(): void };
}

/** The commands about the panel and the thread it shows. */
export class ChatCommands {
  readonly #deps: ChatCommandDeps;

  constructor(deps: ChatCommandDeps) {
    this.#deps = deps;
  }

  async focus(): Promise<void> {
    await revealPanel();
    this.#deps.view.focusComposer();
  }

  /** Sends a message to the shown thread; asks for the text when none is given. */
  async ask(given: string | undefined): Promise<void> {
    const text = given ?? (await vscode.window.showInputBox({ title: vscode.l10n.t('Ask Tiller') }));
    if (!text?.trim()) return;
    await revealPanel();
    await this.#deps.threads.submit({ type: 'steer', input: [{ type: 'text', text }] });
  }

  /** The focus comes with the empty thread: later, it would close a list or a search that the user has opened since. */
  async newThread(): Promise<void> {
    await revealPanel();
    await this.#deps.threads.clear();
    this.#deps.view.focusComposer();
  }

  async sendSelection(): Promise<void> {
    const text = describeSelection();
    if (text === undefined) return;
    await revealPanel();
    this.#deps.view.insertText(text);
  }

  interrupt(): Promise<void> {
    return this.#deps.threads.submit({ type: 'interrupt' });
  }

  /** Shows the pending requests of the shown thread in the panel. */
  async showPending(): Promise<void> {
    await revealPanel();
    this.#deps.view.showWaiting();
  }
}

/** In whichever side bar the user keeps it. */
async function revealPanel(): Promise<void> {
  await vscode.commands.executeCommand('tiller.chat.focus');
}
