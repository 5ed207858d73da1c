/** Undo of a turn, redo, and rewind to a message: shown first, file by file, and done once the user agrees. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { LiveThreads } from '../../core/agent/liveThreads.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import { type Attachment, attachmentsOf, unsentInput } from '../../protocol/draft.ts';
import type { EventMsgOf } from '../../protocol/event.ts';
import type { TurnItemOf, UserInput } from '../../protocol/item.ts';
import type { OpOf } from '../../protocol/op.ts';
import { cwdOf, type ThreadState, textOfInput } from '../../protocol/thread.ts';
import type { ResendRequest, RevertTarget } from '../../protocol/wire.ts';
import { leftAloneInWords } from '../ui/workspacePaths.ts';
import { firstLine } from '../../protocol/text/truncate.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import { showKeptDiffs } from './keptDocuments.ts';
import { pickReverts } from './pickReverts.ts';
import { allTabs } from '../workspace/documents.ts';

export interface RevertCommandsDeps {
  readonly threads: Pick<ShownThread, 'state' | 'access'>;
  readonly live: Pick<LiveThreads, 'get' | 'submit'>;
  /** Into the composer. */
  readonly insertText: (text: string, attachments: readonly Attachment[]) => void;
  /** Whether there is a model for the next turn; asks the user to select one where there is none. */
  readonly hasModel: () => Promise<boolean>;
  /** To the shown thread. Rejects when it is not sent. */
  readonly send: (input: readonly UserInput[]) => Promise<void>;
}

type RevertOp = OpOf<'undo' | 'redo' | 'rollback'>;
type Planned = EventMsgOf<'revert_planned'>;

/** The first event that answers an op. */
type Answer = Planned | EventMsgOf<'files_reverted' | 'turns_rolled_back' | 'warning'>;

/** The thread was closed. */
const NO_ANSWER: Answer = { type: 'warning', message: '' };

export class RevertCommands {
  readonly #deps: RevertCommandsDeps;
  #ops = 0;

  constructor(deps: RevertCommandsDeps) {
    this.#deps = deps;
  }

  /** Of the shown thread. */
  async revert(target: RevertTarget): Promise<void> {
    const state = this.#ownState();
    if (state === undefined) return;
    switch (target.type) {
      case 'undo':
        return this.#askAndRevert({ type: 'undo', turnId: target.turnId }, state, vscode.l10n.t('Undo turn'));
      case 'redo':
        return this.#askAndRevert({ type: 'redo' }, state, vscode.l10n.t('Redo'));
      case 'rewind':
        return this.#rewind(target.itemId, state);
    }
  }

  /** The last turn that ended and is not undone. */
  async undoLastTurn(): Promise<void> {
    const turn = this.#ownState()?.turns.findLast(({ status, reverted }) => status.type !== 'running' && !reverted);
    if (turn !== undefined) await this.revert({ type: 'undo', turnId: turn.id });
  }

  /** To before a message of the user, which the user picks where none is named. */
  async rewind(itemId: string | undefined): Promise<void> {
    const state = this.#ownState();
    const named = itemId ?? (state && (await pickMessage(state)));
    if (named !== undefined) await this.revert({ type: 'rewind', itemId: named });
  }

  /**
   * Goes back to before a message and sends `input`, or the same message, in its place. Returns false when the user
   * cancels or the thread cannot go back: then the conversation is unchanged, but a running turn was stopped.
   */
  async resend({ itemId, input, restoresFiles: files }: ResendRequest): Promise<boolean> {
    const state = this.#ownState();
    if (state === undefined || !(await this.#deps.hasModel())) return false;
    const message = messageIn(state, itemId);
    // Without it the thread has gone back already, and `input` is a new message.
    if (message !== undefined) {
      const { threadId } = state;
      if (state.activeTurnId !== null) this.#deps.live.submit(threadId, { type: 'interrupt' });
      const op = { type: 'rollback', toItemId: itemId, files, conversation: true } as const;
      if (files) await this.#askAndRevert(op, state, vscode.l10n.t('Rewind to here'));
      else await this.#submit(op, threadId);
      if (this.#deps.threads.state?.threadId !== threadId || this.#hasMessage(itemId)) return false;
    }
    const next = input ?? (message === undefined ? [] : unsentInput(message.content));
    if (next.length === 0) return false;
    try {
      await this.#deps.send(next);
    } catch (error) {
      // An edited message stays in the composer; this one is in no place any more.
      if (input === null) this.#deps.insertText(textOfInput(next), attachmentsOf(next));
      throw error;
    }
    return true;
  }

  async #rewind(itemId: string, state: ThreadState): Promise<void> {
    const message = messageIn(state, itemId);
    if (message === undefined) return;
    const both = { label: vscode.l10n.t('Files and conversation'), files: true, conversation: true };
    const filesOnly = { label: vscode.l10n.t('Files only'), files: true, conversation: false };
    const conversationOnly = { label: vscode.l10n.t('Conversation only'), files: false, conversation: true };
    const picked = await vscode.window.showQuickPick([both, filesOnly, conversationOnly], {
      title: vscode.l10n.t('Rewind to here'),
      placeHolder: vscode.l10n.t('What goes back to before this message'),
    });
    if (picked === undefined) return;
    const { files, conversation } = picked;
    const op = { type: 'rollback', toItemId: itemId, files, conversation } as const;
    if (files) await this.#askAndRevert(op, state, vscode.l10n.t('Rewind to here'));
    else await this.#submit(op, state.threadId);
    if (conversation && !this.#hasMessage(itemId)) {
      this.#deps.insertText(textOfInput(message.content), attachmentsOf(message.content));
    }
  }

  #hasMessage(itemId: string): boolean {
    const { state } = this.#deps.threads;
    return state !== null && messageIn(state, itemId) !== undefined;
  }

  async #askAndRevert(op: RevertOp, state: ThreadState, title: string): Promise<void> {
    const planned = await this.#submit({ ...op, preview: true }, state.threadId);
    // A warning is in the panel.
    if (planned.type !== 'revert_planned') return;
    const isConversation = op.type === 'rollback' && op.conversation;
    const { files } = planned;
    const cwd = cwdOf(state);
    const diffs = files.flatMap(({ path: file, contents }) =>
      contents ? [{ path: path.resolve(cwd, file), ...contents }] : [],
    );
    const heading = vscode.l10n.t('{0}: preview', title);
    if (diffs.length > 0) await showKeptDiffs(heading, diffs);
    try {
      if (diffs.length === 0 && !isConversation) {
        // As after a crash whose undo was finished: nothing has recorded it yet.
        if (files.length > 0 && files.every((file) => file.state === 'done')) await this.#submit(op, state.threadId);
        return tellNothing(files);
      }
      const choices = diffs.length === 0 ? {} : await pickReverts(title, files);
      if (choices === undefined) return;
      const filesToo = op.type === 'rollback' ? { files: diffs.length > 0 } : {};
      const answer = await this.#submit({ ...op, ...choices, ...filesToo }, state.threadId);
      if (answer.type === 'files_reverted') tellReverted(answer);
    } finally {
      await closePreview(heading);
    }
  }

