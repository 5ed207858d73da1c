import * as vscode from 'vscode';
import type { CatalogResult } from '../../core/rollout/catalog.ts';
import type { AgentRole } from '../../core/tools/agents/agents.ts';
import type { AgentService } from '../../core/agent/agentService.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { type Attachment, attachmentsOf } from '../../protocol/draft.ts';
import type { PanelUpdate, ThreadQuery } from '../../protocol/wire.ts';
import type { ThreadContext } from './threadContext.ts';
import { textOfInput } from '../../protocol/thread.ts';
import { askForExport, askForImport } from './threadFileDialogs.ts';
import { shownTitle } from './takeOver.ts';
import { ThreadList } from './threadList.ts';
import { contextKey } from '../ui/contextKey.ts';
import { hasFolder, offerFolder } from '../ui/neededPlace.ts';
import { ReadOnlyTexts } from '../ui/readOnlyTexts.ts';
import { ThreadNotices } from './threadNotices.ts';
import type { StoredThread } from './threadRows.ts';
import type { ThreadChange, ShownThread } from '../../core/agent/shownThread.ts';
import type { ThreadFactory } from './threadFactory.ts';

export interface ThreadCommandsDeps {
  readonly threads: ShownThread;
  readonly service: AgentService;
  readonly factory: ThreadFactory;
  readonly drafts: { set(threadId: string, text: string, edit: null, attachments: readonly Attachment[]): void };
  readonly view: { tell(message: PanelUpdate): void; showThreads(rename?: string): void; reveal(): Promise<void> };
  readonly homeDirectory: string;
  readonly report: (error: unknown) => void;
}

/** Commands about whole threads: from the list in the panel, its context menu and the command palette. */
export class ThreadCommands implements Disposable {
  readonly list: ThreadList;
  readonly #deps: ThreadCommandsDeps;
  readonly #store = new DisposableStore();
  /** Threads as Markdown documents, which an editor searches, and a screen reader reads, like any text. */
  readonly #texts: ReadOnlyTexts;
  readonly #setPinned = contextKey<boolean>('tiller.threadIsPinned');
  #toldPinnedOf: string | undefined;

