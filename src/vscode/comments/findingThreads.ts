/** Findings of reviews as comments in the editor. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { MessageTarget, ShownThread } from '../../core/agent/shownThread.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Finding } from '../../protocol/codeReview.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import type { Op } from '../../protocol/op.ts';
import { findQuote, quoteOf } from '../../protocol/text/quote.ts';
import { findingText, fixFinding } from '../../protocol/text/findings.ts';
import { cwdOf, type ThreadState } from '../../protocol/thread.ts';
import { withoutImages } from '../ui/escapeUiText.ts';
import { uriOf } from '../workspace/places.ts';
import { changedPlaces } from './answered.ts';
import { openAt, rangeOf, TrackedPlaces } from './trackedPlaces.ts';

export interface FindingThreadsDeps {
  readonly threads: Pick<ShownThread, 'state' | 'onChange' | 'target'>;
  /** Sends a message of the user and shows the panel. False when it was not sent, because no model was chosen. */
  readonly sendMessage: (input: readonly UserInput[], target: MessageTarget) => Promise<boolean>;
  readonly send: (op: Op, target: MessageTarget) => Promise<unknown>;
  /** Adds to the message that the user writes. */
  readonly quote: (text: string) => void;
  readonly report: (error: unknown) => void;
}

interface Shown {
  readonly itemId: string;
  finding: Finding;
  readonly thread: vscode.CommentThread;
}

/** The name of the controller in `when` clauses. */
const CONTROLLER = 'tiller.findings';

/** The findings of the shown thread that have a place and are not dismissed, each as a comment that moves with the text. */
export class FindingThreads implements Disposable {
  readonly #deps: FindingThreadsDeps;
  readonly #store = new DisposableStore();
  readonly #places = this.#store.add(new TrackedPlaces());
  readonly #shown = new Map<string, Shown>();
  readonly #fixing = new Set<string>();
  #controller: vscode.CommentController | undefined;

  constructor(deps: FindingThreadsDeps) {
    this.#deps = deps;
    this.#store.add(this.#places.onDidMove((id) => this.#place(id)));
    this.#store.add(
      deps.threads.onChange((change) => {
        if (change.type === 'switched') return this.#show(change.state);
        const { msg } = change.event;
        if (msg.type === 'item_completed' && msg.item.type === 'file_change') {
          return void this.#resolve(msg, change.state).catch(deps.report);
        }
        const isReview = msg.type === 'item_completed' && msg.item.type === 'code_review';
        if (isReview || msg.type === 'finding_marked' || msg.type === 'turns_rolled_back') this.#show(change.state);
      }),
    );
  }

  /** Shows them, or removes all of them from the editor. */
  set isOn(isOn: boolean) {
    if (isOn === (this.#controller !== undefined)) return;
    if (isOn) {
      this.#controller = vscode.comments.createCommentController(CONTROLLER, vscode.l10n.t('Tiller Review'));
      this.#show(this.#deps.threads.state);
    } else {
      this.#show(null);
      this.#controller?.dispose();
      this.#controller = undefined;
    }
  }

  /** A command has no effect for a comment that is no longer shown. */
  async fix(thread: unknown): Promise<void> {
    const found = this.#find(thread);
    if (found) await this.#fix(found.id, found);
  }

  /** Fixes a finding that the panel shows. */
  async fixFinding(itemId: string, findingId: string): Promise<void> {
    const found = this.#known(itemId, findingId);
    if (found) await this.#fix(found.id, found);
  }

  #known(itemId: string, findingId: string): (Pick<Shown, 'itemId' | 'finding'> & { readonly id: string }) | undefined {
    const { state } = this.#deps.threads;
    const item = state?.turns.flatMap(({ items }) => items).find(({ id }) => id === itemId);
    const finding = item?.type === 'code_review' ? item.findings.find(({ id }) => id === findingId) : undefined;
    return finding && { id: `${state?.threadId} ${itemId} ${findingId}`, itemId, finding };
  }

  /** Marks the finding as sent once it is. A second click has no effect while a model is chosen for the first. */
  async #fix(id: string, about: Pick<Shown, 'itemId' | 'finding'>): Promise<void> {
    const { sendMessage, send, threads } = this.#deps;
    const { target } = threads;
    if (this.#fixing.has(id)) return;
    this.#fixing.add(id);
    try {
      const input = fixFinding(await this.#now(id, about.finding), vscode.l10n.t('Fix this finding of the review:'));
      if (await sendMessage(input, target)) await send(markOf(about, 'sent'), target);
    } finally {
      this.#fixing.delete(id);
    }
  }

  async quote(thread: unknown): Promise<void> {
    const found = this.#find(thread);
    if (found) await this.#quote(found);
  }

  /** Quotes a finding that the panel shows. */
  async quoteFinding(itemId: string, findingId: string): Promise<void> {
    const found = this.#known(itemId, findingId);
    if (found) await this.#quote(found);
  }

  async #quote({ id, finding }: { readonly id: string; readonly finding: Finding }): Promise<void> {
    this.#deps.quote(`${findingText(await this.#now(id, finding))}\n\n`);
  }

  async dismiss(thread: unknown): Promise<void> {
    const found = this.#find(thread);
    if (found) await this.#deps.send(markOf(found, 'dismissed'), this.#deps.threads.target);
  }

  dispose(): void {
    this.isOn = false;
    this.#store.dispose();
  }

  #find(thread: unknown): (Shown & { readonly id: string }) | undefined {
    for (const [id, shown] of this.#shown) if (shown.thread === thread) return { id, ...shown };
    return undefined;
  }

  /**
   * Returns the finding with the present place of its lines; without lines if they have changed, or the file is gone.
   */
  async #now(id: string, finding: Finding): Promise<Finding> {
    const { state } = this.#deps.threads;
    const uri = this.#places.get(id)?.uri ?? (state === null ? undefined : uriIn(cwdOf(state), finding));
    if (uri === undefined || finding.lines === undefined) return finding;
    // A place follows the text of its document from when it is opened.
    const document = await openQuietly(uri);
    const { lines, quote = '' } = this.#places.get(id) ?? finding;
    const now = lines && linesNow(document?.getText(), { lines, quote });
    if (now !== undefined) return { ...finding, lines: now, quote };
    const { lines: _lines, quote: _quote, ...rest } = finding;
    return rest;
  }

  #show(state: ThreadState | null): void {
    const wanted = new Map(
      (this.#controller === undefined ? [] : placedFindings(state)).map((finding) => [
        `${state?.threadId} ${finding.id}`,
        finding,
      ]),
    );
    for (const [id, { thread }] of this.#shown) {
      if (wanted.has(id)) continue;
      thread.dispose();
      this.#shown.delete(id);
      this.#places.delete(id);
    }
    for (const [id, { uri, itemId, finding }] of wanted) {
      const known = this.#shown.get(id);
      if (known === undefined) this.#add(id, uri, itemId, finding);
      else {
        known.finding = finding;
        describe(known.thread, finding);
      }
    }
  }

  #add(id: string, uri: vscode.Uri, itemId: string, finding: Finding): void {
    const { lines, quote = '' } = finding;
    if (lines === undefined || this.#controller === undefined) return;
    const place = this.#places.put(id, { uri, lines, quote });
    const thread = this.#controller.createCommentThread(uri, rangeOf(place.lines), [commentOf(finding)]);
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    describe(thread, finding);
    this.#shown.set(id, { itemId, finding, thread });
  }

  #place(id: string): void {
    const [shown, place] = [this.#shown.get(id), this.#places.get(id)];
    if (shown === undefined || place === undefined) return;
    if (shown.thread.uri.toString() === place.uri.toString()) {
      shown.thread.range = rangeOf(place.lines);
      return;
    }
    // The file of a comment cannot be changed.
    shown.thread.dispose();
    this.#shown.delete(id);
    this.#add(id, place.uri, shown.itemId, { ...shown.finding, lines: place.lines, quote: place.quote });
  }

  async #resolve(msg: Parameters<typeof changedPlaces>[0], state: ThreadState): Promise<void> {
    const sent = [...this.#shown].filter(([, { finding }]) => finding.state === 'sent').map(([id]) => id);
    for (const id of await changedPlaces(msg, cwdOf(state), sent, this.#places)) {
      const thread = this.#shown.get(id)?.thread;
      if (thread) thread.state = vscode.CommentThreadState.Resolved;
    }
  }
}

