import * as vscode from 'vscode';
import type { Disposable } from '../../core/util/disposable.ts';
import type { MessageTarget, ShownThread } from '../../core/agent/shownThread.ts';
import { type ProposedPlan, proposedPlanOf } from '../../protocol/proposedPlan.ts';
import { contextKey } from '../ui/contextKey.ts';
import type { PlanDocuments } from './planDocuments.ts';

export interface PlanCommandsDeps {
  readonly threads: Pick<ShownThread, 'state' | 'access' | 'onChange' | 'target'>;
  readonly documents: PlanDocuments;
  /** Sets the mode of the thread to Agent. */
  readonly leavePlanMode: (target: MessageTarget) => Promise<void>;
  /** To the thread, as a message of the user. */
  readonly send: (text: string, target: MessageTarget) => Promise<void>;
}

/** Opens and runs the latest plan of the shown thread. */
export class PlanCommands implements Disposable {
  readonly #deps: PlanCommandsDeps;
  readonly #listener: Disposable;

  constructor(deps: PlanCommandsDeps) {
    this.#deps = deps;
    const setPlans = contextKey<readonly string[]>('tiller.planFiles');
    const setHasPlan = contextKey<boolean>('tiller.hasPlan');
    const update = () => {
      const plan = this.#plan;
      setHasPlan(plan !== null);
      setPlans(plan === null ? [] : [deps.documents.pathOf(plan)]);
    };
    update();
    this.#listener = deps.threads.onChange((change) => {
      // Only these of the many events of a turn begin or end a plan.
      const { type } = change.type === 'event' ? change.event.msg : { type: 'switched' };
      if (['switched', 'item_completed', 'turn_started', 'turns_rolled_back'].includes(type)) update();
    });
  }

  async open(): Promise<void> {
    const plan = this.#plan;
    if (plan === null) return tellNone();
    await this.#deps.documents.open(plan);
  }

  /**
   * Runs the plan in Agent mode, with the present text of its document, in its thread, also when another is shown by
   * then.
   */
  async run(): Promise<void> {
    const { threads, documents, leavePlanMode, send } = this.#deps;
    const plan = this.#plan;
    if (plan === null) return tellNone();
    if (threads.state?.activeTurnId !== null) {
      return void vscode.window.showInformationMessage(vscode.l10n.t('A turn is running. Stop it to run the plan.'));
    }
    const { target } = threads;
    const text = await documents.textOf(plan);
    if (text === '') return void vscode.window.showInformationMessage(vscode.l10n.t('The plan is empty.'));
    await leavePlanMode(target);
    const isUnchanged = text === plan.text.trim();
    await send(
      isUnchanged
        ? vscode.l10n.t('Carry out the plan.')
        : `${vscode.l10n.t('Carry out this plan, which I have changed:')}\n\n${text}`,
      target,
    );
  }

  dispose(): void {
    this.#listener.dispose();
  }

  get #plan(): ProposedPlan | null {
    const { state, access } = this.#deps.threads;
    return state === null || access.type !== 'own' ? null : proposedPlanOf(state);
  }
}

function tellNone(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('This thread has no plan to run. Plan mode makes one.'));
}
