/** The server and the model that the next request goes to. */
import { expect, test } from 'vitest';
import { serverInUse } from '../../../src/core/agent/serverInUse.ts';
import { parseSettings, type Settings } from '../../../src/protocol/settings.ts';

function settingsWith(values: Record<string, unknown>): Settings {
  const result = parseSettings({ providers: { mine: { baseUrl: 'https://mine.example/v1' } }, ...values });
  if (result.type !== 'settings') throw new Error(result.message);
  return result.settings;
}

function inUse(...args: Parameters<typeof serverInUse>) {
  const server = serverInUse(...args);
  return server && `${server.model} of ${server.provider.id} at ${server.provider.baseUrl}`;
}

const settings = settingsWith({ provider: 'mine', model: 'small' });

test('the facts of the server in use are those of the settings without a thread', () => {
  expect(inUse(settings, { model: 'small' }, undefined)).toBe('small of mine at https://mine.example/v1');
  const address = settingsWith({ baseUrl: 'https://typed.example/v1' });
  expect(inUse(address, { model: 'm' }, undefined)).toBe('m of typed.example at https://typed.example/v1');
});

test('the facts of the server in use are those of the thread, whatever the settings say', () => {
  expect(inUse(settings, { model: 'gpt' }, 'openai')).toBe('gpt of openai at https://api.openai.com/v1');
  expect(inUse(settings, { model: 'qwen', provider: 'ollama' }, 'openai')).toBe(
    'qwen of ollama at http://127.0.0.1:11434/v1',
  );
});

test('the facts of the server in use are unknown for a provider that is gone, and for one without a server', () => {
  expect(inUse(settings, { model: 'm', provider: 'gone' }, 'mine')).toBeUndefined();
  expect(inUse(settings, { model: 'demo', provider: 'demo' }, 'mine')).toBeUndefined();
  expect(inUse(settings, { model: 'm' }, 'vscode')).toBeUndefined();
  expect(inUse(settingsWith({ provider: 'demo' }), { model: 'demo' }, undefined)).toBeUndefined();
});
