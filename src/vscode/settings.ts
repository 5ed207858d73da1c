import * as vscode from 'vscode';
import { parseSettings, SETTING_KEYS, type Settings, type SettingKey } from '../protocol/settings.ts';

const SECTION = 'tiller';

/**
 * The person's settings. All of them are of machine scope, so a workspace cannot say them (design decision 12). A value
 * that does not fit is left at its default, and `complain` says which.
 */
export function readSettings(complain: (message: string) => void): Settings {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  let values: Record<string, unknown> = Object.fromEntries(
    SETTING_KEYS.flatMap((key) => {
      const value = configuration.inspect(key)?.globalValue;
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  // Each round takes out one value that does not fit; with none left the defaults always do.
  while (true) {
    const result = parseSettings(values);
    if (result.type === 'settings') return result.settings;
    complain(result.message);
    const wrong = SETTING_KEYS.find((key) => key in values && result.message.includes(`"${key}`));
    values = wrong === undefined ? {} : without(values, wrong);
  }
}

/** The `complain` of a window: a warning that names the setting. */
export function warnOfSetting(message: string): void {
  void vscode.window.showWarningMessage(vscode.l10n.t('Tiller: {0}', message));
}

function without(values: Record<string, unknown>, key: SettingKey): Record<string, unknown> {
  const { [key]: _wrong, ...rest } = values;
  return rest;
}

/** Keeps a choice for the person, in this and every other window. */
export async function writeSetting<Key extends SettingKey>(key: Key, value: Settings[Key]): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
}

export function onSettingsChanged(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(SECTION) || event.affectsConfiguration('chat')) listener();
  });
}
