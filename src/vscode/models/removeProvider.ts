import * as vscode from 'vscode';
import { providerNamed, providerNames, providerTitle } from '../../protocol/knownProviders.ts';
import type { Settings } from '../../protocol/settings.ts';
import { changeProviders, writeSetting } from '../settings.ts';
import type { KeyStore } from './apiKeys.ts';

interface Row extends vscode.QuickPickItem {
  readonly name: string;
}

/**
 * "Tiller: Remove Provider": removes a server from the settings with its key, or the key of one that Tiller knows by
 * itself. Removing an entry keeps the key while another server of the same origin uses it. Returns the name of the
 * provider; `undefined` when the user cancels.
 */
export async function removeProvider(settings: Settings, keys: KeyStore): Promise<string | undefined> {
  const rows: Row[] = [];
  for (const name of providerNames(settings)) {
    const server = providerNamed(settings, name);
    const isOwn = Object.hasOwn(settings.providers, name);
    const hasKey = server !== undefined && (await keys.keyFor(new URL(server.baseUrl).origin)) !== undefined;
    if (!isOwn && !hasKey) continue;
    const detail = detailOf(isOwn, hasKey, othersWithKeyOf(name, settings));
    rows.push({ label: providerTitle(settings, name), description: server?.baseUrl ?? '', detail, name });
  }
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There are no providers of your own and no stored keys.'));
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Remove Provider') });
  if (picked === undefined) return undefined;
  const remove = vscode.l10n.t('Remove');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove {0}? A stored key cannot be restored.', picked.label),
    { modal: true },
    remove,
  );
  if (answer !== remove) return undefined;
  await removeNamed(picked.name, settings, keys);
  return picked.name;
}

function detailOf(isOwn: boolean, hasKey: boolean, others: readonly string[]): string {
  if (!isOwn) {
    return others.length === 0
      ? vscode.l10n.t('Its key')
      : vscode.l10n.t('Its key, which {0} also uses', others.join(', '));
  }
  if (!hasKey) return vscode.l10n.t('Its entry in the settings');
  return others.length === 0
    ? vscode.l10n.t('Its entry in the settings, and its key')
    : vscode.l10n.t('Its entry in the settings; the key stays, because {0} uses it', others.join(', '));
}

/** The other servers that a request with the key of this one goes to: of the settings, and those that Tiller knows. */
function othersWithKeyOf(name: string, settings: Settings): readonly string[] {
  const server = providerNamed(settings, name);
  if (server === undefined) return [];
  const { origin } = new URL(server.baseUrl);
  const isSame = (baseUrl: string | undefined) => baseUrl !== undefined && new URL(baseUrl).origin === origin;
  const named = providerNames(settings).filter(
    (other) => other !== name && isSame(providerNamed(settings, other)?.baseUrl),
  );
  return [
    ...named.map((other) => providerTitle(settings, other)),
    ...(isSame(settings.baseUrl ?? undefined) ? [origin] : []),
  ];
}

async function removeNamed(name: string, settings: Settings, keys: KeyStore): Promise<void> {
  const server = providerNamed(settings, name);
  const isOwn = Object.hasOwn(settings.providers, name);
  const isKeyShared = isOwn && othersWithKeyOf(name, settings).length > 0;
  if (isOwn) await changeProviders(({ [name]: _removed, ...rest }) => rest);
  if (server !== undefined && !isKeyShared) await keys.remove(new URL(server.baseUrl).origin);
  if (settings.provider !== name || settings.baseUrl !== null) return;
  await writeSetting('model', null);
  await writeSetting('provider', 'openai');
}
