/** Comments of the user on lines, which are collected and sent as one message. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import type { MessageTarget, ShownThread } from '../../core/agent/shownThread.ts';
import { commentsText } from '../../core/comments/commentsText.ts';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import { denialIn } from '../../protocol/policy.ts';
import type { Settings } from '../../protocol/settings.ts';
import { quoteOf } from '../../protocol/text/quote.ts';
import { cwdOf } from '../../protocol/thread.ts';
import type { PendingComments } from '../../protocol/wire.ts';
import { contextKey } from '../ui/contextKey.ts';
import { pathOf } from '../workspace/places.ts';
import { changedPlaces } from './answered.ts';
import { type Comment, countOf, show } from './comment.ts';
import { CommentField } from './commentField.ts';
import { readComments, type StoredComment, writeComments } from './storedComments.ts';
import { linesOf, openAt, rangeOf, TrackedPlaces } from './trackedPlaces.ts';

export interface LineCommentsDeps {
  readonly memento: Pick<vscode.Memento, 'get' | 'update'>;
  readonly threads: Pick<ShownThread, 'state' | 'onEvent' | 'target'>;
  readonly refusals: ReadRefusals;
  /** Returns true if lines of this document can be commented on, files of the workspace aside. */
  readonly isCommentable: (uri: vscode.Uri) => boolean;
  /** The approval of the proposal that a document is a side of; `undefined` for other documents. */
  readonly proposalOf: (uri: vscode.Uri) => string | undefined;
  /** The file that the proposal is about; `undefined` for other documents. */
  readonly fileOf: (uri: vscode.Uri) => vscode.Uri | undefined;
  /** The thread that waits for an answer to this approval. */
  readonly threadAsking: (approvalId: string) => string | undefined;
  /** Denies a pending patch with a message. */
  readonly deny: (approvalId: string, message: string, threadId: string) => void;
  /** Sends a message of the user and shows the panel. False when it was not sent, because no model was chosen. */
  readonly sendMessage: (input: readonly UserInput[], target: MessageTarget) => Promise<boolean>;
  readonly report: (error: unknown) => void;
}

/** Debounces storing while the user types. */
const STORE_AFTER_MS = 500;

export class LineComments implements Disposable {
  readonly #deps: LineCommentsDeps;
  readonly #store = new DisposableStore();
  readonly #places = this.#store.add(new TrackedPlaces());
  readonly #changed = this.#store.add(new vscode.EventEmitter<void>());
  readonly #setPending = contextKey<boolean>('tiller.hasPendingComments');
  #comments: readonly Comment[] = [];
  /** The comments while they are turned off, to be shown again later. */
  #off: readonly StoredComment[];
  /** `undefined` while they are turned off. */
  #field: CommentField | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;
  /** Fires when the number of pending comments may have changed. */
  readonly onDidChange = this.#changed.event;

