import * as vscode from 'vscode';
import { providerNamed, providerNames, providerTitle } from '../../protocol/providers.ts';
import type { Settings } from '../../protocol/settings.ts';
import { writeSetting } from '../settings.ts';
import type { KeyStore } from './apiKeys.ts';

interface Row extends vscode.QuickPickItem {
  readonly name: string;
}

/**
 * "Tiller: Remove Provider": removes a server from the settings with its key, or the key of one that Tiller knows by
 * itself. A key that another server has at the same origin stays. True when something was removed.
 */
export async function removeProvider(settings: Settings, keys: KeyStore): Promise<boolean> {
  const rows: Row[] = [];
  for (const name of providerNames(settings)) {
    const server = providerNamed(settings, name);
    const isOwn = Object.hasOwn(settings.providers, name);
    const hasKey = server !== undefined && (await keys.keyFor(new URL(server.baseUrl).origin)) !== undefined;
    if (!isOwn && !hasKey) continue;
    const detail = isOwn
      ? hasKey
        ? vscode.l10n.t('Its entry in the settings, and its key')
        : vscode.l10n.t('Its entry in the settings')
      : vscode.l10n.t('Its key');
    rows.push({ label: providerTitle(name), description: server?.baseUrl ?? '', detail, name });
  }
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No provider of yours and no key is stored.'));
    return false;
  }
  const picked = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Remove which provider?') });
  if (picked === undefined) return false;
  const remove = vscode.l10n.t('Remove');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove {0}? A stored key cannot be brought back.', picked.label),
    { modal: true },
    remove,
  );
  if (answer !== remove) return false;
  await removeNamed(picked.name, settings, keys);
  return true;
}

async function removeNamed(name: string, settings: Settings, keys: KeyStore): Promise<void> {
  const server = providerNamed(settings, name);
  const { [name]: _removed, ...providers } = settings.providers;
  if (Object.hasOwn(settings.providers, name)) await writeSetting('providers', providers);
  if (server !== undefined) {
    const { origin } = new URL(server.baseUrl);
    const rest = Object.entries({ ...settings, providers }.providers);
    const isShared = rest.some(([, other]) => new URL(other.baseUrl).origin === origin);
    if (!isShared) await keys.remove(origin);
  }
  if (settings.provider !== name || settings.baseUrl !== null) return;
  await writeSetting('model', null);
  await writeSetting('provider', 'openai');
}