function placedFindings(state: ThreadState | null): readonly {
  readonly id: string;
  readonly uri: vscode.Uri;
  readonly itemId: string;
  readonly finding: Finding;
}[] {
  if (state === null) return [];
  const cwd = cwdOf(state);
  return state.turns.flatMap(({ items }) =>
    items.flatMap((item) => {
      if (item.type !== 'code_review') return [];
      return item.findings.flatMap((finding) => {
        if (finding.lines === undefined || finding.state === 'dismissed') return [];
        const uri = uriIn(cwd, finding);
        if (uri === undefined) return [];
        return [{ id: `${item.id} ${finding.id}`, uri, itemId: item.id, finding }];
      });
    }),
  );
}

/**
 * Returns the present lines of the quote; `undefined` if the text does not have it any more. Without a quote the lines
 * are taken as they are.
 */
function linesNow(
  text: string | undefined,
  { lines, quote }: { readonly lines: LineRange; readonly quote: string },
): LineRange | undefined {
  if (text === undefined) return undefined;
  return quote === '' || quoteOf(text, lines) === quote ? lines : findQuote(text, quote, lines);
}

function uriIn(cwd: string, { path: file }: Finding): vscode.Uri | undefined {
  return file === undefined ? undefined : uriOf(path.resolve(cwd, file));
}

/** Opens a document in no editor. `undefined` where it is gone, or is not text. */
async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return openAt(uri) ?? (await vscode.workspace.openTextDocument(uri));
  } catch {
    return undefined;
  }
}

function commentOf({ title, body, priority }: Finding): vscode.Comment {
  const level = priority === undefined ? '' : `P${priority}: `;
  const text = new vscode.MarkdownString();
  text.appendText(`${level}${title}`);
  if (body !== '') text.appendMarkdown(`\n\n${withoutImages(body)}`);
  return {
    author: { name: vscode.l10n.t('Tiller Review') },
    body: text,
    mode: vscode.CommentMode.Preview,
  };
}

function describe(thread: vscode.CommentThread, { title, state }: Finding): void {
  thread.label = state === 'sent' ? vscode.l10n.t('{0} (sent)', title) : title;
  thread.contextValue = state;
}

function markOf({ itemId, finding }: Pick<Shown, 'itemId' | 'finding'>, state: Finding['state']): Op {
  return { type: 'mark_finding', itemId, findingId: finding.id, state };
}
