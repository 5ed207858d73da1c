import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { awaitsUser } from '../../protocol/approval.ts';
import type { ApprovalRequest } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { ApprovalDecision } from '../../protocol/policy.ts';
import { losesWork, questionOf, approvalsOffered } from './approvalMessages.ts';
import { type Settled, tooLate } from './staleAnswer.ts';
import { contextKey } from '../ui/contextKey.ts';
import { isSubAgent } from '../../core/agent/threadActivity.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';

const isPatch = ({ kind }: ApprovalRequest) => kind === 'patch';
const CHANGES_APPROVALS: ReadonlySet<string> = new Set([
  'approval_requested',
  'approval_reviewed',
  'approval_resolved',
]);
/** Requests in another window are answered there. */
const NOT_OURS: readonly ApprovalRequest[] = [];

export interface ApprovalPromptsOptions {
  readonly threads: ShownThread;
  readonly submitTo: (threadId: string, op: Op) => void;
  readonly isPanelVisible: () => boolean;
  /** Opens the panel with this thread. */
  readonly showThread: (threadId: string) => void;
  /** Shows all pending requests as a list. */
  readonly showList: () => void;
}

/** Requests of one response arrive together; this debounce gives one notification for them. */
const GATHER_MS = 250;
/** Minimum time between two notifications. */
const QUIET_MS = 3_000;

/**
 * Approvals outside the panel: context keys for titles, keys and the palette, and one notification, however many
 * requests are pending, while the panel is hidden. The approvals belong to the session; these are views (docs/design.md
 * decision 11).
 */
