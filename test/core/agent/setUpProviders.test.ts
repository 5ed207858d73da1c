/** The providers whose models the model menu asks for. */
import { expect, test } from 'vitest';
import { setUpProviders } from '../../../src/core/agent/setUpProviders.ts';
import { parseSettings, type Settings } from '../../../src/protocol/settings.ts';

function settingsWith(values: Record<string, unknown>): Settings {
  const result = parseSettings(values);
  if (result.type !== 'settings') throw new Error(result.message);
  return result.settings;
}

const OPENAI = 'https://api.openai.com';
const mine = { providers: { mine: { baseUrl: 'https://mine.example/v1' } } };

test('the providers that are set up are none before a model is chosen: no server that Tiller knows is asked unasked', () => {
  expect(setUpProviders(settingsWith({}), 'openai', [], () => false)).toEqual([]);
});

test('the providers that are set up begin with the one in use, then that of the settings, each once', () => {
  const settings = settingsWith({ ...mine, provider: 'ollama', model: 'qwen' });
  expect(setUpProviders(settings, 'mine', ['ollama'], () => false)).toEqual(['mine', 'ollama']);
});

test('the providers that are set up include those that were used before, unless the settings have them no more', () => {
  const settings = settingsWith({ provider: 'openai', model: 'gpt' });
  const used = ['lmstudio', 'removed', 'demo', 'vscode'];
  expect(setUpProviders(settings, 'openai', used, () => false)).toEqual(['openai', 'lmstudio', 'demo', 'vscode']);
});

test('the providers that are set up include the known ones with a key of theirs, and no local one for the key of another', () => {
  const settings = settingsWith({ provider: 'ollama', model: 'qwen' });
  expect(setUpProviders(settings, 'ollama', [], (origin) => origin === OPENAI)).toEqual(['ollama', 'openai']);
});

test('the providers that are set up include the server of the setting baseUrl by its host', () => {
  const settings = settingsWith({ baseUrl: 'https://typed.example/v1', model: 'm' });
  expect(setUpProviders(settings, 'typed.example', [], () => false)).toEqual(['typed.example']);
});
