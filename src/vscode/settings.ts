import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { parseSettings, SETTING_KEYS, type Settings, type SettingKey } from '../protocol/settings.ts';

const SECTION = 'tiller';

/**
 * The user's settings. All of them have machine scope, so a workspace cannot set them (docs/design.md decision 12). An
 * invalid value is replaced by its default and named to `complain`.
 */
export function readSettings(complain: (message: string) => void): Settings {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  let values: Record<string, unknown> = Object.fromEntries(
    keysWithoutDefault().flatMap((key) => {
      const value = configuration.inspect(key)?.globalValue;
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  // Each round removes one invalid value; without any values the defaults are always valid.
  while (true) {
    const result = parseSettings(values);
    if (result.type === 'settings') return result.settings;
    complain(result.message);
    const wrong = SETTING_KEYS.find((key) => key in values && result.message.includes(`"${key}`));
    values = wrong === undefined ? {} : without(values, wrong);
  }
}

/**
 * The settings whose value is not the default of the manifest, and those that the user has set. To inspect one takes VS Code
 * about 0.2 ms, for all of them 14 ms of the first use.
 */
function keysWithoutDefault(): readonly SettingKey[] {
  const all = vscode.workspace.getConfiguration();
  const inspected = all.inspect<unknown>(SECTION);
  const section: unknown = all.get(SECTION);
  return SETTING_KEYS.filter((key) => {
    if (valueAt(inspected?.globalValue, key) !== undefined) return true;
    const value = valueAt(section, key);
    const byDefault = valueAt(inspected?.defaultValue, key);
    // Not by `JSON.stringify`: for that VS Code copies the configuration of the whole window.
    return value !== byDefault && !isDeepStrictEqual(value, byDefault);
  });
}

/** The value of a setting in VS Code's tree of a section, in which each dot of a key is a level. */
function valueAt(section: unknown, key: SettingKey): unknown {
  return key.split('.').reduce((node, name) => (node as Record<string, unknown> | undefined | null)?.[name], section);
}

/** The `complain` for a window: a warning that names the setting. */
export function warnOfSetting(message: string): void {
  void vscode.window.showWarningMessage(vscode.l10n.t('Tiller: {0}', message));
}

function without(values: Record<string, unknown>, key: SettingKey): Record<string, unknown> {
  const { [key]: _wrong, ...rest } = values;
  return rest;
}

/** Writes the user's setting, for all windows. */
export async function writeSetting<Key extends SettingKey>(key: Key, value: Settings[Key]): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
}

type Table = Readonly<Record<string, unknown>>;

/**
 * Changes a table in the user's settings as it is at this moment. Entries that are invalid stay as they are: `readSettings`
 * leaves them out.
 */
export async function changeTable(key: 'providers' | 'mcpServers', change: (entries: Table) => Table): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const entries: unknown = configuration.inspect(key)?.globalValue;
  const isTable = typeof entries === 'object' && entries !== null;
  await configuration.update(key, change(isTable ? (entries as Table) : {}), vscode.ConfigurationTarget.Global);
}

/** Changes the user's providers (`changeTable`). */
export function changeProviders(change: (providers: Table) => Table): Promise<void> {
  return changeTable('providers', change);
}

/** Calls the listener after changes of Tiller's settings, and of VS Code's `chat` ones that Tiller reads. */
export function onSettingsChanged(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(SECTION) || event.affectsConfiguration('chat')) listener();
  });
}
