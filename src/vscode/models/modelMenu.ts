import * as vscode from 'vscode';
import { setUpProviders } from '../../core/agent/setUpProviders.ts';
import { providerById } from '../../core/agent/threadSettings.ts';
import type { ReportedModel } from '../../core/model/abilities.ts';
import type { HttpModels } from '../../core/model/httpModels.ts';
import type { ProviderConfig } from '../../core/model/provider.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { DEMO_PROVIDER, KNOWN_PROVIDERS, providerTitle, VSCODE_PROVIDER } from '../../protocol/knownProviders.ts';
import type { ModelGroup, ModelRow } from '../../protocol/modelMenu.ts';
import type { Settings } from '../../protocol/settings.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { shortened } from '../../protocol/text/truncate.ts';
import type { PanelUpdate } from '../../protocol/wire.ts';
import type { KeyStore } from './apiKeys.ts';
import { describeFault } from './faultMessages.ts';
import { type LanguageModels, nameOfLanguageModel } from './languageModels.ts';
import { byUse, factsOf } from './modelPicker.ts';
import type { UsedModels } from './usedModels.ts';

export interface ModelMenuDeps {
  readonly settings: () => Settings;
  /** The provider and the model of the next turn; an empty model when none is chosen. */
  readonly inUse: () => { readonly provider: string; readonly model: string };
  readonly used: Pick<UsedModels, 'all'>;
  readonly keys: Pick<KeyStore, 'keyFor'>;
  readonly http: Pick<HttpModels, 'list' | 'reported'>;
  readonly languageModels: Pick<LanguageModels, 'list'>;
  readonly post: (message: PanelUpdate) => void;
  readonly report: (error: unknown) => void;
}

/** The most rows and characters of one group: a message to the panel holds at most 256 kB. */
const MAX_ROWS = 1_000;
const MAX_CHARACTERS = 64 * 1024;
const MAX_LABEL = 200;

/**
 * Answers the model menu of the panel: first with the models that are known, then with those that each provider lists.
 * Asks only providers that the user has set up.
 */
export class ModelMenu implements Disposable {
  readonly #deps: ModelMenuDeps;
  #open = new AbortController();

  constructor(deps: ModelMenuDeps) {
    this.#deps = deps;
  }

  open(id: number): void {
    this.close();
    const { signal } = this.#open;
    this.#answer(id, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#deps.report(error);
    });
  }

  /** Stops asking. */
  close(): void {
    this.#open.abort(new Error('the menu was closed'));
    this.#open = new AbortController();
  }

  dispose(): void {
    this.#open.abort(new Error('the window closes'));
  }

  async #answer(id: number, signal: AbortSignal): Promise<void> {
    const { settings, inUse, used, post } = this.#deps;
    const read = settings();
    const keys = await this.#knownOriginsWithKey();
    const ids = setUpProviders(
      read,
      inUse().provider,
      used.all.map(({ provider }) => provider),
      (origin) => keys.has(origin),
    ).filter((provider) => provider !== VSCODE_PROVIDER);
    if (signal.aborted) return;
    // The first part replaces the groups of the answer before, also where there is no group.
    post({ type: 'models', id, groups: [] });
    const tell = (group: ModelGroup) => {
      if (!signal.aborted) post({ type: 'models', id, groups: [group] });
    };
    const servers = ids.flatMap((provider) => {
      if (provider === DEMO_PROVIDER) tell(demoGroup());
      const server = provider === DEMO_PROVIDER ? undefined : providerById(read, provider);
      if (server === undefined) return [];
      tell(this.#groupOf(server, this.#deps.http.reported(server), { type: 'asking' }));
      return [server];
    });
    await Promise.all([
      ...servers.map(async (server) => tell(await this.#listed(server, signal))),
      this.#languageModels().then((group) => group && tell(group)),
    ]);
  }

  async #listed(server: ProviderConfig, signal: AbortSignal): Promise<ModelGroup> {
    const listing = await this.#deps.http.list(server, signal);
    if (listing.type === 'models') return this.#groupOf(server, listing.models, { type: 'listed' });
    const { message, detail } = describeFault(listing.fault);
    const problem = detail === undefined ? message : `${message} ${detail}`;
    return this.#groupOf(server, this.#deps.http.reported(server), {
      type: 'failed',
      problem: shortened(visibleName(problem), 2 * MAX_LABEL),
    });
  }

  /** Includes models that the settings name or that were used: a server need not list them. */
  #groupOf(server: ProviderConfig, listed: readonly ReportedModel[], listing: ModelGroup['listing']): ModelGroup {
    const { inUse, used } = this.#deps;
    const current = inUse();
    const named = [
      ...(current.provider === server.id && current.model !== '' ? [current.model] : []),
      ...Object.keys(server.models ?? {}),
      // A server that lists its models has no others: one that was used and is not listed was removed.
      ...(listing.type === 'listed'
        ? []
        : used.all.flatMap(({ provider, model }) => (provider === server.id ? [model] : []))),
    ];
    const ids = new Set(listed.map(({ id }) => id));
    // Ollama lists a model that is named without a tag under its default tag.
    const others = [...new Set(named)].filter((model) => !ids.has(model) && !ids.has(`${model}:latest`));
    const rows = [...others.map((id): ReportedModel => ({ id })), ...byUse(listed)].map((model) => ({
      id: model.id,
      label: shortened(visibleName(model.id), MAX_LABEL),
      detail: factsOf(model),
    }));
    const title = providerTitle(this.#deps.settings(), server.id);
    return groupOf({ provider: server.id, title, rows, listing, takesNames: true });
  }

  async #languageModels(): Promise<ModelGroup | undefined> {
    const models = await this.#deps.languageModels.list();
    if (models.length === 0) return undefined;
    const rows = models.map((model) => ({
      id: nameOfLanguageModel(model),
      label: shortened(visibleName(model.name), MAX_LABEL),
      detail: [visibleName(model.vendor), factsOf({ id: model.id, contextWindow: model.maxInputTokens })].join(' · '),
    }));
    const title = vscode.l10n.t('Models from Other Extensions');
    return groupOf({ provider: VSCODE_PROVIDER, title, rows, listing: { type: 'listed' }, takesNames: false });
  }

  async #knownOriginsWithKey(): Promise<ReadonlySet<string>> {
    const origins = Object.values(KNOWN_PROVIDERS).flatMap(({ settings }) =>
      settings === null ? [] : [new URL(settings.baseUrl).origin],
    );
    const stored = await Promise.all(
      origins.map(async (origin) => ((await this.#deps.keys.keyFor(origin)) === undefined ? [] : [origin])),
    );
    return new Set(stored.flat());
  }
}

function demoGroup(): ModelGroup {
  const row = { id: DEMO_PROVIDER, label: vscode.l10n.t('demo (scripted)'), detail: '' };
  const title = vscode.l10n.t('Demo');
  return groupOf({ provider: DEMO_PROVIDER, title, rows: [row], listing: { type: 'listed' }, takesNames: false });
}

/** Returns a group with as many of these rows as the panel is sent. */
function groupOf({
  rows,
  ...group
}: Omit<ModelGroup, 'models' | 'isCut'> & { readonly rows: readonly ModelRow[] }): ModelGroup {
  let room = MAX_CHARACTERS;
  const models = rows.slice(0, MAX_ROWS).filter(({ id, label, detail }) => {
    room -= id.length + label.length + detail.length;
    return room > 0;
  });
  return { ...group, models, isCut: models.length < rows.length };
}
