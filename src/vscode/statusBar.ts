import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import type { Box } from '../protocol/policy.ts';
import type { ThreadState } from '../protocol/thread.ts';
import type { Threads } from './threads.ts';

/** Always says whether Tiller works or waits, and in what box commands run. */
export class StatusBar implements Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #store = new DisposableStore();
  readonly #box: () => Box;

  constructor(threads: Threads, box: () => Box) {
    this.#box = box;
    this.#item = this.#store.add(
      vscode.window.createStatusBarItem('tiller.status', vscode.StatusBarAlignment.Right, 100),
    );
    this.#item.name = vscode.l10n.t('Tiller');
    this.#store.add(threads.onChange(({ state }) => this.show(state)));
    this.show(threads.state);
    this.#item.show();
  }

  show(state: ThreadState | null): void {
    const waiting = (state?.approvals.length ?? 0) + (state?.questions.length ?? 0);
    // A list is for several.
    this.#item.command = (state?.approvals.length ?? 0) > 1 ? 'tiller.showWaiting' : 'tiller.focus';
    const running = state !== null && state.activeTurnId !== null;
    if (waiting > 0) this.#set('$(bell-dot)', vscode.l10n.t('Tiller: {0} waiting for you', waiting), true);
    else if (running) this.#set('$(loading~spin)', vscode.l10n.t('Tiller is working'), false);
    else this.#set('$(sparkle)', vscode.l10n.t('Tiller'), false);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #set(icon: string, sentence: string, wantsAttention: boolean): void {
    const text = `${icon} ${vscode.l10n.t('Tiller')}`;
    if (this.#item.text !== text) this.#item.text = text;
    this.#item.tooltip = `${sentence}\n${boxSentence(this.#box())}`;
    this.#item.accessibilityInformation = { label: sentence };
    this.#item.backgroundColor = wantsAttention ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }
}

function boxSentence(box: Box): string {
  switch (box) {
    case 'bubblewrap':
    case 'seatbelt':
      return vscode.l10n.t('Commands run in a sandbox.');
    case 'external':
      return vscode.l10n.t('Commands run in a sandbox that is managed from outside.');
    case 'none':
      return vscode.l10n.t('Commands run without a sandbox.');
  }
}
