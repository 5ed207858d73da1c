import * as vscode from 'vscode';
import type { Disposable } from '../../core/util/disposable.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import type { SecretRedactor } from '../../core/util/secretRedactor.ts';
import { mapTexts } from '../../core/util/mapTexts.ts';
import {
  type HostMessage,
  type InterruptedPatch,
  type PanelUpdate,
  type PanelSettings,
  type PendingComments,
  type PendingReview,
  type WebviewMessage,
  webviewMessageSchema,
} from '../../protocol/wire.ts';
import { type Attachment, attachmentsOf } from '../../protocol/draft.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import { textOfInput } from '../../protocol/thread.ts';
import type { ReviewState } from '../../protocol/review.ts';
import { AgentUpdates } from './agentUpdates.ts';
import type { Drafts } from './drafts.ts';
import { EventBatcher } from './eventBatcher.ts';
import { PanelImages } from './panelImages.ts';
import { RedactingStream } from './redactingStream.ts';
import { panelHtml } from '../ui/webviewHtml.ts';
import { pageOfTurns, snapshotOf } from './snapshot.ts';
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
  /** The page has its snapshot. */
  readonly onShown: () => void;
  /** The page was closed or hidden. */
  readonly onGone: () => void;
  readonly log: (level: 'warn' | 'error', message: string) => void;
}

