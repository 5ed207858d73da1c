import * as vscode from 'vscode';
import type { Disposable } from '../../core/util/disposable.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import type { SecretRedactor } from '../../core/util/secretRedactor.ts';
import type {
  InterruptedPatch,
  PanelUpdate,
  PanelSettings,
  PendingComments,
  PendingReview,
  WebviewMessage,
} from '../../protocol/wire.ts';
import { type Attachment, attachmentsOf } from '../../protocol/draft.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import { textOfInput } from '../../protocol/thread.ts';
import type { ReviewState } from '../../protocol/review.ts';
import { AgentUpdates } from './agentUpdates.ts';
import type { Drafts } from './drafts.ts';
import { ChatPage, type PagePlace, webviewOptions } from './chatPage.ts';
import type { Dequeued, ShownThread } from '../../core/agent/shownThread.ts';

export interface ChatViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly build: string;
  readonly threads: ShownThread;
  readonly drafts: Drafts;
  /** Messages of the user in all threads, newest first. */
  readonly history: () => Promise<readonly string[]>;
  readonly settings: () => PanelSettings;
  /** Submits an op of the page to the shown thread. */
  readonly submit: (op: Op) => Promise<void>;
  /** The API keys that Tiller holds; the page does not get them. */
  readonly keys: SecretRedactor;
  /** Interrupted patches that wait for a recovery choice. */
  readonly interrupted: () => readonly InterruptedPatch[];
  /** The choices in pending proposals. */
  readonly reviews: () => readonly ReviewState[];
  /** Applied changes that are pending in change review. */
  readonly pendingReview: () => PendingReview;
  /** Comments on lines that are not sent. */
  readonly pendingComments: () => PendingComments;
  /** Requests that only the extension host can carry out. */
  readonly handle: (
    message: Exclude<WebviewMessage, { type: 'ready' | 'op' | 'draft' | 'load_earlier' | 'log' }>,
  ) => void;
  /** Shows why an op was not submitted: no thread could be started for it. */
  readonly tell: (error: unknown) => void;
  /** Called when the page has its snapshot. */
  readonly onShown: () => void;
  /** Called when the page was closed or hidden. */
  readonly onGone: () => void;
  readonly log: (level: 'warn' | 'error', message: string) => void;
}

/**
 * The pages that get a message: `all` for state, `one` for an answer to a page and for what the user does there: the page
 * that the user has used last.
 */
const RECIPIENTS = {
  snapshot: 'one',
  events: 'all',
  draft: 'all',
  settings: 'all',
  earlier: 'one',
  threads: 'all',
  elsewhere: 'all',
  agents: 'all',
  side_copy: 'all',
  interrupted: 'all',
  history: 'all',
  review: 'all',
  comments: 'all',
  thread_deleted: 'all',
  show_threads: 'one',
  insert_text: 'one',
  resent: 'all',
  selection: 'all',
  image_file: 'one',
  mentions_found: 'one',
  models: 'one',
  focus_composer: 'one',
  focus_back: 'one',
  prompts: 'all',
  skills: 'all',
  rule_preview: 'one',
  rule_suggestion: 'one',
  proposal_choices: 'all',
  show_waiting: 'one',
} as const satisfies Readonly<Record<PanelUpdate['type'], 'all' | 'one'>>;

/** The type of the editor tab, by which VS Code restores it. */
export const EDITOR_VIEW = 'tiller.chatEditor';