export class ApprovalPrompts implements Disposable {
  readonly #options: ApprovalPromptsOptions;
  readonly #store = new DisposableStore();
  readonly #setHasApproval = contextKey<boolean>('tiller.hasApproval');
  readonly #setHasPatchApproval = contextKey<boolean>('tiller.hasPatchApproval');
  #waiting: readonly ApprovalRequest[] = [];
  /** Requests with a notification, visible or behind the bell, and their outcomes. */
  readonly #notified = new Map<string, Settled | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notifiedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ApprovalPromptsOptions) {
    this.#options = options;
    const { threads } = options;
    let ofAgents = NOT_OURS;
    const update = () => {
      const { state, access } = threads;
      const own = (access.type === 'own' && state?.approvals) || NOT_OURS;
      this.#update(ofAgents.length === 0 ? own : [...own, ...ofAgents]);
    };
    const updateAgents = () => {
      ofAgents = threads.overview.agents.flatMap(({ approvals }) => approvals);
      update();
    };
    this.#store.add(threads.onChange(({ type }) => (type === 'switched' ? updateAgents() : update())));
    this.#store.add(
      threads.onEvent(({ event: { msg }, state }) => {
        if (isSubAgent(state) && CHANGES_APPROVALS.has(msg.type)) updateAgents();
        if (msg.type === 'approval_resolved' && this.#notified.has(msg.approvalId))
          this.#notified.set(msg.approvalId, msg);
      }),
    );
  }

  /** Pending approvals of the shown thread, oldest first. */
  get waiting(): readonly ApprovalRequest[] {
    return this.#waiting;
  }

  /** A pending approval of any thread of this window: an editor may still show the proposal of a thread that is not shown. */
  find(approvalId: string): ApprovalRequest | undefined {
    const pending = this.#options.threads.overview.waiting.flatMap((thread) => thread.approvals);
    return pending.find((approval) => approval.approvalId === approvalId);
  }

  /** Sends the answer to the thread that asked, shown or not. The first answer counts: resolved approvals are skipped. */
  answer(approvals: readonly ApprovalRequest[], decision: ApprovalDecision): void {
    const answered = new Set(approvals.map(({ approvalId }) => approvalId));
    for (const { threadId, approvals: open } of this.#options.threads.overview.waiting) {
      const approvalIds = open.map(({ approvalId }) => approvalId).filter((id) => answered.has(id));
      if (approvalIds.length > 0) this.#options.submitTo(threadId, { type: 'approval', approvalIds, decision });
    }
  }

  /** Opens the panel with the thread that asked. One that is no longer pending opens the thread that is shown. */
  show({ approvalId }: ApprovalRequest): void {
    const { threads, showThread } = this.#options;
    const asking = threads.overview.waiting.find(({ approvals }) =>
      approvals.some((each) => each.approvalId === approvalId),
    );
    const threadId = asking?.threadId ?? threads.state?.threadId;
    if (threadId !== undefined) showThread(threadId);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  #update(waiting: readonly ApprovalRequest[]): void {
    if (waiting === this.#waiting) return;
    const before = new Set(this.#waiting.filter(awaitsUser).map(({ approvalId }) => approvalId));
    this.#waiting = waiting;
    this.#setHasApproval(waiting.length > 0);
    this.#setHasPatchApproval(waiting.some(isPatch));
    // A notification cannot be revoked: it stays behind the bell, where an answer gets a message that it is too late.
    if (waiting.length === 0 && before.size > 0) void vscode.commands.executeCommand('notifications.hideToasts');
    if (waiting.filter(awaitsUser).some(({ approvalId }) => !before.has(approvalId))) this.#notifySoon();
  }

  /** Asks for the panel after the debounce: it may be hidden in the moment in which a request arrives. */
  #notifySoon(): void {
    const wait = Math.max(GATHER_MS, this.#notifiedAt + QUIET_MS - Date.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const waiting = this.#waiting.filter(awaitsUser);
      if (waiting.length > 0 && !this.#options.isPanelVisible()) void this.#notify(waiting);
    }, wait);
  }

  async #notify(waiting: readonly ApprovalRequest[]): Promise<void> {
    const isReminder = this.#notifiedAt !== Number.NEGATIVE_INFINITY;
    this.#notifiedAt = Date.now();
    // An earlier notification of fewer requests may still be visible.
    if (isReminder) await vscode.commands.executeCommand('notifications.hideToasts');
    const [only, ...others] = waiting;
    if (only && others.length === 0) return this.#notifyOfOne(only);
    const show = vscode.l10n.t('Show List');
    const sentence = vscode.l10n.t('{0} requests need your answer', waiting.length);
    const answer = await vscode.window.showInformationMessage(sentence, show);
    if (answer !== show) return;
    if (this.#waiting.length > 0) this.#options.showList();
    else void vscode.window.showInformationMessage(vscode.l10n.t('No requests are pending any more.'));
  }

  async #notifyOfOne(approval: ApprovalRequest): Promise<void> {
    const approvals = approvalsOffered(approval);
    const deny = vscode.l10n.t('Deny');
    const show = vscode.l10n.t('Show');
    this.#notified.set(approval.approvalId, undefined);
    // The first button is the filled one: a command that destroys work must not be approved by habit.
    const isRisky = losesWork(approval);
    const approving = approvals.map(({ label }) => label);
    const answer = await (isRisky
      ? vscode.window.showWarningMessage(questionOf(approval), show, deny, ...approving)
      : vscode.window.showInformationMessage(questionOf(approval), ...approving, deny, show));
    const settled = this.#notified.get(approval.approvalId);
    this.#notified.delete(approval.approvalId);
    if (answer === show) this.show(approval);
    else if (answer !== undefined) {
      const yes = approvals.find(({ label }) => label === answer);
      this.#answerLate(approval, yes?.decision ?? { denied: {} }, settled);
    }
  }

  /** Shows the reason when the approval is no longer pending. */
  #answerLate(approval: ApprovalRequest, decision: ApprovalDecision, settled: Settled | undefined): void {
    if (this.find(approval.approvalId)) this.answer([approval], decision);
    else void vscode.window.showInformationMessage(tooLate(approval, settled));
  }
}
