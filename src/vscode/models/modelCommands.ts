import * as vscode from 'vscode';
import type { ServerInUse } from '../../core/agent/serverInUse.ts';
import { providerOf } from '../../core/agent/threadSettings.ts';
import type { HttpModels } from '../../core/model/httpModels.ts';
import type { Op } from '../../protocol/op.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { showAbilities } from './abilitiesView.ts';
import { askKey } from './keyPrompt.ts';
import { givenServerSchema, type ModelSetupDeps, selectModel, testSelected, useDemo } from './modelSetup.ts';
import { showUsage, type Usage } from './usageView.ts';
import { removeProvider } from './removeProvider.ts';
import type { UsedModels } from './usedModels.ts';

export interface ModelCommandDeps extends ModelSetupDeps {
  readonly http: ModelSetupDeps['http'] & Pick<HttpModels, 'abilities'>;
  /** The usage of today and this month. */
  readonly spent: () => Promise<Usage>;
  readonly used: Pick<UsedModels, 'note' | 'forget'>;
  /** Returns the server of the shown thread, else of the settings. */
  readonly inUse: () => ServerInUse | undefined;
  readonly threads: { readonly state: ThreadState | null; submit(op: Op): Promise<void> };
}

/** Select Model, Set API Key, Test Connection, Show Usage, Remove Provider and Start Demo. */
export class ModelCommands {
  readonly #deps: ModelCommandDeps;

  constructor(deps: ModelCommandDeps) {
    this.#deps = deps;
  }

  /** Asks which server unless `given` is one. Returns whether a model was selected. @param given  the argument of the command */
  async select(given?: unknown): Promise<boolean> {
    const isSelected = await selectModel(this.#deps, givenServerSchema.parse(given));
    if (isSelected) await this.#applyToShownThread();
    return isSelected;
  }

  async setApiKey(): Promise<void> {
    const server = this.#deps.inUse();
    if (server !== undefined) await askKey(new URL(server.provider.baseUrl).origin, this.#deps.keys);
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Select a model of a server first: the key is stored for that server.'),
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
      return void vscode.window.showInformationMessage(vscode.l10n.t('Select a model first.'));
    }
    const { provider, model } = server;
    await showAbilities(provider.id, model, this.#deps.http.abilities(provider, model));
  }

  async showUsage(): Promise<void> {
    const { spent, threads, settings } = this.#deps;
    await showUsage(await spent(), threads.state, settings());
  }

  async removeProvider(): Promise<void> {
    const removed = await removeProvider(this.#deps.settings(), this.#deps.keys);
    if (removed !== undefined) await this.#deps.used.forget(removed);
  }

  async startDemo(): Promise<void> {
    await useDemo(this.#deps.settings());
    await this.#applyToShownThread();
    await vscode.commands.executeCommand('tiller.focus');
  }

  async #applyToShownThread(): Promise<void> {
    const { settings, threads, used } = this.#deps;
    const { model } = settings();
    if (model === null) return;
    const provider = providerOf(settings())?.id ?? settings().provider;
    await used.note(provider, model);
    if (!threads.state?.started) return;
    await threads.submit({ type: 'override_turn_context', model, provider });
  }
}