/**
 * The host side of the panel, in the side bar and in an editor tab: both show the same thread and draft. Posts a
 * snapshot and then updates, and forwards messages of the pages. VS Code may discard a page at any time; all lasting
 * state is kept here.
 */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  readonly #options: ChatViewOptions;
  readonly #store = new DisposableStore();
  readonly #agents: AgentUpdates;
  readonly #pages = new Map<PagePlace, ChatPage>();
  #view: vscode.WebviewView | undefined;
  #panel: vscode.WebviewPanel | undefined;
  /** The page that the user has used last. */
  #last: PagePlace = 'side';
  /** Messages for after the snapshot, while the page is loading. */
  readonly #held: { readonly place: PagePlace; readonly message: PanelUpdate }[] = [];

  constructor(options: ChatViewOptions) {
    this.#options = options;
    this.#store.add(
      options.threads.onChange((change) => {
        for (const page of this.#ready) {
          if (change.type === 'switched') this.#sendSnapshot(page);
          else page.event(change.event);
        }
        if (change.type === 'switched') this.#showTitle();
      }),
    );
    this.#store.add(
      options.threads.onActivity(() => {
        this.#showBadge();
        // The first message gives the thread its title.
        this.#showTitle();
        this.tell({ type: 'elsewhere', ...options.threads.overview.elsewhere });
      }),
    );
    this.#agents = this.#store.add(new AgentUpdates(options.threads, (rows) => this.tell({ type: 'agents', rows })));
    this.#store.add(options.threads.onDequeued((dequeued) => this.#returnToDraft(dequeued)));
  }

  get visible(): boolean {
    return this.#view?.visible === true || this.#panel?.visible === true;
  }

  /** Call when the number of changed files in the side copy of an agent may differ. */
  updateAgents(): void {
    this.#agents.update();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const page = this.#open('side', view.webview);
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
      this.#close(page);
    });
    view.onDidChangeVisibility(() => !view.visible && this.#pageIsGone(page));
    this.#showBadge();
  }

  /** Shows the panel in an editor tab, too. */
  openInEditor(): void {
    if (this.#panel) return this.#panel.reveal();
    const options = webviewOptions(this.#options.extensionUri);
    this.restoreEditor(vscode.window.createWebviewPanel(EDITOR_VIEW, '', vscode.ViewColumn.Active, options));
  }

  /** Moves the panel to a window of its own, as an editor tab. */
  async openInWindow(): Promise<void> {
    this.openInEditor();
    await vscode.commands.executeCommand('workbench.action.moveEditorToNewWindow');
  }

  /** Takes over an editor tab, such as one from before a reload. */
  restoreEditor(panel: vscode.WebviewPanel): void {
    this.#panel?.dispose();
    this.#panel = panel;
    this.#last = 'editor';
    panel.iconPath = vscode.Uri.joinPath(this.#options.extensionUri, 'media', 'icon.png');
    this.#showTitle();
    const page = this.#open('editor', panel.webview);
    panel.onDidDispose(() => {
      if (this.#panel === panel) this.#panel = undefined;
      this.#close(page);
    });
    panel.onDidChangeViewState(() => {
      if (panel.active) this.#last = 'editor';
      if (!panel.visible) this.#pageIsGone(page);
    });
  }

  /** Shows the panel where the user has used it last: in the editor tab, or in the side bar where the user has placed it. */
  async reveal(options: { readonly preserveFocus?: boolean } = {}): Promise<void> {
    if (this.#target === 'editor') this.#panel?.reveal(undefined, options.preserveFocus);
    else await vscode.commands.executeCommand('tiller.chat.focus', options);
  }

  sendSettings(): void {
    for (const page of this.#ready) page.post({ type: 'settings', settings: this.#settings(page) });
  }

  sendInterrupted(): void {
    this.#showBadge();
    this.tell({ type: 'interrupted', patches: this.#options.interrupted() });
  }

  sendReview(): void {
    this.tell({ type: 'review', review: this.#options.pendingReview() });
  }

  sendComments(): void {
    this.tell({ type: 'comments', pending: this.#options.pendingComments() });
  }

  insertText(text: string): void {
    this.tellWhenReady({ type: 'insert_text', text });
  }

  /** Opens the list of threads; with an id, to rename that one. */
  showThreads(rename?: string): void {
    this.tellWhenReady({ type: 'show_threads', ...(rename === undefined ? {} : { rename }) });
  }

  /** Sends an update to the pages that are there (`RECIPIENTS`): a new page gets the state with its snapshot, or asks for it. */
  tell(message: PanelUpdate): void {
    if (RECIPIENTS[message.type] === 'one') this.#readyAt(this.#target)?.post(message);
    else for (const page of this.#ready) page.post(message);
  }

  /** Sent after the next snapshot where there is no page yet. */
  tellWhenReady(message: PanelUpdate): void {
    const place = this.#target;
    const page = this.#readyAt(place);
    if (page) page.post(message);
    else this.#held.push({ place, message });
  }

  focusComposer(): void {
    this.tellWhenReady({ type: 'focus_composer' });
  }

  /** Shows the panel and focuses the control that had the focus there last. */
  async focusBack(): Promise<void> {
    await this.reveal();
    this.tellWhenReady({ type: 'focus_back' });
  }

  showWaiting(): void {
    this.tellWhenReady({ type: 'show_waiting' });
  }

  dispose(): void {
    for (const page of this.#pages.values()) page.suspend();
    this.#panel?.dispose();
    this.#store.dispose();
  }

  get #ready(): readonly ChatPage[] {
    return [...this.#pages.values()].filter(({ isReady }) => isReady);
  }

  #readyAt(place: PagePlace): ChatPage | undefined {
    const page = this.#pages.get(place);
    return page?.isReady ? page : undefined;
  }

  /** The page for the user's next action. */
  get #target(): PagePlace {
    if (this.#panel === undefined) return 'side';
    return this.#last === 'editor' || this.#view?.visible !== true ? 'editor' : 'side';
  }

  #open(place: PagePlace, webview: vscode.Webview): ChatPage {
    const { extensionUri, build, keys, log } = this.#options;
    const receive = (message: WebviewMessage, from: ChatPage) => this.#receive(message, from);
    const page = new ChatPage(webview, { place, extensionUri, build, keys, receive, log });
    this.#pages.set(place, page);
    return page;
  }

  #close(page: ChatPage): void {
    if (this.#pages.get(page.place) === page) this.#pages.delete(page.place);
    this.#pageIsGone(page);
  }

  #pageIsGone(page: ChatPage): void {
    page.suspend();
    if (page.place === this.#last || this.#ready.length === 0) this.#options.onGone();
  }

  #settings(page: ChatPage): PanelSettings {
    const imageRoot = page.imageRoot();
    return { ...this.#options.settings(), ...(imageRoot === undefined ? {} : { imageRoot }) };
  }

  #showTitle(): void {
    if (this.#panel) this.#panel.title = this.#options.threads.state?.title ?? 'Tiller';
  }

  /** The number of pending requests. */
  #showBadge(): void {
    if (!this.#view) return;
    const { threads, interrupted } = this.#options;
    const value = threads.overview.questions + interrupted().length;
    this.#view.badge = value === 0 ? undefined : { value, tooltip: vscode.l10n.t('{0} pending requests', value) };
  }

  #receive(message: WebviewMessage, page: ChatPage): void {
    const { build, submit, tell, handle, log, threads } = this.#options;
    if (message.type !== 'ready' && message.type !== 'log') this.#last = page.place;
    switch (message.type) {
      case 'ready':
        return message.build === build ? this.#welcome(page) : page.load();
      case 'op':
        return void submit(page.images.restored(message.op)).catch(tell);
      case 'resend':
        return handle({ ...message, input: message.input && page.images.whole(message.input) });
      case 'draft':
        return this.#keepDraft(message, page);
      case 'load_earlier':
        return page.sendEarlier(threads.state?.turns ?? [], message.before);
      case 'log':
        return log(message.level, message.message);
      default:
        return handle(message);
    }
  }

  #keepDraft(
    { threadId, text, edit, attachments, images }: Extract<WebviewMessage, { type: 'draft' }>,
    page: ChatPage,
  ): void {
    const { drafts, threads } = this.#options;
    const whole = (ofDraft: readonly Attachment[]) => page.images.wholeAttachments(ofDraft);
    const given = images && { draft: whole(images.draft), edit: whole(images.edit) };
    drafts.set(threadId, text, edit, attachments, given);
    drafts.place = page.place;
    if ((threads.state?.threadId ?? null) !== threadId) return;
    for (const other of this.#ready) if (other !== page) other.post({ type: 'draft', ...this.#draft(other) });
  }

  #draft({ draftCount }: ChatPage) {
    const { drafts, threads } = this.#options;
    const id = threads.state?.threadId ?? null;
    return { draft: drafts.get(id), attachments: drafts.attachmentsOf(id), edit: drafts.editOf(id), draftCount };
  }

  #welcome(page: ChatPage): void {
    void this.#options.threads.restore().then(() => {
      if (this.#pages.get(page.place) !== page) return;
      this.#sendSnapshot(page);
      const held = this.#held.splice(0);
      this.#held.push(...held.filter(({ place }) => place !== page.place));
      for (const { place, message } of held) if (place === page.place) page.post(message);
    });
  }

  #sendSnapshot(page: ChatPage): void {
    const { drafts, threads, interrupted, reviews, pendingReview, pendingComments } = this.#options;
    page.post({
      type: 'snapshot',
      ...page.begin(threads.state),
      access: threads.access,
      ...this.#draft(page),
      ...(drafts.place === undefined || drafts.place === page.place ? {} : { isDraftOfOther: true }),
      settings: this.#settings(page),
      texts: vscode.l10n.bundle ?? {},
    });
    this.#agents.post();
    page.post({ type: 'elsewhere', ...threads.overview.elsewhere });
    page.post({ type: 'interrupted', patches: interrupted() });
    for (const review of reviews()) page.post({ type: 'proposal_choices', review });
    page.post({ type: 'review', review: pendingReview() });
    page.post({ type: 'comments', pending: pendingComments() });
    this.#options.onShown();
    void this.#options.history().then((texts) => this.tell({ type: 'history', texts }));
  }

  /** A dropped message returns to the composer. The page ends an edit of its own on the same event. */
  #returnToDraft({ threadId, msg, input }: Dequeued): void {
    const { drafts, threads } = this.#options;
    if (drafts.endEdit(threadId, msg) || msg.reason !== 'dropped' || input.length === 0) return;
    const text = textOfInput(input);
    const attachments = attachmentsOf(input);
    drafts.append(threadId, text, attachments);
    if (threads.state?.threadId === threadId) this.tell({ type: 'insert_text', text, attachments, isReturned: true });
  }

  /**
   * Keeps a message for a thread over a reload of the window until the returned function is called: it is then in the
   * draft. `null`: for the thread that it is to start.
   */
  hold(input: readonly UserInput[], threadId: string | null): () => void {
    return this.#options.drafts.hold(threadId, textOfInput(input), attachmentsOf(input));
  }

  /** Returns a message that was not sent to the composer of its thread; `null`: of the one that it was to start. */
  giveBack(input: readonly UserInput[], threadId: string | null): void {
    const { drafts, threads } = this.#options;
    const [text, attachments] = [textOfInput(input), attachmentsOf(input)];
    drafts.append(threadId, text, attachments);
    if ((threads.state?.threadId ?? null) !== threadId) return;
    this.tell({ type: 'insert_text', text, attachments, isUnsent: true, isReturned: true });
  }
}
