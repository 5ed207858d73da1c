import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import type { ApprovalRequest } from '../protocol/event.ts';
import type { Op } from '../protocol/op.ts';
import type { ApprovalDecision } from '../protocol/policy.ts';
import { questionOf, yesesTo } from './approvalWords.ts';
import { type Settled, tooLate } from './staleAnswer.ts';
import type { ThreadChange, Threads } from './threads.ts';

const isPatch = ({ kind }: ApprovalRequest) => kind === 'patch';
/** What another window is asked is not ours to answer. */
const NOT_OURS: readonly ApprovalRequest[] = [];

export interface ApprovalPromptsOptions {
  readonly threads: Threads;
  readonly submit: (op: Op) => void;
  readonly isPanelVisible: () => boolean;
  readonly showPanel: () => void;
  /** Shows all that waits as one list. */
  readonly showList: () => void;
}

/** Requests of one response come together, and so does the word of them. */
const GATHER_MS = 250;
/** However many come, a notification is followed by the next one only after this. */
const QUIET_MS = 3_000;

/**
 * Questions outside the panel: context keys for titles, keys and the palette, and a notification where the panel cannot
 * be seen; one, however many wait. Approvals live in the session; these are only views of them (design decision 11).
 */
export class ApprovalPrompts implements Disposable {
  readonly #options: ApprovalPromptsOptions;
  readonly #store = new DisposableStore();
  #waiting: readonly ApprovalRequest[] = [];
  /** Those that a notification asks about, wherever it is by now, and what became of them. */
  readonly #told = new Map<string, Settled | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notifiedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ApprovalPromptsOptions) {
    this.#options = options;
    const { threads } = options;
    const mine = ({ state }: ThreadChange) => (threads.access.type === 'own' && state?.approvals) || NOT_OURS;
    this.#store.add(threads.onChange((change) => this.#update(mine(change))));
    this.#store.add(
      threads.onEvent(({ event: { msg } }) => {
        if (msg.type === 'approval_resolved' && this.#told.has(msg.approvalId)) this.#told.set(msg.approvalId, msg);
      }),
    );
  }

  /** Oldest first. */
  get waiting(): readonly ApprovalRequest[] {
    return this.#waiting;
  }

  /** Whoever answers first answers for all: what does not wait any more is left alone. */
  answer(approvals: readonly ApprovalRequest[], decision: ApprovalDecision): void {
    const open = new Set(this.#waiting.map(({ approvalId }) => approvalId));
    const approvalIds = approvals.map(({ approvalId }) => approvalId).filter((id) => open.has(id));
    if (approvalIds.length > 0) this.#options.submit({ type: 'approval', approvalIds, decision });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  #update(waiting: readonly ApprovalRequest[]): void {
    if (waiting === this.#waiting) return;
    const before = new Set(this.#waiting.map(({ approvalId }) => approvalId));
    this.#waiting = waiting;
    void vscode.commands.executeCommand('setContext', 'tiller.hasApproval', waiting.length > 0);
    void vscode.commands.executeCommand('setContext', 'tiller.hasPatchApproval', waiting.some(isPatch));
    // A toast cannot be taken back: it stays in the list behind the bell, and says there that it is too late.
    if (waiting.length === 0 && before.size > 0) void vscode.commands.executeCommand('notifications.hideToasts');
    if (waiting.some(({ approvalId }) => !before.has(approvalId))) this.#notifySoon();
  }

  #notifySoon(): void {
    if (this.#options.isPanelVisible()) return;
    const wait = Math.max(GATHER_MS, this.#notifiedAt + QUIET_MS - Date.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.length > 0 && !this.#options.isPanelVisible()) void this.#notify(this.#waiting);
    }, wait);
  }

  async #notify(waiting: readonly ApprovalRequest[]): Promise<void> {
    const isReminder = this.#notifiedAt !== Number.NEGATIVE_INFINITY;
    this.#notifiedAt = Date.now();
    // One of fewer requests may still be on the screen.
    if (isReminder) await vscode.commands.executeCommand('notifications.hideToasts');
    const [only, ...others] = waiting;
    if (only && others.length === 0) return this.#notifyOfOne(only);
    const show = vscode.l10n.t('Show List');
    const sentence = vscode.l10n.t('Tiller wants your answer to {0} requests', waiting.length);
    const answer = await vscode.window.showInformationMessage(sentence, show);
    if (answer !== show) return;
    if (this.#waiting.length > 0) this.#options.showList();
    else void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for your answer any more.'));
  }

  async #notifyOfOne(approval: ApprovalRequest): Promise<void> {
    const yeses = yesesTo(approval);
    const deny = vscode.l10n.t('Deny');
    const show = vscode.l10n.t('Show');
    this.#told.set(approval.approvalId, undefined);
    const answer = await vscode.window.showInformationMessage(
      questionOf(approval),
      ...yeses.map(({ label }) => label),
      deny,
      show,
    );
    const settled = this.#told.get(approval.approvalId);
    this.#told.delete(approval.approvalId);
    if (answer === show) this.#options.showPanel();
    else if (answer !== undefined) {
      const yes = yeses.find(({ label }) => label === answer);
      this.#answerLate(approval, yes?.decision ?? { denied: {} }, settled);
    }
  }

  /** Whatever thread is shown by now, the answer is to the one that asked; where that waits no more, it is told why. */
  #answerLate(approval: ApprovalRequest, decision: ApprovalDecision, settled: Settled | undefined): void {
    const { approvalId } = approval;
    const { threads } = this.#options;
    const asking = threads.waiting.find(({ approvals }) => approvals.some((one) => one.approvalId === approvalId));
    if (asking) threads.submitTo(asking.threadId, { type: 'approval', approvalIds: [approvalId], decision });
    else void vscode.window.showInformationMessage(tooLate(approval, settled));
  }
}