  constructor(deps: LineCommentsDeps) {
    this.#deps = deps;
    this.#off = readComments(deps.memento);
    this.#store.add(this.#places.onDidMove((id) => this.#moved(id)));
    this.#store.add(
      deps.threads.onEvent(({ event: { msg, threadId }, state }) => {
        if (msg.type === 'item_completed' && msg.item.type === 'file_change') this.#leaveProposals();
        const sent = this.#comments.filter((comment) => comment.state === 'sent' && comment.threadId === threadId);
        if (sent.length === 0) return;
        const ids = sent.map(({ id }) => id);
        void changedPlaces(msg, cwdOf(state), ids, this.#places).then(
          (changed) => this.#answered(changed),
          deps.report,
        );
      }),
    );
  }

  /**
   * Shows the comments and lets the user add more: with VS Code's + beside every line of the workspace, or only of
   * proposals and plans. `off` removes all of them from the editor, and keeps them stored.
   */
  set mode(mode: Settings['comments']) {
    const isOn = mode !== 'off';
    const isChanged = isOn !== (this.#field !== undefined);
    if (isChanged && isOn) {
      this.#field = new CommentField({
        isForReading: (uri) => this.#isForReading(uri),
        hasPending: () => this.#pending.length > 0,
      });
      this.#comments = this.#off.flatMap((comment) => this.#restored(comment));
      this.#off = [];
    } else if (isChanged) {
      this.#off = this.#stored;
      this.#field?.dispose();
      this.#field = undefined;
      this.#comments = [];
    }
    if (this.#field) this.#field.isEverywhere = mode === 'everywhere';
    if (isChanged) this.#update();
  }

  /** Opens the field for a comment on the selected lines, or on those of a line number. */
  async begin(given?: unknown): Promise<void> {
    if (this.#field === undefined) {
      return void vscode.window.showInformationMessage(vscode.l10n.t('The setting tiller.comments is off.'));
    }
    await this.#field.begin(given);
  }

  get pending(): PendingComments {
    const pending = this.#pending;
    const files = new Set(pending.map(({ id }) => this.#places.get(id)?.uri.path));
    return { count: countOf(pending), files: files.size };
  }

  /** Adds a comment from the field of a comment thread: on new lines, or one more on the same. */
  async add(given: unknown): Promise<void> {
    if (!isReply(given)) return;
    const { thread, text } = given;
    const body = text.trim();
    const known = this.#comments.find((comment) => comment.thread === thread);
    if (body === '' || known?.state === 'sent' || known?.state === 'answered') return;
    if (known === undefined) {
      const refused = await this.#refusal(thread.uri);
      if (refused !== undefined) {
        thread.dispose();
        return void vscode.window.showWarningMessage(refused);
      }
      const lines = linesOf(thread.range ?? new vscode.Range(0, 0, 0, 0));
      const document = openAt(thread.uri) ?? (await vscode.workspace.openTextDocument(thread.uri));
      const id = randomUUID();
      this.#places.put(id, { uri: thread.uri, lines, quote: quoteOf(document.getText(), lines) ?? '' });
      this.#comments = [...this.#comments, { id, texts: [body], state: 'pending', thread }];
      this.#field?.endOffer();
    } else this.#replace({ ...known, texts: [...known.texts, body] });
    this.#update();
  }

  /** `given`: a comment, or its thread. */
  remove(given: unknown): void {
    const found = this.#comments.find(({ thread }) => thread === given || thread.comments.includes(given as never));
    if (found === undefined) return;
    const rest = found.thread === given ? [] : found.texts.filter((_, at) => found.thread.comments[at] !== given);
    if (rest.length > 0) this.#replace({ ...found, texts: rest });
    else this.#drop([found]);
    this.#update();
  }

  /** Asks first. */
  async discard(): Promise<void> {
    const pending = this.#pending;
    const discard = vscode.l10n.t('Discard');
    const question =
      countOf(pending) === 1
        ? vscode.l10n.t('Discard the comment that is not sent?')
        : vscode.l10n.t('Discard {0} comments that are not sent?', countOf(pending));
    if (pending.length === 0) return tellNoComment();
    if ((await vscode.window.showWarningMessage(question, { modal: true }, discard)) !== discard) return;
    this.#drop(pending);
    this.#update();
  }

  /**
   * Sends all pending comments as one message. Those on a pending patch deny it, with the others in the reason. Rejects
   * when the message was not sent.
   */
  async send(): Promise<void> {
    const pending = this.#pending;
    if (pending.length === 0) return tellNoComment();
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (const { id } of pending) {
        const uri = this.#places.get(id)?.uri;
        const refused = uri && (await this.#refusal(uri));
        if (refused !== undefined) return void vscode.window.showWarningMessage(refused);
      }
      if (this.#denied(pending)) return;
      const { target } = this.#deps.threads;
      const isSent = await this.#deps.sendMessage([{ type: 'text', text: this.#textOf(pending) }], target);
      if (isSent) this.#sent(pending, target.threadId);
    } finally {
      this.#isSending = false;
    }
  }

  /** Shows VS Code's list of comments, which does not exist before the first one. */
  async show(): Promise<void> {
    if (this.#comments.length === 0) return tellNoComment();
    await vscode.commands.executeCommand('workbench.action.focusCommentsPanel');
  }

  /** Denies the patches that comments are about; the first denial has all other comments, too. False where there is none. */
  #denied(pending: readonly Comment[]): boolean {
    const { threadAsking, deny } = this.#deps;
    const asking = this.#approvalsOf(pending).flatMap((approvalId) => {
      const threadId = threadAsking(approvalId);
      return threadId === undefined ? [] : [{ approvalId, threadId }];
    });
    for (const [index, { approvalId, threadId }] of asking.entries()) {
      const isOther = (comment: Comment) =>
        asking.slice(1).some((later) => later.approvalId === this.#approvalOf(comment));
      const own = pending.filter((comment) =>
        index === 0 ? !isOther(comment) : this.#approvalOf(comment) === approvalId,
      );
      const message = this.#textOf(own);
      this.#sent(own, threadId);
      deny(approvalId, message, threadId);
    }
    return asking.length > 0;
  }

  /** A denial with the pending comments on the denied patches; every other op as it is. They count as sent. */
  withComments(op: Op, threadId: string | undefined): Op {
    const denial = op.type === 'approval' ? denialIn(op.decision) : undefined;
    if (op.type !== 'approval' || denial === undefined) return op;
    const own = this.#pending.filter((comment) => op.approvalIds.includes(this.#approvalOf(comment) ?? ''));
    if (own.length === 0) return op;
    const message = [denial.message?.trim() ?? '', this.#textOf(own)].filter((part) => part !== '').join('\n\n');
    this.#sent(own, threadId);
    return { ...op, decision: { denied: { message } } };
  }

  dispose(): void {
    if (this.#timer !== undefined) this.#write();
    this.#field?.dispose();
    this.#store.dispose();
  }

  get #pending(): readonly Comment[] {
    return this.#comments.filter(({ state }) => state === 'pending');
  }

  get #stored(): readonly StoredComment[] {
    const shown = this.#comments.flatMap(({ id, texts, state, threadId }): StoredComment[] => {
      const place = this.#places.get(id);
      if (place === undefined) return [];
      const { uri, lines, quote } = place;
      const about = { id, uri: uri.toString(), lines, quote, texts, state };
      return [threadId === undefined ? about : { ...about, threadId }];
    });
    return [...this.#off, ...shown];
  }

  /** A side of a proposal, or a plan. */
  #isForReading(uri: vscode.Uri): boolean {
    return this.#deps.proposalOf(uri) !== undefined || this.#deps.isCommentable(uri);
  }

  async #refusal(uri: vscode.Uri): Promise<string | undefined> {
    const path = pathOf(this.#fileOf(uri));
    return (await this.#deps.refusals([path])).get(path);
  }

  #fileOf(uri: vscode.Uri): vscode.Uri {
    return this.#deps.fileOf(uri) ?? uri;
  }

  /** Returns true if the document is a side of a proposal that was answered. */
  #isAnswered(uri: vscode.Uri): boolean {
    const approvalId = this.#deps.proposalOf(uri);
    return approvalId !== undefined && this.#deps.threadAsking(approvalId) === undefined;
  }

  #restored(stored: StoredComment): Comment[] {
    const { id, lines, quote, texts, state, threadId } = stored;
    if (this.#field === undefined) return [];
    const known = vscode.Uri.parse(stored.uri, true);
    const uri = this.#isAnswered(known) ? this.#fileOf(known) : known;
    const place = this.#places.put(id, { uri, lines, quote });
    const thread = this.#field.createThread(place.uri, rangeOf(place.lines));
    return [{ id, texts, state, thread, ...(threadId === undefined ? {} : { threadId }) }];
  }

  #approvalOf({ id }: Comment): string | undefined {
    const uri = this.#places.get(id)?.uri;
    return uri && this.#deps.proposalOf(uri);
  }

  #approvalsOf(comments: readonly Comment[]): readonly string[] {
    return [...new Set(comments.flatMap((comment) => this.#approvalOf(comment) ?? []))];
  }

  #textOf(comments: readonly Comment[]): string {
    const { state } = this.#deps.threads;
    const cwd = cwdOf(state);
    const about = comments.flatMap(({ id, texts }) => {
      const place = this.#places.get(id);
      if (place === undefined) return [];
      const isProposed = this.#deps.proposalOf(place.uri) !== undefined;
      const file = pathOf(this.#fileOf(place.uri));
      return [{ path: this.#nameOf(place.uri, file, cwd), lines: place.lines, quote: place.quote, isProposed, texts }];
    });
    return commentsText(about, vscode.l10n.t('My comments:'));
  }

  /** A plan is outside of the workspace; the model knows it by its title alone. */
  #nameOf(uri: vscode.Uri, file: string, cwd: string): string {
    if (cwd !== '' && isBelow(file, cwd)) return path.relative(cwd, file);
    return this.#deps.isCommentable(uri) ? path.basename(file) : vscode.workspace.asRelativePath(file);
  }

  /**
   * Moves a comment on a proposal to the file: the proposal is gone with its answer. `comments` are as they were sent;
   * a text that was added since stays pending, in its own comment.
   */
  #sent(comments: readonly Comment[], threadId: string | undefined): void {
    for (const { thread: _thread, ...comment } of comments) {
      const place = this.#places.get(comment.id);
      const known = this.#comments.find(({ id }) => id === comment.id);
      if (place === undefined || known === undefined) continue;
      const file = this.#fileOf(place.uri);
      const next = { ...comment, state: 'sent' as const, ...(threadId === undefined ? {} : { threadId }) };
      const added = without(known.texts, comment.texts);
      if (added.length > 0) {
        this.#replace({ ...known, texts: added });
        const stored = { ...place, ...next, id: randomUUID(), uri: file.toString() };
        this.#comments = [...this.#comments, ...this.#restored(stored)];
      } else if (file === place.uri) this.#replace({ ...next, thread: known.thread });
      else this.#replace({ ...next, thread: this.#at(known, file) });
    }
    this.#update();
  }

  /** Moves comments on an answered proposal to the file. */
  #leaveProposals(): void {
    let isChanged = false;
    for (const comment of this.#comments) {
      const uri = this.#places.get(comment.id)?.uri;
      if (uri === undefined || !this.#isAnswered(uri)) continue;
      this.#replace({ ...comment, thread: this.#at(comment, this.#fileOf(uri)) });
      isChanged = true;
    }
    if (isChanged) this.#update();
  }

  /** A new thread of VS Code for the comment in another document: the one of a thread cannot be changed. */
  #at({ id, thread }: Comment, uri: vscode.Uri): vscode.CommentThread {
    const place = this.#places.get(id);
    if (place === undefined || this.#field === undefined) return thread;
    const { lines } = this.#places.put(id, { ...place, uri });
    const made = this.#field.createThread(uri, rangeOf(lines), thread);
    thread.dispose();
    return made;
  }

  #moved(id: string): void {
    const [comment, place] = [this.#comments.find((candidate) => candidate.id === id), this.#places.get(id)];
    if (comment === undefined || place === undefined) return;
    if (comment.thread.uri.toString() === place.uri.toString()) comment.thread.range = rangeOf(place.lines);
    else this.#replace({ ...comment, thread: this.#at(comment, place.uri) });
    this.#writeSoon();
  }

  #answered(ids: readonly string[]): void {
    if (ids.length === 0) return;
    for (const comment of this.#comments)
      if (ids.includes(comment.id)) this.#replace({ ...comment, state: 'answered' });
    this.#update();
  }

  #replace(comment: Comment): void {
    this.#comments = this.#comments.map((known) => (known.id === comment.id ? comment : known));
  }

  #drop(comments: readonly Comment[]): void {
    for (const { id, thread } of comments) {
      thread.dispose();
      this.#places.delete(id);
    }
    this.#comments = this.#comments.filter((known) => !comments.some(({ id }) => id === known.id));
  }

  /** Call after each change of comments. */
  #update(): void {
    const count = countOf(this.#pending);
    for (const comment of this.#comments) show(comment, count);
    this.#setPending(count > 0);
    this.#changed.fire();
    this.#writeSoon();
  }

  #writeSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), STORE_AFTER_MS);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    writeComments(this.#deps.memento, this.#stored).catch(this.#deps.report);
  }
}

/** False without an argument, as from a key. */
function isReply(given: unknown): given is vscode.CommentReply {
  return typeof given === 'object' && given !== null && 'thread' in given && 'text' in given;
}

function tellNoComment(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('There is no comment to send. “Comment on Lines” writes one.'),
  );
}

/** The texts that are not among `others`; one that is there twice is left out twice. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const rest = [...texts];
  for (const other of others) {
    const at = rest.indexOf(other);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}
