import * as vscode from 'vscode';
import type { Fetch } from '../../core/ports.ts';
import type { Op } from '../../protocol/op.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { KeyStore } from './apiKeys.ts';
import { askKey, type GivenServer, selectModel, useDemo } from './modelPicker.ts';

export interface ModelCommandDeps {
  readonly settings: () => Settings;
  /** The base URL of the configured provider; undefined when the settings name none. */
  readonly baseUrl: () => string | undefined;
  readonly keys: KeyStore;
  readonly fetch: Fetch;
  readonly threads: { readonly state: ThreadState | null; submit(op: Op): Promise<void>; clear(): Promise<void> };
}

/** Select Model, Set API Key and Start Demo. */
export class ModelCommands {
  readonly #deps: ModelCommandDeps;

  constructor(deps: ModelCommandDeps) {
    this.#deps = deps;
  }

  /** Asks which server when none is given. */
  async select(server?: GivenServer): Promise<void> {
    const { settings, keys, fetch } = this.#deps;
    await selectModel(settings(), keys, fetch, server);
    await this.#applyToShownThread();
  }

  async setApiKey(): Promise<void> {
    const baseUrl = this.#deps.baseUrl();
    if (baseUrl !== undefined) await askKey(new URL(baseUrl).origin, this.#deps.keys);
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Select the model of a server first: a key belongs to one.'),
      );
  }

  async startDemo(): Promise<void> {
    await useDemo();
    await this.#applyToShownThread();
    await vscode.commands.executeCommand('tiller.focus');
  }

  /** A thread keeps its provider: another model of it continues the thread, another provider starts a new one. */
  async #applyToShownThread(): Promise<void> {
    const { settings, threads } = this.#deps;
    const { model, provider } = settings();
    const started = threads.state?.started;
    if (!started || model === null) return;
    if (started.provider === provider) await threads.submit({ type: 'override_turn_context', model });
    else await threads.clear();
  }
}
