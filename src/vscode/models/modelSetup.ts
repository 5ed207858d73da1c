import * as vscode from 'vscode';
import * as z from 'zod';
import { configOf } from '../../core/agent/threadSettings.ts';
import { testConnection } from '../../core/model/connectionTest.ts';
import { detectWire, likelyWireOf } from '../../core/model/detectWire.ts';
import type { HttpModels } from '../../core/model/httpModels.ts';
import type { ProviderConfig } from '../../core/model/provider.ts';
import type { Clock } from '../../core/ports.ts';
import { abortable, deadline } from '../../core/util/abort.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import {
  DEMO_PROVIDER,
  KNOWN_PROVIDERS,
  providerNamed,
  providerTitle,
  VSCODE_PROVIDER,
} from '../../protocol/knownProviders.ts';
import { ownValue } from '../../protocol/ownValue.ts';
import { isLoopback, providerSettingsSchema, type ProviderSettings } from '../../protocol/providers.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { KeyStore } from './apiKeys.ts';
import { type LanguageModels, nameOfLanguageModel } from './languageModels.ts';
import { askKey, type Environment } from './keyPrompt.ts';
import { addNewProvider, addProvider, freeName, keepServer, moveTo, useModel } from './modelInSettings.ts';
import { askForRemedy, byUse, pickModel, type Remedy, rowOf, withProgress } from './modelPicker.ts';
import { askBaseUrl, pickProvider, type ProviderChoice } from './providerPicker.ts';
import { showTest } from './showTest.ts';

export interface ModelSetupDeps {
  readonly settings: () => Settings;
  readonly keys: KeyStore;
  readonly http: Pick<HttpModels, 'list' | 'of'>;
  readonly languageModels: Pick<LanguageModels, 'list'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly environment: Environment;
}

/**
 * A choice that the panel may make for the user: a server that it offers before one is chosen, or a provider that is
 * set up.
 */
export const givenServerSchema = z
  .union([z.enum(['openai', 'anthropic', 'endpoint', 'local']), z.object({ provider: z.string() })])
  .optional()
  .catch(undefined);
type GivenServer = NonNullable<z.infer<typeof givenServerSchema>>;

const GIVEN: Readonly<Record<Extract<GivenServer, string>, ProviderChoice>> = {
  openai: { type: 'named', name: 'openai' },
  anthropic: { type: 'named', name: 'anthropic' },
  endpoint: { type: 'address' },
  local: { type: 'local' },
};

/**
 * "Tiller: Select Model": asks for the server unless given, for its key if it needs one, and for the model. Writes the
 * user's settings. True when a model was chosen.
 */
export async function selectModel(deps: ModelSetupDeps, given?: GivenServer): Promise<boolean> {
  const choice = choiceOf(given, deps.settings()) ?? (await pickProvider(deps.settings(), await offersModels(deps)));
  switch (choice?.type) {
    case undefined:
      return false;
    case 'demo':
      await useDemo(deps.settings());
      return true;
    case 'local':
      return selectLocal(deps);
    case 'vscode':
      return selectLanguageModel(deps);
    case 'named':
      return selectOf(deps, choice.name, providerNamed(deps.settings(), choice.name));
    case 'template': {
      const known = ownValue(KNOWN_PROVIDERS, choice.name);
      if (known?.template === undefined) return false;
      const baseUrl = known.template.baseUrl ?? (await askBaseUrl(known.addressExample));
      if (baseUrl === undefined) return false;
      return selectOf(deps, choice.name, { ...known.template, baseUrl });
    }
    case 'address': {
      const baseUrl = choice.baseUrl ?? (await askBaseUrl());
      if (baseUrl === undefined) return false;
      return selectOf(deps, freeName(baseUrl, deps.settings().providers), { baseUrl });
    }
    default:
      return assertNever(choice);
  }
}

function choiceOf(given: GivenServer | undefined, settings: Settings): ProviderChoice | undefined {
  if (given === undefined || typeof given === 'string') return given && GIVEN[given];
  const { provider } = given;
  return providerNamed(settings, provider) === undefined ? undefined : { type: 'named', name: provider };
}

const OFFERS_WITHIN_MS = 2000;

/** Resolves to true if other extensions offer models; one that does not answer in time offers none. */
async function offersModels({ languageModels, clock }: ModelSetupDeps): Promise<boolean> {
  const within = deadline(clock, OFFERS_WITHIN_MS, new Error('the list of models took too long'));
  const models = languageModels.list().then((list) => list.length > 0);
  return abortable(models, within.signal)
    .catch(() => false)
    .finally(() => within.end());
}

/** The embedded model: no account, no network. */
export async function useDemo(settings: Settings): Promise<void> {
  await moveTo(settings, DEMO_PROVIDER, DEMO_PROVIDER);
}

/** `wireApi` is missing where the server is new: it is found out with the first request. */
type NewProvider = Omit<ProviderSettings, 'wireApi'> & { readonly wireApi?: ProviderSettings['wireApi'] };