/**
 * The host side of the panel: posts a snapshot and then updates, and parses and forwards messages of the page, nothing
 * else. VS Code may discard the page at any time; all lasting state is kept here.
 */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  readonly #options: ChatViewOptions;
  readonly #store = new DisposableStore();
  readonly #agents: AgentUpdates;
  readonly #batcher = new EventBatcher((events) => this.#post({ type: 'events', events }));
  readonly #stream: RedactingStream;
  readonly #images = new PanelImages();
  #view: vscode.WebviewView | undefined;
  /** The page has its snapshot and gets updates. */
  #ready = false;
  /** Messages for after the snapshot, while the page is loading. */
  readonly #held: PanelUpdate[] = [];

  constructor(options: ChatViewOptions) {
    this.#options = options;
    this.#stream = new RedactingStream(options.keys);
    this.#store.add(
      options.threads.onChange((change) => {
        if (!this.#ready) return;
        if (change.type === 'switched') this.#sendSnapshot();
        else for (const event of this.#stream.take(change.event)) this.#batcher.push(this.#images.ofEvent(event));
      }),
    );
    this.#store.add(
      options.threads.onActivity(() => {
        this.#showBadge();
        this.tell({ type: 'elsewhere', ...options.threads.overview.elsewhere });
      }),
    );
    this.#agents = this.#store.add(new AgentUpdates(options.threads, (rows) => this.tell({ type: 'agents', rows })));
    this.#store.add(options.threads.onDequeued((dequeued) => this.#returnToDraft(dequeued)));
  }

  get visible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#ready = false;
    const { extensionUri } = this.#options;
    view.webview.options = {
      enableScripts: true,
      // Pictures of the workspace, to which answers refer.
      localResourceRoots: [
        vscode.Uri.joinPath(extensionUri, 'dist', 'webview'),
        ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri),
      ],
    };
    view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#batcher.clear();
      this.#pageIsGone();
    });
    view.onDidChangeVisibility(() => {
      // When shown again the page loads anew and asks for a snapshot.
      if (!view.visible) this.#pageIsGone();
    });
    view.webview.html = panelHtml(view.webview, extensionUri);
    this.#showBadge();
  }

  sendSettings(): void {
    if (this.#ready) this.#post({ type: 'settings', settings: this.#settings() });
  }

  #settings(): PanelSettings {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const mayLoad = folder !== undefined && vscode.workspace.isTrusted && this.#view !== undefined;
    const imageRoot = mayLoad ? this.#view?.webview.asWebviewUri(folder.uri).toString() : undefined;
    return { ...this.#options.settings(), ...(imageRoot === undefined ? {} : { imageRoot }) };
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
    this.#postWhenReady({ type: 'insert_text', text });
  }

  /** Opens the list of threads; with an id, to rename that one. */
  showThreads(rename?: string): void {
    this.#postWhenReady({ type: 'show_threads', ...(rename === undefined ? {} : { rename }) });
  }

  /** Not sent without a page: it gets the state with its snapshot, or asks for it. */
  tell(message: PanelUpdate): void {
    if (this.#ready) this.#post(message);
  }

  /** Sent with the next snapshot where there is no page yet. */
  tellWhenReady(message: PanelUpdate): void {
    this.#postWhenReady(message);
  }

  focusComposer(): void {
    this.#postWhenReady({ type: 'focus_composer' });
  }

  sendRulePreview(
    answer: Pick<Extract<HostMessage, { type: 'rule_preview' }>, 'approvalId' | 'rule' | 'preview'>,
  ): void {
    if (this.#ready) this.#post({ type: 'rule_preview', ...answer });
  }

  sendRuleSuggestion(
    answer: Pick<Extract<HostMessage, { type: 'rule_suggestion' }>, 'approvalId' | 'suggestion'>,
  ): void {
    if (this.#ready) this.#post({ type: 'rule_suggestion', ...answer });
  }

  showWaiting(): void {
    this.#postWhenReady({ type: 'show_waiting' });
  }

  dispose(): void {
    this.#batcher.clear();
    this.#store.dispose();
  }

  #pageIsGone(): void {
    this.#ready = false;
    this.#options.onGone();
  }

  /** The number of pending requests. */
  #showBadge(): void {
    if (!this.#view) return;
    const { threads, interrupted } = this.#options;
    const value = threads.overview.questions + interrupted().length;
    this.#view.badge = value === 0 ? undefined : { value, tooltip: vscode.l10n.t('{0} waiting for you', value) };
  }

  #receive(raw: unknown): void {
    const parsed = webviewMessageSchema.safeParse(raw);
    if (!parsed.success) {
      this.#options.log('warn', `The panel sent an unknown message: ${parsed.error.message}`);
      return;
    }
    const message = parsed.data;
    switch (message.type) {
      case 'ready':
        return this.#welcome(message.build);
      case 'op':
        return void this.#options.submit(this.#images.restored(message.op)).catch(this.#options.tell);
      case 'resend':
        return this.#options.handle({ ...message, input: message.input && this.#images.whole(message.input) });
      case 'draft':
        return this.#keepDraft(message);
      case 'load_earlier':
        return this.#sendEarlier(message.before);
      case 'log':
        return this.#options.log(message.level, message.message);
      default:
        return this.#options.handle(message);
    }
  }

  #keepDraft({ threadId, text, edit, attachments, images }: Extract<WebviewMessage, { type: 'draft' }>): void {
    const whole = (ofDraft: readonly Attachment[]) => this.#images.wholeAttachments(ofDraft);
    const given = images && { draft: whole(images.draft), edit: whole(images.edit) };
    this.#options.drafts.set(threadId, text, edit, attachments, given);
  }

  #welcome(build: string): void {
    if (build !== this.#options.build && this.#view) {
      this.#view.webview.html = panelHtml(this.#view.webview, this.#options.extensionUri);
      return;
    }
    void this.#options.threads.restore().then(() => {
      this.#ready = true;
      this.#sendSnapshot();
      for (const message of this.#held.splice(0)) this.#post(message);
    });
  }

  #sendSnapshot(): void {
    this.#batcher.clear();
    const { threads, drafts, interrupted, reviews, pendingReview, pendingComments } = this.#options;
    const { state } = threads;
    this.#post({
      type: 'snapshot',
      ...(state ? snapshotOf(this.#images.ofThread(this.#stream.begin(state))) : { thread: null, earlierTurns: 0 }),
      access: threads.access,
      draft: drafts.get(state?.threadId ?? null),
      attachments: drafts.attachmentsOf(state?.threadId ?? null),
      edit: drafts.editOf(state?.threadId ?? null),
      settings: this.#settings(),
      texts: vscode.l10n.bundle ?? {},
    });
    this.#agents.post();
    this.#post({ type: 'elsewhere', ...threads.overview.elsewhere });
    this.#post({ type: 'interrupted', patches: interrupted() });
    for (const review of reviews()) this.#post({ type: 'proposal_choices', review });
    this.#post({ type: 'review', review: pendingReview() });
    this.#post({ type: 'comments', pending: pendingComments() });
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

  /** A message that was not sent goes back to the composer of its thread; `null`: of the one that it was to start. */
  giveBack(input: readonly UserInput[], threadId: string | null): void {
    const { drafts, threads } = this.#options;
    const [text, attachments] = [textOfInput(input), attachmentsOf(input)];
    drafts.append(threadId, text, attachments);
    if ((threads.state?.threadId ?? null) !== threadId) return;
    this.tell({ type: 'insert_text', text, attachments, isUnsent: true, isReturned: true });
  }

  #sendEarlier(before: string): void {
    const turns = this.#images.ofTurns(this.#options.threads.state?.turns ?? []);
    const end = turns.findIndex((turn) => turn.id === before);
    if (end > 0) this.#post({ type: 'earlier', ...pageOfTurns(turns, end) });
  }

  #postWhenReady(message: PanelUpdate): void {
    if (this.#ready) this.#post(message);
    else this.#held.push(message);
  }

  #post(message: PanelUpdate): void {
    const { build, keys } = this.#options;
    const stamped = { ...message, build };
    void this.#view?.webview.postMessage(keys.isEmpty ? stamped : mapTexts(stamped, (text) => keys.hide(text)));
  }
}
