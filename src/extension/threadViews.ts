import * as vscode from 'vscode';
import type { CatalogResult } from '../core/rollout/catalog.ts';
import type { SessionManager } from '../core/session/sessionManager.ts';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import type { ChatView } from '../vscode/chatView.ts';
import type { ThreadContext } from '../vscode/commands.ts';
import { ThreadList, type ThreadQuery } from '../vscode/threadList.ts';
import { ThreadNotices } from '../vscode/threadNotices.ts';
import type { StoredThread } from '../vscode/threadRows.ts';
import type { ThreadChange, Threads } from '../vscode/threads.ts';

/** Everything a person can do with whole threads: from the list in the panel, its context menu and the palette. */
export class ThreadViews implements Disposable {
  readonly list: ThreadList;
  readonly #threads: Threads;
  readonly #manager: SessionManager;
  readonly #view: ChatView;
  readonly #report: (error: unknown) => void;
  readonly #store = new DisposableStore();

  constructor(parts: {
    readonly threads: Threads;
    readonly manager: SessionManager;
    readonly view: ChatView;
    readonly report: (error: unknown) => void;
  }) {
    const { threads, manager, view, report } = parts;
    this.#threads = threads;
    this.#manager = manager;
    this.#view = view;
    this.#report = report;
    this.list = this.#store.add(
      new ThreadList({
        threads,
        find: (query, signal) => this.#find(query, signal),
        post: (message) => view.tell(message),
        report,
      }),
    );
    this.#store.add(threads.onChange((change) => this.#markSeen(change)));
    this.#store.add(new ThreadNotices(threads, (id) => void this.show(id).catch(report)));
  }

  async showList(): Promise<void> {
    await vscode.commands.executeCommand('tiller.chat.focus');
    this.#view.showThreads();
  }

  async open(threadId: string): Promise<void> {
    if (!(await this.#threads.open(threadId))) sayWhyNot({ type: 'missing' });
  }

  async rename(threadId: string, title: string): Promise<void> {
    if (this.#threads.live.some((state) => state.threadId === threadId)) {
      return this.#threads.submitTo(threadId, { type: 'set_title', title });
    }
    const renamed = await this.#manager.catalog.rename(threadId, title);
    if (renamed.type !== 'done') sayWhyNot(renamed);
    this.list.refresh();
  }

  /** In the list where the person is looking at it, else in a box of its own. */
  async askName(context: ThreadContext | undefined): Promise<void> {
    const { state } = this.#threads;
    const threadId = context?.threadId ?? state?.threadId;
    if (threadId === undefined) return this.#sayNone();
    if (context?.threadId !== undefined) return this.#view.showThreads(threadId);
    const given = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename Thread'),
      value: state?.title ?? '',
      validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('A thread needs a name.') : undefined),
    });
    const title = given?.trim().slice(0, 200);
    if (title) await this.rename(threadId, title);
  }

  async show(threadId: string): Promise<void> {
    await this.open(threadId);
    await vscode.commands.executeCommand('tiller.focus');
  }

  async showWaiting(): Promise<void> {
    const [first] = this.#threads.waiting;
    if (first) await this.show(first.threadId);
    else await vscode.commands.executeCommand('tiller.focus');
  }

  dispose(): void {
    this.#store.dispose();
  }

  #sayNone(): void {
    void vscode.window.showInformationMessage(vscode.l10n.t('No thread is shown.'));
  }

  async #find({ scope, query }: ThreadQuery, signal: AbortSignal): Promise<readonly StoredThread[]> {
    const { catalog } = this.#manager;
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const listed = (await catalog.list(folders)).filter(({ place }) => scope === 'all' || place !== 'elsewhere');
    if (query.trim() === '') return listed;
    const found = new Map<string, string>();
    for await (const { threadId, before, match, after } of catalog.search(query, signal)) {
      if (!found.has(threadId)) found.set(threadId, `${before}${match}${after}`.trim());
    }
    return listed.flatMap((thread) => {
      const words = found.get(thread.id);
      return words === undefined ? [] : [{ ...thread, found: words }];
    });
  }

  /** What is shown has been seen, and so has what ends while it is shown. */
  #markSeen(change: ThreadChange): void {
    const isEnd = change.type === 'event' && change.state.activeTurnId === null && change.before.activeTurnId !== null;
    if (change.state === null || (change.type === 'event' && !isEnd)) return;
    this.#manager.catalog.markSeen(change.state.threadId).catch(this.#report);
  }
}

/** Something could not be done to a thread. */
function sayWhyNot(result: Exclude<CatalogResult, { type: 'done' }>): void {
  const sentence =
    result.type === 'missing'
      ? vscode.l10n.t('This thread is gone or cannot be read. The log says more.')
      : vscode.l10n.t('This thread is open in another window.');
  void vscode.window.showWarningMessage(sentence);
}
