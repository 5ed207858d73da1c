import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import { allowsNetwork } from '../../protocol/policy.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import type { WaitingRoot } from '../../core/agent/threadOverview.ts';

/** Shows whether Tiller works or waits, and the sandbox that commands run in. */
export class StatusBar implements Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #store = new DisposableStore();
  readonly #threads: ShownThread;
  readonly #settings: () => TurnSettings;
  readonly #interrupted: () => number;
  /** The text shown, to skip updates without a change: `refresh` is called with every delta of a model. */
  #shown = '';

  /** `interrupted`: the number of interrupted patches; call `refresh` when it changes. */
  constructor(threads: ShownThread, settings: () => TurnSettings, interrupted: () => number) {
    this.#threads = threads;
    this.#settings = settings;
    this.#interrupted = interrupted;
    this.#item = this.#store.add(
      vscode.window.createStatusBarItem('tiller.status', vscode.StatusBarAlignment.Right, 100),
    );
    this.#item.name = vscode.l10n.t('Tiller');
    this.#store.add(threads.onChange(() => this.refresh()));
    this.#store.add(threads.onActivity(() => this.refresh()));
    this.refresh();
    this.#item.show();
  }

  /** A click shows the thread with the pending request, even if another is shown, or the interrupted patches. */
  refresh(): void {
    const { state, overview } = this.#threads;
    const { running, waitingRoots, questions } = overview;
    const interrupted = this.#interrupted();
    const [first] = waitingRoots;
    this.#item.command = first || interrupted === 0 ? commandFor(first, state) : 'tiller.settlePatch';
    if (first) {
      const names = waitingRoots.map(({ thread: { title } }) => title ?? vscode.l10n.t('Untitled'));
      const pending = vscode.l10n.t('Tiller: {0} pending', questions);
      this.#set('$(bell-dot)', [pending, ...names], { title: pending, wantsAttention: true });
    } else if (interrupted > 0) {
      const sentence = vscode.l10n.t('Tiller: a patch was interrupted while it was applied');
      this.#set('$(bell-dot)', [sentence], { wantsAttention: true });
    } else if (running > 1) {
      this.#set('$(loading~spin)', [vscode.l10n.t('Tiller is working on {0} threads', running)]);
    } else if (running === 1) this.#set('$(loading~spin)', [vscode.l10n.t('Tiller is working')]);
    else this.#set('$(sparkle)', [vscode.l10n.t('Tiller')]);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #set(
    icon: string,
    sentences: readonly string[],
    { title = vscode.l10n.t('Tiller'), wantsAttention = false } = {},
  ): void {
    const text = `${icon} ${title}`;
    const tooltip = [...sentences, sandboxSentence(this.#settings())].join('\n');
    const shown = `${text}\n${tooltip}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: sentences.join(', ') };
    this.#item.backgroundColor = wantsAttention ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }
}

function commandFor(waiting: WaitingRoot | undefined, shown: ThreadState | null): string {
  if (waiting && !waiting.isShown) return 'tiller.showWaitingThread';
  // A list makes sense only for several.
  return (shown?.approvals.length ?? 0) > 1 ? 'tiller.showWaiting' : 'tiller.focus';
}

function sandboxSentence({ box, noSandboxCause, sandboxPolicy }: TurnSettings): string {
  switch (box) {
    case 'bubblewrap':
    case 'seatbelt':
      if (sandboxPolicy.type === 'read-only') return vscode.l10n.t('Commands run in a read-only sandbox.');
      return allowsNetwork(sandboxPolicy)
        ? vscode.l10n.t('Commands run in a sandbox: they write in this workspace only, with network.')
        : vscode.l10n.t('Commands run in a sandbox: they write in this workspace only, without network.');
    case 'external':
      return vscode.l10n.t('Commands run in a sandbox that is managed from outside.');
    case 'none':
      return noSandboxCause === undefined
        ? vscode.l10n.t('Commands run without a sandbox.')
        : vscode.l10n.t(
            'No sandbox works here, so every command that is not known to be read-only needs approval. {0}',
            noSandboxCause,
          );
  }
}
