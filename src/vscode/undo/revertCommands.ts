/** Undo of a turn, redo, and rewind to a message: shown first, file by file, and done once the user agrees. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { LiveThreads } from '../../core/agent/liveThreads.ts';
import type { MessageTarget, ShownThread } from '../../core/agent/shownThread.ts';
import { isFinal } from '../../core/tools/agents/agentStatus.ts';
import { unsentInput } from '../../protocol/draft.ts';
import type { EventMsgOf } from '../../protocol/event.ts';
import type { TurnItemOf, UserInput } from '../../protocol/item.ts';
import type { OpOf } from '../../protocol/op.ts';
import { cwdOf, type ThreadState, textOfInput } from '../../protocol/thread.ts';
import type { ResendRequest, RevertTarget } from '../../protocol/wire.ts';
import { leftAloneInWords } from '../ui/workspacePaths.ts';
import { firstLine } from '../../protocol/text/truncate.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import { showKeptDiffs } from './keptDocuments.ts';
import { pickReverts, sideCopyOf } from './pickReverts.ts';
import { allTabs, closeTabs } from '../workspace/documents.ts';

export interface RevertCommandsDeps {
  readonly threads: Pick<ShownThread, 'state' | 'access' | 'target' | 'open'>;
  readonly live: Pick<LiveThreads, 'get' | 'submit'>;
  /** Into the composer of a thread, shown or not. */
  readonly giveBack: (input: readonly UserInput[], threadId: string) => void;
  /** Resolves to true if there is a model for the next turn; asks the user to select one where there is none. */
  readonly hasModel: () => Promise<boolean>;
  /** Rejects when it is not sent. */
  readonly send: (input: readonly UserInput[], target: MessageTarget) => Promise<void>;
}

type RevertOp = OpOf<'undo' | 'redo' | 'rollback'>;
type Planned = EventMsgOf<'revert_planned'>;

/** The first event that answers an op. */
type Answer = Planned | EventMsgOf<'files_reverted' | 'turns_rolled_back' | 'warning'>;

interface Outcome {
  /** The answer; for a rewind that includes files, the answer about the files. */
  readonly answer: Answer;
  /** The conversation is as it was before the message. */
  readonly hasGoneBack: boolean;
}

const NO_ANSWER: Outcome = { answer: { type: 'warning', message: '' }, hasGoneBack: false };

export class RevertCommands {
  readonly #deps: RevertCommandsDeps;
  #ops = 0;

  constructor(deps: RevertCommandsDeps) {
    this.#deps = deps;
  }

  /** Reverts in the shown thread. */
  async revert(target: RevertTarget): Promise<void> {
    const state = await this.#ownState();
    if (state === undefined) return;
    switch (target.type) {
      case 'undo':
        await this.#askAndRevert({ type: 'undo', turnId: target.turnId }, state, vscode.l10n.t('Undo Turn'));
        return;
      case 'redo':
        await this.#askAndRevert({ type: 'redo' }, state, vscode.l10n.t('Redo'));
        return;
      case 'rewind':
        return this.#rewind(target.itemId, state);
    }
  }

  /** The last turn that ended and is not undone. */
  async undoLastTurn(): Promise<void> {
    const state = await this.#ownState();
    const turn = state?.turns.findLast(({ status, reverted }) => status.type !== 'running' && !reverted);
    if (turn !== undefined) await this.revert({ type: 'undo', turnId: turn.id });
  }

  /** Goes back to before a message of the user, which the user picks where none is named. */
  async rewind(itemId: string | undefined): Promise<void> {
    const state = await this.#ownState();
    const named = itemId ?? (state && (await pickMessage(state)));
    if (named !== undefined) await this.revert({ type: 'rewind', itemId: named });
  }

