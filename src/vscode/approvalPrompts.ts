import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import type { ApprovalRequest } from '../protocol/event.ts';
import type { ApprovalDecision } from '../protocol/policy.ts';
import type { Threads } from './threads.ts';

export interface ApprovalPromptsOptions {
  readonly threads: Threads;
  readonly isPanelVisible: () => boolean;
  readonly showPanel: () => void;
}

/**
 * Questions outside the panel: context keys for titles, keys and the palette, and a notification where the panel cannot
 * be seen. Approvals live in the session; these are only views of them (design decision 11).
 */
export class ApprovalPrompts implements Disposable {
  readonly #options: ApprovalPromptsOptions;
  readonly #store = new DisposableStore();
  #waiting: readonly ApprovalRequest[] = [];

  constructor(options: ApprovalPromptsOptions) {
    this.#options = options;
    this.#store.add(options.threads.onChange(({ state }) => this.#update(state?.approvals ?? [])));
  }

  /** The question that is answered next. */
  get current(): ApprovalRequest | undefined {
    return this.#waiting[0];
  }

  /** The question with this id, or the next one; `undefined` when none waits. */
  find(approvalId: string | undefined): { answer(decision: ApprovalDecision): void } | undefined {
    const approval = this.#waiting.find((waiting) => waiting.approvalId === approvalId) ?? this.current;
    return approval && { answer: (decision) => this.answer(approval, decision) };
  }

  answer(approval: ApprovalRequest, decision: ApprovalDecision): void {
    void this.#options.threads.submit({ type: 'approval', approvalIds: [approval.approvalId], decision });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(waiting: readonly ApprovalRequest[]): void {
    if (waiting === this.#waiting) return;
    const before = new Set(this.#waiting.map(({ approvalId }) => approvalId));
    this.#waiting = waiting;
    void vscode.commands.executeCommand('setContext', 'tiller.hasApproval', waiting.length > 0);
    void vscode.commands.executeCommand('setContext', 'tiller.hasPatchApproval', waiting[0]?.kind === 'patch');
    // A toast cannot be taken back; without a question it only stays in the list, where its buttons do nothing.
    if (waiting.length === 0 && before.size > 0) void vscode.commands.executeCommand('notifications.hideToasts');
    const [newest] = waiting.filter(({ approvalId }) => !before.has(approvalId));
    if (newest && !this.#options.isPanelVisible()) void this.#notify(newest);
  }

  async #notify(approval: ApprovalRequest): Promise<void> {
    const approve = vscode.l10n.t('Approve');
    const deny = vscode.l10n.t('Deny');
    const show = vscode.l10n.t('Show');
    const answer = await vscode.window.showInformationMessage(questionOf(approval), approve, deny, show);
    const waits = this.#waiting.some(({ approvalId }) => approvalId === approval.approvalId);
    if (!waits || answer === undefined) return;
    if (answer === show) this.#options.showPanel();
    else this.answer(approval, answer === approve ? 'approved' : { denied: {} });
  }
}

function questionOf(approval: ApprovalRequest): string {
  if (approval.kind === 'patch') {
    const [first] = approval.changes ?? [];
    const count = approval.changes?.length ?? 0;
    return count === 1 && first
      ? vscode.l10n.t('Tiller wants to change {0}', first.path)
      : vscode.l10n.t('Tiller wants to change {0} files', count);
  }
  return vscode.l10n.t('Tiller wants to run: {0}', approval.command ?? approval.callId);
}
