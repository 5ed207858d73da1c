import * as vscode from 'vscode';

const KEYS = {
  model: 'tiller.didChooseModel',
  ask: 'tiller.didAsk',
  decide: 'tiller.didDecide',
  undo: 'tiller.didUndo',
} as const;
export type WalkthroughStep = keyof typeof KEYS;

/**
 * The steps of the walkthrough that the user has done, as context keys. VS Code ticks a step off when its key becomes
 * true, and never when the key is true before the walkthrough is known (`WalkthroughsService` of VS Code 1.139): then
 * `open` sets it again.
 */
export class Walkthrough {
  readonly #done = new Set<WalkthroughStep>();

  note(step: WalkthroughStep): void {
    if (this.#done.has(step)) return;
    this.#done.add(step);
    void setKey(step, true);
  }

  async open(): Promise<void> {
    for (const step of this.#done) await setKey(step, false);
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'tiller-dev.tiller#tiller.start', false);
    for (const step of this.#done) await setKey(step, true);
  }
}

function setKey(step: WalkthroughStep, isDone: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', KEYS[step], isDone);
}
