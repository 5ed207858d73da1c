import * as vscode from 'vscode';
import {
  type InProcessProvider,
  KNOWN_PROVIDERS,
  providerNamed,
  providerNames,
  providerTitle,
} from '../../protocol/knownProviders.ts';
import { ownValue } from '../../protocol/ownValue.ts';
import type { Settings } from '../../protocol/settings.ts';
import { pickOrType } from './pickOrType.ts';

/** The choice of the server for the model. */
export type ProviderChoice =
  /** A provider of the settings, or one that Tiller knows. */
  | { readonly type: 'named'; readonly name: string }
  /** Known, and not in the settings yet. */
  | { readonly type: 'template'; readonly name: string }
  /** `baseUrl`: typed instead of a choice. */
  | { readonly type: 'address'; readonly baseUrl?: string }
  | { readonly type: 'local' }
  | { readonly type: InProcessProvider };

interface Row extends vscode.QuickPickItem {
  readonly choice?: ProviderChoice;
}

/** `hasLanguageModels`: other extensions offer models. */
export async function pickProvider(
  settings: Settings,
  hasLanguageModels: boolean,
): Promise<ProviderChoice | undefined> {
  const isListed = new Set(providerNames(settings));
  const names = new Set([...Object.keys(settings.providers), ...Object.keys(KNOWN_PROVIDERS)]);
  const providers = [...names].map((name) => (isListed.has(name) ? namedRow(settings, name) : templateRow(name)));
  const rows: Row[] = [
    {
      label: vscode.l10n.t('Find Servers on This Machine'),
      description: vscode.l10n.t('Ollama, LM Studio, llama.cpp, vLLM on their usual ports'),
      choice: { type: 'local' },
    },
    ...providers,
    ...(hasLanguageModels
      ? [
          {
            label: vscode.l10n.t('Models from Other Extensions'),
            choice: { type: 'vscode' },
          } satisfies Row,
        ]
      : []),
    {
      label: vscode.l10n.t('Another Server…'),
      description: vscode.l10n.t('By its address'),
      choice: { type: 'address' },
    },
    {
      label: vscode.l10n.t('Demo (scripted)'),
      description: vscode.l10n.t('No account, no network'),
      choice: { type: 'demo' },
    },
  ];
  const picked = await pickOrType(rows, {
    title: vscode.l10n.t('Select Provider'),
    placeHolder: vscode.l10n.t('Select a provider, or type the address of a server'),
    rowOf: (typed): Row | undefined => {
      const baseUrl = addressIn(typed);
      if (baseUrl === undefined) return undefined;
      const label = vscode.l10n.t('Use Server {0}', baseUrl);
      return { label, alwaysShow: true, choice: { type: 'address', baseUrl } };
    },
  });
  return picked?.choice;
}

function namedRow(settings: Settings, name: string): Row {
  const isCurrent = name === settings.provider && settings.baseUrl === null && settings.model !== null;
  return {
    label: providerTitle(settings, name),
    description: providerNamed(settings, name)?.baseUrl ?? '',
    ...(isCurrent && settings.model !== null ? { detail: vscode.l10n.t('In use: {0}', settings.model) } : {}),
    choice: { type: 'named', name },
  };
}

/** A provider that is known, and in no list before it is chosen. */
function templateRow(name: string): Row {
  const known = ownValue(KNOWN_PROVIDERS, name);
  return {
    label: known?.title ?? name,
    description: known?.template?.baseUrl ?? known?.addressExample ?? '',
    choice: { type: 'template', name },
  };
}

/** The http or https address, without slashes at its end. */
function addressIn(typed: string): string | undefined {
  const text = typed.trim();
  return /^https?:\/\/[^\s/]/.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

/** Asks for an address until it is valid. `undefined` when the user cancels. */
export async function askBaseUrl(example = 'https://models.example.com/v1'): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Server Address'),
    prompt: vscode.l10n.t('Up to and including /v1, for example {0}', example),
    ignoreFocusOut: true,
    validateInput: (value) =>
      addressIn(value) === undefined ? vscode.l10n.t('Enter an http or https address.') : undefined,
  });
  return typed === undefined ? undefined : addressIn(typed);
}
