import * as vscode from 'vscode';
import type { ModelAbilities } from '../../core/model/abilities.ts';
import type { ProviderConfig } from '../../core/model/provider.ts';
import type { Op } from '../../protocol/op.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { showAbilities } from './abilitiesView.ts';
import { askKey } from './keyPrompt.ts';
import { type GivenServer, type ModelSetupDeps, selectModel, testSelected, useDemo } from './modelSetup.ts';
import { removeProvider } from './removeProvider.ts';

export interface ModelCommandDeps extends ModelSetupDeps {
  /** The configured provider; undefined when the settings name none. */
  readonly provider: () => ProviderConfig | undefined;
  /** Of the model in use; undefined for the demo. */
  readonly abilities: () => ModelAbilities | undefined;
  readonly threads: { readonly state: ThreadState | null; submit(op: Op): Promise<void> };
}

/** Select Model, Set API Key, Test Connection, Remove Provider and Start Demo. */
export class ModelCommands {
  readonly #deps: ModelCommandDeps;

  constructor(deps: ModelCommandDeps) {
    this.#deps = deps;
  }

  /** Asks which server when none is given. */
  async select(server?: GivenServer): Promise<void> {
    if (await selectModel(this.#deps, server)) await this.#applyToShownThread();
  }

  async setApiKey(): Promise<void> {
    const provider = this.#deps.provider();
    if (provider !== undefined) await askKey(new URL(provider.baseUrl).origin, this.#deps.keys);
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Select the model of a server first: a key belongs to one.'),
      );
  }

  async testConnection(): Promise<void> {
    const provider = this.#deps.provider();
    const { model } = this.#deps.settings();
    if (provider !== undefined && model !== null) return testSelected(this.#deps, provider, model);
    await vscode.commands.executeCommand('tiller.selectModel');
  }

  async showAbilities(): Promise<void> {
    const provider = this.#deps.provider();
    const abilities = this.#deps.abilities();
    if (provider === undefined || abilities === undefined) {
      return void vscode.window.showInformationMessage(vscode.l10n.t('Select the model of a server first.'));
    }
    const { threads, settings } = this.#deps;
    await showAbilities(provider.id, threads.state?.settings?.model ?? settings().model ?? '', abilities);
  }

  async removeProvider(): Promise<void> {
    await removeProvider(this.#deps.settings(), this.#deps.keys);
  }

  async startDemo(): Promise<void> {
    await useDemo();
    await this.#applyToShownThread();
    await vscode.commands.executeCommand('tiller.focus');
  }

  async #applyToShownThread(): Promise<void> {
    const { settings, threads } = this.#deps;
    const { model } = settings();
    if (!threads.state?.started || model === null) return;
    const provider = this.#deps.provider()?.id ?? settings().provider;
    await threads.submit({ type: 'override_turn_context', model, provider });
  }
}
