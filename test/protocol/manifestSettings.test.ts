/** package.json, where VS Code reads the settings, says the same of them as the schema. scripts/checkManifest.mjs has the rest. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { DEFAULT_SETTINGS, parseSettings, SETTING_KEYS, settingsSchema } from '../../src/protocol/settings.ts';

interface ManifestSetting {
  readonly default: unknown;
  readonly enum?: readonly unknown[];
}

const { contributes } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  contributes: { configuration: readonly { properties: Readonly<Record<string, ManifestSetting>> }[] };
};
const manifest = new Map(
  contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties).map(([name, setting]) => [name.replace(/^tiller\./, ''), setting] as const),
  ),
);

it.each(['/etc/passwd', '../CLAUDE.md', 'a/../../b', 'a/..', 'a\\b', ''])(
  'a project file is below its folder: %j',
  (file) => {
    expect(parseSettings({ projectDocFallbackFilenames: [file] }).type).toBe('invalid');
  },
);

it('every setting is in package.json, and none that Tiller does not have', () => {
  expect(
    [...manifest.keys()].toSorted(),
    'a setting is a key of src/protocol/settings.ts and of `configuration` in package.json',
  ).toEqual([...SETTING_KEYS].toSorted());
});

interface KnownSetting {
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly KnownSetting[];
}

const { properties: known } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }) as unknown as {
  readonly properties: Readonly<Record<string, KnownSetting>>;
};

it.each(SETTING_KEYS)('%s has its default and its values in package.json', (key) => {
  const { default: byDefault, enum: values = [] } = manifest.get(key) ?? {};
  const parsed = (value: unknown) => parseSettings({ [key]: value });
  expect(parsed(byDefault)).toEqual({ type: 'settings', settings: DEFAULT_SETTINGS });
  expect(values.filter((value) => parsed(value).type === 'invalid')).toEqual([]);
  const accepted = [known[key], ...(known[key]?.anyOf ?? [])].flatMap((schema) => schema?.enum ?? []);
  expect(accepted.filter((value) => !values.includes(value))).toEqual([]);
});
