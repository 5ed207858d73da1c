import * as vscode from 'vscode';
import { readBeginning } from '../../core/model/boundedBody.ts';
import type { Fetch } from '../../core/ports.ts';
import { parseJson } from '../../core/util/json.ts';
import { providerNamed, providerNames } from '../../protocol/providers.ts';
import { DEMO_PROVIDER, type Settings } from '../../protocol/settings.ts';
import type { KeyStore } from './apiKeys.ts';
import { writeSetting } from '../settings.ts';

const LIST_TIMEOUT_MS = 4000;
const LIST_BYTES = 4 * 1024 * 1024;

interface ProviderChoice extends vscode.QuickPickItem {
  readonly provider: string;
}

/** A server that the panel offers before one is chosen. */
export type GivenServer = 'openai' | 'endpoint';

/** The choice for which the base URL is asked. */
const BY_ADDRESS = '';
const GIVEN: Readonly<Record<GivenServer, string>> = { openai: 'openai', endpoint: BY_ADDRESS };

/**
 * "Tiller: Select Model": asks for the server unless given, for its key if it needs one, and for the model. Writes the
 * user's settings.
 */
export async function selectModel(
  settings: Settings,
  keys: KeyStore,
  fetch: Fetch,
  given?: GivenServer,
): Promise<void> {
  const provider = given === undefined ? await pickProvider(settings) : GIVEN[given];
  if (provider === undefined) return;
  if (provider === DEMO_PROVIDER) return useDemo();
  const known = providerNamed(settings, provider);
  const baseUrl = known?.baseUrl ?? (await askBaseUrl());
  if (baseUrl === undefined) return;
  const { origin } = new URL(baseUrl);
  const needsKey = !isLocal(baseUrl) && (await keys.keyFor(origin)) === undefined;
  if (needsKey && !(await askKey(origin, keys))) return;
  const model = await pickModel(baseUrl, await keys.keyFor(origin), fetch);
  if (model === undefined) return;
  await useProvider(provider, model, known === undefined ? baseUrl : null);
}

/** "Tiller: Set API Key" for the server in use. True when a key was entered. */
export async function askKey(origin: string, keys: KeyStore): Promise<boolean> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', origin),
    prompt: vscode.l10n.t('Kept in the secret storage of VS Code and sent to this server only.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (!key) return false;
  await keys.store(origin, key.trim());
  return true;
}

/** The embedded model: no account, no network. */
export function useDemo(): Promise<void> {
  return useProvider(DEMO_PROVIDER, DEMO_PROVIDER);
}

async function pickProvider(settings: Settings): Promise<string | undefined> {
  const names = providerNames(settings);
  const choices: ProviderChoice[] = [
    ...names.map((name) => ({
      label: name,
      description: providerNamed(settings, name)?.baseUrl ?? '',
      provider: name,
    })),
    { label: vscode.l10n.t('Another server…'), provider: BY_ADDRESS },
    {
      label: vscode.l10n.t('Demo (scripted)'),
      description: vscode.l10n.t('No account, no network'),
      provider: DEMO_PROVIDER,
    },
  ];
  const picked = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t('Where does the model run?') });
  return picked?.provider;
}

async function askBaseUrl(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Address of the server'),
    prompt: vscode.l10n.t('Up to and including /v1, for example https://models.example.com/v1'),
    ignoreFocusOut: true,
    validateInput: (value) =>
      URL.canParse(value) && /^https?:/.test(value) ? undefined : vscode.l10n.t('Enter an http or https address.'),
  });
}

/** The models that the server lists, or a name typed by the user where it lists none. */
async function pickModel(baseUrl: string, key: string | undefined, fetch: Fetch): Promise<string | undefined> {
  const models = await listModels(baseUrl, key, fetch);
  const title = vscode.l10n.t('Model');
  if (models.length === 0) return vscode.window.showInputBox({ title, ignoreFocusOut: true });
  return vscode.window.showQuickPick(models, { title });
}

async function listModels(baseUrl: string, key: string | undefined, fetch: Fetch): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal,
    });
    const { text, isCut } = await readBeginning(response.body, LIST_BYTES, signal);
    const body = (isCut ? undefined : parseJson(text)) as { data?: readonly { id?: unknown }[] } | undefined;
    const ids = (body?.data ?? []).map(({ id }) => id).filter((id) => typeof id === 'string');
    return ids.toSorted((left, right) => left.localeCompare(right));
  } catch {
    return [];
  }
}

async function useProvider(provider: string, model: string, baseUrl: string | null = null): Promise<void> {
  await writeSetting('baseUrl', baseUrl);
  await writeSetting('provider', provider === BY_ADDRESS ? 'openai' : provider);
  await writeSetting('model', model);
}

function isLocal(baseUrl: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl).hostname);
}
