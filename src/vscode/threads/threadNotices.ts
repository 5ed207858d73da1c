import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { questionOf } from './threadRows.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import type { WaitingRoot } from '../../core/agent/threadOverview.ts';

/** Characters of a question in a notification; the rest is in the panel. */
const QUESTION_LENGTH = 160;

/** Shows one notification when a thread that is not shown starts to wait for the user. */
export class ThreadNotices implements Disposable {
  readonly #threads: ShownThread;
  readonly #showThread: (threadId: string) => void;
  readonly #store = new DisposableStore();
  #known: ReadonlySet<string> = new Set();

  constructor(threads: ShownThread, showThread: (threadId: string) => void) {
    this.#threads = threads;
    this.#showThread = showThread;
    this.#store.add(threads.onActivity(() => this.#look()));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #look(): void {
    const waiting = this.#threads.overview.waitingRoots;
    const news = waiting.filter(({ thread, isShown }) => !isShown && !this.#known.has(thread.threadId));
    this.#known = new Set(waiting.map(({ thread }) => thread.threadId));
    for (const root of news) void this.#notify(root);
  }

  async #notify({ thread, asking }: WaitingRoot): Promise<void> {
    const show = vscode.l10n.t('Show');
    const title = withoutLinks(thread.title ?? vscode.l10n.t('Untitled'));
    const question = withoutLinks(inOneLine(questionOf(asking), QUESTION_LENGTH));
    const sentence = vscode.l10n.t('“{0}” needs you: {1}', title, question);
    if ((await vscode.window.showInformationMessage(sentence, show)) === show) this.#showThread(thread.threadId);
  }
}