  /** Resolves with what the session answers; of a rewind, when it is over, with what became of the files. */
  #submit(op: RevertOp, threadId: string): Promise<Answer> {
    const { live } = this.#deps;
    const isRewind = op.type === 'rollback' && op.preview !== true;
    let reverted: Answer | undefined;
    const session = live.get(threadId)?.session;
    if (session === undefined) return Promise.resolve(NO_ANSWER);
    const submissionId = `revert-${++this.#ops}`;
    return new Promise((resolve) => {
      // The registry of threads announces only events that change the state of a thread.
      const listener = session.onEvent(({ msg, submissionId: answered }) => {
        if (msg.type !== 'thread_closed' && answered !== submissionId) return;
        if (isRewind && msg.type === 'files_reverted') {
          reverted = msg;
          return;
        }
        listener.dispose();
        resolve(isAnswer(msg) ? (reverted ?? msg) : NO_ANSWER);
      });
      live.submit(threadId, op, submissionId);
    });
  }

  /** Tells the user why nothing can be reverted. */
  #ownState(): ThreadState | undefined {
    const { state, access } = this.#deps.threads;
    if (state !== null && access.type === 'own') return state;
    const sentence =
      state === null
        ? vscode.l10n.t('No thread is shown.')
        : vscode.l10n.t('This thread is read-only here: what it changed cannot be undone.');
    void vscode.window.showInformationMessage(sentence);
    return undefined;
  }
}

function messageIn({ turns }: ThreadState, itemId: string): TurnItemOf<'user_message'> | undefined {
  const item = turns.flatMap(({ items }) => items).find(({ id }) => id === itemId);
  return item?.type === 'user_message' ? item : undefined;
}

/** The messages that began turns, the last one first. */
async function pickMessage({ turns }: ThreadState): Promise<string | undefined> {
  const items = turns.toReversed().flatMap(({ items: [first], startedAt }) => {
    if (first?.type !== 'user_message') return [];
    const label = withoutIcons(firstLine(textOfInput(first.content), 100));
    return [{ label, description: new Date(startedAt).toLocaleTimeString(), itemId: first.id }];
  });
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Rewind to here'),
    placeHolder: vscode.l10n.t('The message to go back to before'),
  });
  return picked?.itemId;
}

function isAnswer(msg: { readonly type: string }): msg is Answer {
  return ['revert_planned', 'files_reverted', 'turns_rolled_back', 'warning'].includes(msg.type);
}

function tellNothing(files: Planned['files']): void {
  const reasons = files.flatMap(({ path: file, reason }) => (reason === undefined ? [] : [{ path: file, reason }]));
  const nothing = vscode.l10n.t('There is nothing to undo or redo.');
  void vscode.window.showInformationMessage(`${nothing} ${leftAloneInWords(reasons)}`.trim());
}

function tellReverted({ direction, paths, skipped }: EventMsgOf<'files_reverted'>): void {
  const count = paths.length;
  const sentences = {
    undo: count === 1 ? vscode.l10n.t('Undone in 1 file.') : vscode.l10n.t('Undone in {0} files.', count),
    redo: count === 1 ? vscode.l10n.t('Redone in 1 file.') : vscode.l10n.t('Redone in {0} files.', count),
  };
  if (skipped.length === 0) {
    void vscode.window.showInformationMessage(sentences[direction]);
    return;
  }
  const left = vscode.l10n.t('Left alone: {0}', leftAloneInWords(skipped));
  void vscode.window.showWarningMessage(withoutLinks(`${sentences[direction]} ${left}`));
}

async function closePreview(title: string): Promise<void> {
  const tabs = allTabs().filter(({ label }) => label.startsWith(title));
  await vscode.window.tabGroups.close(tabs, true).then(undefined, () => false);
}