async function selectOf(deps: ModelSetupDeps, name: string, server: NewProvider | undefined): Promise<boolean> {
  let current = server;
  let model: string | undefined;
  while (current !== undefined) {
    const { baseUrl, auth } = current;
    const { origin } = new URL(baseUrl);
    const takesKey = auth !== 'none' && ownValue(KNOWN_PROVIDERS, name)?.keyVariable !== undefined;
    if (takesKey && (await deps.keys.keyFor(origin)) === undefined && !(await keyFor(deps, name, origin))) return false;
    const choice =
      model === undefined
        ? await pickModel(deps.http, configFor(name, current, deps.settings()), providerTitle(deps.settings(), name))
        : await adopt(deps, name, current, model);
    switch (choice?.type) {
      case undefined:
        return false;
      case 'adopted':
        return true;
      case 'again':
        break;
      case 'key':
        if (!(await keyFor(deps, name, origin))) return false;
        break;
      case 'address': {
        const moved = await askBaseUrl(ownValue(KNOWN_PROVIDERS, name)?.addressExample ?? baseUrl);
        if (moved === undefined) return false;
        current = { ...current, baseUrl: moved };
        model = undefined;
        break;
      }
      case 'model':
        model = choice.model;
        break;
      default:
        assertNever(choice);
    }
  }
  return false;
}

function keyFor({ keys, environment }: ModelSetupDeps, name: string, origin: string): Promise<boolean> {
  const variable = ownValue(KNOWN_PROVIDERS, name)?.keyVariable;
  return askKey(origin, keys, variable === undefined ? undefined : { variable, environment });
}

/**
 * Writes the provider if the settings do not have it like this, and the model. When the API of a new server is not
 * known after a test, no setting is written, and the result is the change that the user chose. `undefined` when the
 * user cancels.
 */
async function adopt(
  deps: ModelSetupDeps,
  name: string,
  server: NewProvider,
  model: string,
): Promise<{ readonly type: 'adopted' } | Remedy | undefined> {
  const { wireApi } = server;
  const settings = deps.settings();
  if (wireApi !== undefined) {
    const known = providerNamed(settings, name);
    const isKnown = known !== undefined && known.baseUrl === server.baseUrl;
    await keepServer(settings);
    if (!isKnown) await addProvider(name, { ...server, wireApi });
    await useModel(name, model);
    return { type: 'adopted' };
  }
  const detected = await withProgress(vscode.l10n.t('Asking {0} which API it has…', name), (signal) =>
    detectWire((wire) => {
      const config = configFor(name, { ...server, wireApi: wire }, settings);
      return testConnection(deps.http.of(config).connect(model).client, model, deps.clock, signal);
    }, server.baseUrl),
  );
  if (detected === undefined) return undefined;
  const { test } = detected;
  if (detected.type === 'unknown') {
    if (test.type === 'answered') return undefined;
    return test.fault.kind === 'no_key' ? { type: 'key' } : askForRemedy(name, test.fault);
  }
  // The test takes minutes where a model is loaded first: another provider may have this name now.
  await keepServer(deps.settings());
  const free = await addNewProvider({ ...server, wireApi: detected.wireApi });
  await useModel(free, model);
  if (test.type === 'fault') void showTest(free, model, test);
  return { type: 'adopted' };
}

/** The models that other extensions offer. */
async function selectLanguageModel({ languageModels, settings }: ModelSetupDeps): Promise<boolean> {
  const rows = (await languageModels.list()).map((model) => ({
    ...rowOf({ id: model.name, contextWindow: model.maxInputTokens }),
    detail: nameOfLanguageModel(model),
  }));
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Models from Other Extensions'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked === undefined) return false;
  await moveTo(settings(), VSCODE_PROVIDER, picked.detail);
  return true;
}

/** All local servers that answer on their usual ports, with their models. */
async function selectLocal(deps: ModelSetupDeps): Promise<boolean> {
  const settings = deps.settings();
  const local = Object.keys(KNOWN_PROVIDERS).flatMap((name) => {
    const server = providerNamed(settings, name);
    return server && isLoopback(server.baseUrl) ? [{ name, server }] : [];
  });
  const found = await withProgress(vscode.l10n.t('Looking for servers on this machine…'), async (signal) => {
    const listings = await Promise.all(
      local.map(async ({ name, server }) => ({
        name,
        listing: await deps.http.list(configFor(name, server, settings), signal),
      })),
    );
    return listings.flatMap(({ name, listing }) =>
      listing.type === 'models' ? [{ name, models: listing.models }] : [],
    );
  });
  if (found === undefined) return false;
  const rows = found.flatMap(({ name, models }) =>
    byUse(models).map((model) => ({ ...rowOf(model), detail: providerTitle(settings, name), name, model: model.id })),
  );
  if (rows.length === 0) {
    const addresses = local.map(({ server }) => new URL(server.baseUrl).host).join(', ');
    const another = vscode.l10n.t('Enter an Address');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('No server on this machine lists models. Asked: {0}.', addresses),
      another,
    );
    return answer === another ? selectModel(deps, 'endpoint') : false;
  }
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Models on This Machine'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked === undefined) return false;
  await moveTo(settings, picked.name, picked.model);
  return true;
}

/** "Tiller: Test Connection": one short request to the model in use, and its outcome. */
export async function testSelected(deps: ModelSetupDeps, provider: ProviderConfig, model: string): Promise<void> {
  const server = providerTitle(deps.settings(), provider.id);
  const result = await withProgress(vscode.l10n.t('Testing {0} of {1}…', model, server), (signal) =>
    testConnection(deps.http.of(provider).connect(model).client, model, deps.clock, signal),
  );
  if (result !== undefined) await showTest(server, model, result);
}

function configFor(name: string, server: NewProvider, settings: Settings): ProviderConfig {
  return configOf(name, providerSettingsSchema.parse({ wireApi: likelyWireOf(server.baseUrl), ...server }), settings);
}
