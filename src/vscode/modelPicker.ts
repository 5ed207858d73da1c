import * as vscode from 'vscode';
import { readBeginning } from '../core/model/boundedBody.ts';
import type { Fetch } from '../core/ports.ts';
import { parseJson } from '../core/util/json.ts';
import { BUILTIN_PROVIDERS, type Settings } from '../protocol/settings.ts';
import type { KeyStore } from './secrets.ts';
import { writeSetting } from './settings.ts';

/** The provider that is no server elsewhere but the embedded scripted one (design decision 3). */
export const DEMO_PROVIDER = 'demo';
const LIST_TIMEOUT_MS = 4000;
const LIST_BYTES = 4 * 1024 * 1024;

interface ProviderChoice extends vscode.QuickPickItem {
  readonly provider: string;
}

/** "Tiller: Select Model": which server, its key if it wants one, which model. Kept as settings of the person. */
export async function selectModel(settings: Settings, keys: KeyStore, fetch: Fetch): Promise<void> {
  const provider = await pickProvider(settings);
  if (provider === undefined) return;
  if (provider === DEMO_PROVIDER) return useDemo();
  const baseUrl = settings.providers[provider]?.baseUrl ?? BUILTIN_PROVIDERS[provider]?.baseUrl ?? (await askBaseUrl());
  if (baseUrl === undefined) return;
  const { origin } = new URL(baseUrl);
  const needsKey = !isLocal(baseUrl) && (await keys.keyFor(origin)) === undefined;
  if (needsKey && !(await askKey(origin, keys))) return;
  const model = await pickModel(baseUrl, await keys.keyFor(origin), fetch);
  if (model === undefined) return;
  await useProvider(provider, model, provider in BUILTIN_PROVIDERS || provider in settings.providers ? null : baseUrl);
}

/** "Tiller: Set API Key": for the server in use. True when one was entered. */
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
  const names = [...new Set([...Object.keys(settings.providers), ...Object.keys(BUILTIN_PROVIDERS)])];
  const choices: ProviderChoice[] = [
    ...names.map((name) => ({
      label: name,
      description: settings.providers[name]?.baseUrl ?? BUILTIN_PROVIDERS[name]?.baseUrl ?? '',
      provider: name,
    })),
    { label: vscode.l10n.t('Another server…'), provider: '' },
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
      URL.canParse(value) && /^https?:/.test(value) ? undefined : vscode.l10n.t('An http or https address, please.'),
  });
}

/** What the server lists, or a name typed by hand where it lists nothing. */
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
  await writeSetting('provider', provider === '' ? 'openai' : provider);
  await writeSetting('model', model);
}

function isLocal(baseUrl: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl).hostname);
}