  /**
   * Goes back to before a message of the shown thread and sends `input`, or the same message, in its place, also when
   * another thread is shown since. Returns false when the user cancels or the thread cannot go back: then the
   * conversation is unchanged, but a running turn was stopped. Rejects when the message is not sent.
   */
  async resend({ itemId, input, restoresFiles: files }: ResendRequest): Promise<boolean> {
    const { target } = this.#deps.threads;
    const state = await this.#ownState();
    if (state === undefined || !(await this.#deps.hasModel())) return false;
    const { threadId } = state;
    const message = messageIn(state, itemId);
    // A thread without the message has gone back already: then `input` is a new message.
    if (message !== undefined) {
      const isAgentWorking = state.agents.some((agent) => !isFinal(agent));
      if (state.activeTurnId !== null || isAgentWorking) this.#deps.live.submit(threadId, { type: 'interrupt' });
      const op = { type: 'rollback', toItemId: itemId, files, conversation: true } as const;
      const hasGoneBack = files
        ? await this.#askAndRevert(op, state, vscode.l10n.t('Rewind to Here'))
        : (await this.#submit(op, threadId)).hasGoneBack;
      if (!hasGoneBack) return false;
    }
    const next = input ?? (message === undefined ? [] : unsentInput(message.content));
    if (next.length === 0) return false;
    try {
      await this.#deps.send(next, target);
    } catch (error) {
      // An edited message stays in the composer; this one is in no place any more.
      if (input === null) this.#deps.giveBack(next, threadId);
      throw error;
    }
    return true;
  }

  async #rewind(itemId: string, state: ThreadState): Promise<void> {
    const message = messageIn(state, itemId);
    if (message === undefined) return;
    const both = { label: vscode.l10n.t('Files and Thread'), files: true, conversation: true };
    const filesOnly = { label: vscode.l10n.t('Files Only'), files: true, conversation: false };
    const conversationOnly = { label: vscode.l10n.t('Thread Only'), files: false, conversation: true };
    const picked = await vscode.window.showQuickPick([both, filesOnly, conversationOnly], {
      title: vscode.l10n.t('Rewind to Here'),
      placeHolder: vscode.l10n.t('Select what to rewind to before this message'),
    });
    if (picked === undefined) return;
    const { files, conversation } = picked;
    const op = { type: 'rollback', toItemId: itemId, files, conversation } as const;
    const hasGoneBack = files
      ? await this.#askAndRevert(op, state, vscode.l10n.t('Rewind to Here'))
      : (await this.#submit(op, state.threadId)).hasGoneBack;
    if (hasGoneBack) this.#deps.giveBack(message.content, state.threadId);
  }

  /** Returns whether the conversation has gone back. */
  async #askAndRevert(op: RevertOp, state: ThreadState, title: string): Promise<boolean> {
    const { answer: planned } = await this.#submit({ ...op, preview: true }, state.threadId);
    // A warning is in the panel.
    if (planned.type !== 'revert_planned') return false;
    const isConversation = op.type === 'rollback' && op.conversation;
    const { files, folders = [] } = planned;
    const cwd = cwdOf(state);
    const diffs = files.flatMap(({ path: file, contents }) =>
      contents ? [{ path: path.resolve(cwd, file), ...contents }] : [],
    );
    const heading = vscode.l10n.t('{0}: preview', title);
    if (diffs.length > 0) await showKeptDiffs(heading, diffs);
    try {
      if (diffs.length === 0 && !isConversation) {
        // As after a crash whose undo was finished: no record of it exists yet.
        const isDone = files.every((file) => file.state === 'done');
        const { answer } =
          isDone && files.length + folders.length > 0 ? await this.#submit(op, state.threadId) : NO_ANSWER;
        if (folders.length > 0 && answer.type === 'files_reverted') tellFolders(answer.direction, folders);
        else tellNothing(planned);
        return false;
      }
      const choices = diffs.length === 0 ? {} : await pickReverts(title, planned);
      if (choices === undefined) return false;
      const filesToo = op.type === 'rollback' ? { files: diffs.length > 0 } : {};
      const { answer, hasGoneBack } = await this.#submit({ ...op, ...choices, ...filesToo }, state.threadId);
      if (answer.type === 'files_reverted') tellReverted(answer);
      return hasGoneBack;
    } finally {
      await closePreview(heading);
    }
  }

  /**
   * Resolves with the answer of the session; for a rewind, when it is over. Informs the user when the thread is closed.
   */
  #submit(op: RevertOp, threadId: string): Promise<Outcome> {
    const { live } = this.#deps;
    const isRewind = op.type === 'rollback' && op.preview !== true;
    let reverted: Answer | undefined;
    const session = live.get(threadId)?.session;
    if (session === undefined) {
      tellClosed();
      return Promise.resolve(NO_ANSWER);
    }
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
        if (msg.type === 'thread_closed') tellClosed();
        if (!isAnswer(msg)) return resolve(NO_ANSWER);
        const hasGoneBack = msg.type === 'turns_rolled_back' && msg.conversation;
        resolve({ answer: reverted ?? msg, hasGoneBack });
      });
      live.submit(threadId, op, submissionId);
    });
  }

  /**
   * The shown thread, opened where its session has ended: that of an agent ends with its task. Shows the user the
   * reason if no revert is possible.
   */
  async #ownState(): Promise<ThreadState | undefined> {
    const { threads, live } = this.#deps;
    const threadId = threads.state?.threadId;
    if (threadId === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No thread is shown.'));
      return undefined;
    }
    if (threads.access.type === 'own' && live.get(threadId) === undefined) await threads.open(threadId);
    const state = live.get(threadId)?.state;
    if (state === undefined) {
      const sentence = vscode.l10n.t('This thread is read-only here: what it changed cannot be undone.');
      void vscode.window.showInformationMessage(sentence);
    }
    return state;
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
    title: vscode.l10n.t('Rewind to Message'),
    placeHolder: vscode.l10n.t('Select the message to rewind to'),
  });
  return picked?.itemId;
}

function isAnswer(msg: { readonly type: string }): msg is Answer {
  return ['revert_planned', 'files_reverted', 'turns_rolled_back', 'warning'].includes(msg.type);
}

function tellClosed(): void {
  const sentence = vscode.l10n.t('The thread was closed before anything was undone. Open it and try again.');
  void vscode.window.showWarningMessage(sentence);
}

function tellNothing({ files, inSideCopies = [] }: Planned): void {
  const reasons = files.flatMap(({ path: file, reason }) => (reason === undefined ? [] : [{ path: file, reason }]));
  const nothing = vscode.l10n.t('There is nothing to undo or redo.');
  const sentences = [nothing, leftAloneInWords(reasons), ...inSideCopies.map(sideCopyOf)];
  void vscode.window.showInformationMessage(withoutLinks(sentences.filter((sentence) => sentence !== '').join(' ')));
}

function tellFolders(direction: EventMsgOf<'files_reverted'>['direction'], folders: readonly string[]): void {
  const names = folders.join(', ');
  const sentence = {
    undo: vscode.l10n.t('Undone: folders made or removed ({0}).', names),
    redo: vscode.l10n.t('Redone: folders made or removed ({0}).', names),
  };
  void vscode.window.showInformationMessage(withoutLinks(sentence[direction]));
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
  const left = vscode.l10n.t('Skipped: {0}', leftAloneInWords(skipped));
  void vscode.window.showWarningMessage(withoutLinks(`${sentences[direction]} ${left}`));
}

async function closePreview(title: string): Promise<void> {
  await closeTabs(allTabs().filter(({ label }) => label.startsWith(title)));
}
