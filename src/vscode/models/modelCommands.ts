import * as vscode from 'vscode';
import type { ServerInUse } from '../../core/agent/serverInUse.ts';
import { providerOf } from '../../core/agent/threadSettings.ts';
import type { HttpModels } from '../../core/model/httpModels.ts';
import type { Op } from '../../protocol/op.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { showAbilities } from './abilitiesView.ts';
import { askKey } from './keyPrompt.ts';
import { type GivenServer, type ModelSetupDeps, selectModel, testSelected, useDemo } from './modelSetup.ts';
import { removeProvider } from './removeProvider.ts';

export interface ModelCommandDeps extends ModelSetupDeps {
  readonly http: ModelSetupDeps['http'] & Pick<HttpModels, 'abilities'>;
  /** Of the shown thread, else of the settings. */
  readonly inUse: () => ServerInUse | undefined;
  readonly threads: { readonly state: ThreadState | null; submit(op: Op): Promise<void> };
}

/** Select Model, Set API Key, Test Connection, Remove Provider and Start Demo. */
export class ModelCommands {
  readonly #deps: ModelCommandDeps;

  constructor(deps: ModelCommandDeps) {
    this.#deps = deps;
  }

  /** Asks which server when none is given. Returns whether a model was selected. */
  async select(server?: GivenServer): Promise<boolean> {
    const isSelected = await selectModel(this.#deps, server);
    if (isSelected) await this.#applyToShownThread();
    return isSelected;
  }

  async setApiKey(): Promise<void> {
    const server = this.#deps.inUse();
    if (server !== undefined) await askKey(new URL(server.provider.baseUrl).origin, this.#deps.keys);
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Select the model of a server first: a key belongs to one.'),
      );
  }

  async testConnection(): Promise<void> {
    const server = this.#deps.inUse();
    if (server !== undefined && server.model !== '') return testSelected(this.#deps, server.provider, server.model);
    await vscode.commands.executeCommand('tiller.selectModel');
  }

  async showAbilities(): Promise<void> {
    const server = this.#deps.inUse();
    if (server === undefined || server.model === '') {
      return void vscode.window.showInformationMessage(vscode.l10n.t('Select the model of a server first.'));
    }
    const { provider, model } = server;
    await showAbilities(provider.id, model, this.#deps.http.abilities(provider, model));
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
    const provider = providerOf(settings())?.id ?? settings().provider;
    await threads.submit({ type: 'override_turn_context', model, provider });
  }
}