  constructor(deps: ThreadCommandsDeps) {
    this.#deps = deps;
    this.#texts = this.#store.add(new ReadOnlyTexts('tiller-thread'));
    const { threads, view, report } = deps;
    this.list = this.#store.add(
      new ThreadList({
        threads,
        find: (query, signal) => this.#find(query, signal),
        post: (message) => view.tell(message),
        report,
      }),
    );
    this.#store.add(threads.onChange((change) => this.#markSeen(change)));
    this.#store.add(threads.onChange(({ state }) => void this.#tellPinned(state?.threadId).catch(report)));
    this.#store.add(new ThreadNotices(threads, (id) => void this.show(id).catch(report)));
  }

  async showList(): Promise<void> {
    await this.#deps.view.reveal();
    this.#deps.view.showThreads();
  }

  async open(threadId: string): Promise<void> {
    if (!(await this.#deps.threads.open(threadId))) showFailure({ type: 'missing' });
  }

  async rename(threadId: string, title: string): Promise<void> {
    if (this.#deps.threads.live.some((state) => state.threadId === threadId)) {
      return this.#deps.threads.submitTo(threadId, { type: 'set_title', title });
    }
    const renamed = await this.#deps.service.catalog.rename(threadId, title);
    if (renamed.type !== 'done') showFailure(renamed);
    this.list.refresh();
  }

  /** Starts and shows a thread that works as the agent that the user picks. */
  async startAs(pick: () => Promise<AgentRole | undefined>): Promise<void> {
    if (!hasFolder()) return offerFolder();
    const role = await pick();
    if (role === undefined) return;
    await this.#deps.threads.adopt(await this.#deps.factory.startAs(role));
    await vscode.commands.executeCommand('tiller.focus');
  }

  /** Asks for a name in the open list where it is visible, else in an input box. */
  async askName(context: ThreadContext | undefined): Promise<void> {
    const { state } = this.#deps.threads;
    const threadId = this.#meant(context);
    if (threadId === undefined) return this.#showNoThread();
    if (context?.threadId !== undefined) return this.#deps.view.showThreads(threadId);
    const given = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename Thread'),
      value: state?.title ?? '',
      validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('A thread needs a name.') : undefined),
    });
    const title = given?.trim().slice(0, 200);
    if (title) await this.rename(threadId, title);
  }

  /** Pins the thread, or removes its pin: pinned ones are first in the list. */
  async pin(context: ThreadContext | undefined, isPinned: boolean): Promise<void> {
    const threadId = this.#meant(context);
    if (threadId === undefined) return this.#showNoThread();
    await this.#deps.service.catalog.pin(threadId, isPinned);
    if (threadId === this.#deps.threads.state?.threadId) this.#setPinned(isPinned);
    this.list.refresh();
  }

  /** Shows the copy and puts the message at which it was cut into the composer, to be edited. */
  async fork(context: ThreadContext | undefined): Promise<void> {
    const threadId = await this.#recorded(context);
    if (threadId === undefined) return;
    const { session, draft } = await this.#deps.factory.fork(threadId, context?.itemId ?? null);
    if (draft) this.#deps.drafts.set(session.threadId, textOfInput(draft), null, attachmentsOf(draft));
    await this.#deps.threads.adopt(session);
    await vscode.commands.executeCommand('tiller.focus');
  }

  /** Moves the thread to the trash without asking: it can be restored from the same place. */
  async remove(context: ThreadContext | undefined): Promise<void> {
    const threadId = await this.#recorded(context);
    if (threadId === undefined) return;
    const title = (await this.#deps.service.catalog.find(threadId))?.title ?? null;
    const { threads, service } = this.#deps;
    const removed = await threads.forget(threadId, () => service.remove(threadId));
    if (removed.type !== 'done') return showFailure(removed);
    if (this.list.isOpen) {
      this.list.refresh();
      return this.#deps.view.tell({ type: 'thread_deleted', threadId, title });
    }
    const undo = vscode.l10n.t('Undo');
    const sentence = vscode.l10n.t('“{0}” is in the trash for 30 days.', shownTitle(title));
    if ((await vscode.window.showInformationMessage(sentence, undo)) === undo) await this.restore(threadId);
  }

  async restore(threadId: string): Promise<void> {
    if (!(await this.#deps.service.catalog.restore(threadId))) return showFailure({ type: 'missing' });
    if (this.list.isOpen) this.list.refresh();
    else await this.show(threadId);
  }

  async export(context: ThreadContext | undefined): Promise<void> {
    const threadId = await this.#recorded(context);
    if (threadId === undefined) return;
    const title = (await this.#deps.service.catalog.find(threadId))?.title ?? vscode.l10n.t('Untitled');
    const file = await askForExport(title);
    if (!file) return;
    const text = await this.#deps.service.catalog.export(threadId, file.path.endsWith('.json') ? 'json' : 'markdown');
    if (text === undefined) return showFailure({ type: 'missing' });
    await vscode.workspace.fs.writeFile(file, Buffer.from(text));
    const open = vscode.l10n.t('Open');
    const sentence = vscode.l10n.t('Exported to {0}', vscode.workspace.asRelativePath(file));
    if ((await vscode.window.showInformationMessage(sentence, open)) === open)
      await vscode.window.showTextDocument(file);
  }

  /** The thread as a document to read and to search, for screen readers above all. */
  async openText(context: ThreadContext | undefined): Promise<void> {
    const threadId = await this.#recorded(context);
    if (threadId === undefined) return;
    const { catalog } = this.#deps.service;
    const text = await catalog.export(threadId, 'markdown');
    if (text === undefined) return showFailure({ type: 'missing' });
    const title = (await catalog.find(threadId))?.title ?? vscode.l10n.t('Untitled');
    const document = await this.#texts.open(threadId, `${title}.md`, text);
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
  }

  async bringIn(): Promise<void> {
    const [file] = (await askForImport(this.#deps.homeDirectory)) ?? [];
    if (!file) return;
    const text = Buffer.from(await vscode.workspace.fs.readFile(file)).toString('utf8');
    await this.#deps.threads.adopt(await this.#deps.factory.importThread(text));
    await vscode.commands.executeCommand('tiller.focus');
  }

  /** Asks the owning window to hand the thread over. */
  async takeOver(): Promise<void> {
    const threadId = this.#deps.threads.state?.threadId;
    if (threadId === undefined) return;
    const location = { viewId: 'tiller.chat' };
    await vscode.window.withProgress({ location }, () => this.#deps.threads.open(threadId, 'ask'));
    if (this.#deps.threads.access.type === 'own') return;
    void vscode.window.showWarningMessage(vscode.l10n.t('The other window did not hand the thread over.'));
  }

  async show(threadId: string): Promise<void> {
    await this.open(threadId);
    await vscode.commands.executeCommand('tiller.focus');
  }

  async showWaiting(): Promise<void> {
    const [first] = this.#deps.threads.overview.waitingRoots;
    if (first) await this.show(first.thread.threadId);
    else await vscode.commands.executeCommand('tiller.focus');
  }

  dispose(): void {
    this.#store.dispose();
  }

  #meant(context: ThreadContext | undefined): string | undefined {
    return context?.threadId ?? this.#deps.threads.state?.threadId;
  }

  /** Resolves to `undefined`, after a message to the user, without a thread, and for one whose first message is not sent. */
  async #recorded(context: ThreadContext | undefined): Promise<string | undefined> {
    const threadId = this.#meant(context);
    const { threads, service } = this.#deps;
    if (threadId === undefined) return this.#showNoThread();
    const isNew = threadId === threads.state?.threadId && threads.state.turns.length === 0;
    if (!isNew || (await service.catalog.find(threadId)) !== undefined) return threadId;
    void vscode.window.showInformationMessage(vscode.l10n.t('This thread has no messages yet.'));
    return undefined;
  }

  #showNoThread(): undefined {
    void vscode.window.showInformationMessage(vscode.l10n.t('No thread is shown.'));
    return undefined;
  }

  async #find({ scope, query }: ThreadQuery, signal: AbortSignal): Promise<readonly StoredThread[]> {
    const { catalog } = this.#deps.service;
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const listed = (await catalog.list(folders)).filter(({ place }) => scope === 'all' || place !== 'elsewhere');
    if (query.trim() === '') return listed;
    const found = new Map<string, NonNullable<StoredThread['found']>>();
    const hits = catalog.search(query, signal, { among: listed, hitsPerThread: 1 });
    for await (const { threadId, before, match, after } of hits) {
      found.set(threadId, { before, match, after });
    }
    return listed.flatMap((thread) => {
      const excerpt = found.get(thread.id);
      return excerpt === undefined ? [] : [{ ...thread, found: excerpt }];
    });
  }

  /** Sets the context key by which the palette has "Pin Thread" or "Unpin Thread". */
  async #tellPinned(threadId: string | undefined): Promise<void> {
    if (threadId === this.#toldPinnedOf) return;
    this.#toldPinnedOf = threadId;
    const isPinned = threadId !== undefined && (await this.#deps.service.catalog.isPinned(threadId));
    if (threadId === this.#toldPinnedOf) this.#setPinned(isPinned);
  }

  /** A thread that is shown counts as seen, and so does a turn that ends while it is shown. */
  #markSeen(change: ThreadChange): void {
    const isEnd = change.type === 'event' && change.state.activeTurnId === null && change.before.activeTurnId !== null;
    if (change.state === null || (change.type === 'event' && !isEnd)) return;
    this.#deps.service.catalog.markSeen(change.state.threadId).catch(this.#deps.report);
  }
}

/** Reports why an operation on a thread failed. */
function showFailure(result: Exclude<CatalogResult, { type: 'done' }>): void {
  const sentence =
    result.type === 'missing'
      ? vscode.l10n.t('This thread was deleted or cannot be read. The log has the details.')
      : vscode.l10n.t('This thread is open in another window.');
  void vscode.window.showWarningMessage(sentence);
}
