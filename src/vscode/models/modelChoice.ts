import * as vscode from 'vscode';
import type { Settings } from '../../protocol/settings.ts';
import { chooseModel } from './modelInSettings.ts';
import type { UsedModels } from './usedModels.ts';

export interface ModelChoiceDeps {
  readonly settings: () => Settings;
  readonly used: UsedModels;
  /** Shows that a choice could not be written. */
  readonly tell: (error: unknown) => void;
  readonly report: (error: unknown) => void;
}

/** Writes the models that the user chooses in the panel to the settings, one after the other. */
export class ModelChoice {
  readonly #deps: ModelChoiceDeps;
  #settled: Promise<void> = Promise.resolve();

  constructor(deps: ModelChoiceDeps) {
    this.#deps = deps;
  }

  /** Writes it into the settings, after the choices before it. */
  choose(provider: string, model: string): void {
    const { settings, used, tell, report } = this.#deps;
    this.#settled = this.#settled.then(() => chooseModel(settings(), provider, model)).catch(tell);
    used.note(provider, model).then(undefined, report);
  }

  /** Resolves once the choices until now are in the settings: a message waits for it. Does not reject. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Resolves to true if `model()` is not empty; where it is, the user is asked to select one first. */
  async ensure(model: () => string): Promise<boolean> {
    await this.#settled;
    return model() !== '' || (await vscode.commands.executeCommand('tiller.selectModel')) === true;
  }
}
