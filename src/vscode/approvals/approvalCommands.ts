import * as vscode from 'vscode';
import type { ApprovalChoice, ApprovalRequest } from '../../protocol/event.ts';
import { isPlain, pickWaiting, pickYes } from './approvalPicker.ts';
import type { ApprovalPrompts } from './approvalPrompts.ts';

/** Each approves once; the second and third also decide about unsaved edits. */
const APPROVES_ONCE: readonly ApprovalChoice[] = ['approved', 'approved_saving', 'approved_discarding'];

export interface ApprovalCommandDeps {
  readonly prompts: Pick<ApprovalPrompts, 'waiting' | 'find' | 'answer' | 'show'>;
  /** The approval whose proposal an editor shows; of the active editor without a URI. */
  readonly answeredBy: (uri: vscode.Uri | undefined) => string | undefined;
  /** Proposals that no thread has made: those of side copies. */
  readonly others: {
    has(approvalId: string): boolean;
    approve(approvalId: string): Promise<void>;
    /** Closes it without applying a change. */
    leave(approvalId: string): Promise<void>;
  };
  /** Lets the user choose hunks. False when the user made no choice. */
  readonly pickHunks: (approvalId: string) => Promise<boolean>;
}

/** Approve and Deny from the command palette, from keys and from the title of a diff editor. */
export class ApprovalCommands {
  readonly #deps: ApprovalCommandDeps;

  constructor(deps: ApprovalCommandDeps) {
    this.#deps = deps;
  }

  async approve(uri: vscode.Uri | undefined): Promise<void> {
    const { prompts, others } = this.#deps;
    const other = this.#otherShownBy(uri);
    if (other !== undefined) return others.approve(other);
    const title = vscode.l10n.t('Approve');
    const approvals = await this.#chosen(uri, { title, choice: APPROVES_ONCE, careful: true });
    prompts.answer(approvals.filter(isPlain), 'approved');
    for (const approval of approvals.filter((each) => !isPlain(each))) {
      const decision = await pickYes(approval);
      if (decision === 'show') prompts.show(approval);
      else if (decision !== undefined) prompts.answer([approval], decision);
    }
  }

  /** Approves what the user leaves of the patch that the editor shows, else of the oldest pending one. */
  async approveInPart(uri: vscode.Uri | undefined): Promise<void> {
    const { prompts, pickHunks, others } = this.#deps;
    const other = this.#otherShownBy(uri);
    if (other !== undefined) return (await pickHunks(other)) ? others.approve(other) : undefined;
    const shown = this.#shownBy(uri);
    const patch = shown === undefined ? prompts.waiting.find(({ kind }) => kind === 'patch') : prompts.find(shown);
    if (patch === undefined) (shown === undefined ? tellNonePending : showNoLongerPending)();
    if (patch === undefined || !(await pickHunks(patch.approvalId))) return;
    const decision = isPlain(patch) ? 'approved' : await pickYes(patch);
    if (decision === 'show') prompts.show(patch);
    else if (decision !== undefined) prompts.answer([patch], decision);
  }

  async approveForThread(uri: vscode.Uri | undefined): Promise<void> {
    const { prompts } = this.#deps;
    const choice = 'approved_for_thread';
    const shown = this.#shownBy(uri);
    const asked = shown === undefined ? prompts.waiting : [prompts.find(shown) ?? []].flat();
    if (asked.length === 0) return tellNonePending();
    if (!asked.some(({ choices }) => choices.includes(choice))) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('The pending requests cannot be approved for the whole thread.'),
      );
      return;
    }
    const title = vscode.l10n.t('Approve for This Thread');
    prompts.answer(await this.#chosen(uri, { title, choice: [choice], careful: true }), choice);
  }

  async deny(uri: vscode.Uri | undefined): Promise<void> {
    const other = this.#otherShownBy(uri);
    if (other !== undefined) return this.#deps.others.leave(other);
    const title = vscode.l10n.t('Deny');
    const denied = await this.#chosen(uri, { title, choice: ['denied'], careful: false });
    if (denied.length === 0) return;
    const message = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t('What should Tiller do instead? Leave it empty to only deny.'),
    });
    // Escape makes no decision.
    if (message !== undefined) this.#deps.prompts.answer(denied, { denied: message === '' ? {} : { message } });
  }

  /**
   * The request that an editor shows, whichever thread made it, and no other; else the only pending one, or those of
   * several that the user ticks.
   */
  async #chosen(
    uri: vscode.Uri | undefined,
    how: Parameters<typeof pickWaiting>[1] & { readonly choice: readonly ApprovalChoice[] },
  ): Promise<readonly ApprovalRequest[]> {
    const { prompts } = this.#deps;
    const accepts = ({ choices }: ApprovalRequest) => choices.some((choice) => how.choice.includes(choice));
    const shown = this.#shownBy(uri);
    if (shown === undefined) {
      const waiting = prompts.waiting.filter(accepts);
      if (waiting.length === 0) tellNonePending();
      return (await pickWaiting(waiting, how)) ?? [];
    }
    const asked = prompts.find(shown);
    if (asked === undefined) showNoLongerPending();
    return asked !== undefined && accepts(asked) ? [asked] : [];
  }

  #otherShownBy(uri: vscode.Uri | undefined): string | undefined {
    const shown = this.#shownBy(uri);
    return shown !== undefined && this.#deps.others.has(shown) ? shown : undefined;
  }

  #shownBy(uri: vscode.Uri | undefined): string | undefined {
    return this.#deps.answeredBy(uri instanceof vscode.Uri ? uri : undefined);
  }
}

function tellNonePending(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('There is no pending request.'));
}

function showNoLongerPending(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('The changes in this editor are no longer pending.'));
}
