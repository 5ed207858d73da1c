import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { providerNamed, providerTitle } from '../../src/protocol/knownProviders.ts';
import {
  DEFAULT_SETTINGS,
  parseSettings,
  placeSetting,
  SETTING_KEYS,
  settingsSchema,
} from '../../src/protocol/settings.ts';

describe('-c KEY=VALUE', () => {
  it('puts the value under the longest key that fits', () => {
    expect(placeSetting({}, 'model', 'm')).toEqual({ model: 'm' });
    expect(placeSetting({}, 'sandbox.mode', 'read-only')).toEqual({ 'sandbox.mode': 'read-only' });
    expect(placeSetting({}, 'providers.mine.baseUrl', 'http://x')).toEqual({
      providers: { mine: { baseUrl: 'http://x' } },
    });
  });

  it('keeps the other keys', () => {
    const before = { model: 'm', providers: { mine: { baseUrl: 'http://x' } } };
    expect(placeSetting(before, 'providers.mine.wireApi', 'chat')).toEqual({
      model: 'm',
      providers: { mine: { baseUrl: 'http://x', wireApi: 'chat' } },
    });
    expect(before).toEqual({ model: 'm', providers: { mine: { baseUrl: 'http://x' } } });
  });

  it('refuses unknown keys', () => {
    for (const key of ['', 'nonsense', 'sandbox', 'modelx', 'model', '__proto__'].filter((key) => key !== 'model')) {
      expect(placeSetting({}, key, 1)).toBeUndefined();
    }
  });

  it('never changes inherited properties', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SETTING_KEYS),
        fc.array(fc.constantFrom('__proto__', 'constructor', 'x')),
        (key, rest) => {
          placeSetting({}, [key, ...rest].join('.'), { polluted: true });
          expect('polluted' in {}).toBe(false);
        },
      ),
    );
  });
});

describe('the settings', () => {
  it('have the documented defaults', () => {
    expect(parseSettings({})).toEqual({ type: 'settings', settings: settingsSchema.parse({}) });
    expect(settingsSchema.parse({})).toMatchObject({
      model: null,
      provider: 'openai',
      approvalPolicy: 'on-request',
      'sandbox.mode': 'workspace-write',
      'sandbox.networkAccess': false,
      review: 'before',
      maxToolRounds: 200,
      'caps.turnTokens': null,
      'caps.dayCost': null,
      'retry.maxAttempts': 6,
      projectDocMaxBytes: 32_768,
    });
  });

  it.each([
    [{ nonsense: 1 }, 'there is no setting "nonsense"'],
    [{ maxToolRounds: 'many' }, /^setting "maxToolRounds": /],
    [{ 'caps.turnTokens': 0 }, /^setting "caps.turnTokens": /],
    [{ 'caps.dayTokens': 1.5 }, /^setting "caps.dayTokens": /],
    [{ 'caps.dayCost': -1 }, /^setting "caps.dayCost": /],
    [{ 'sandbox.mode': 'tight' }, /^setting "sandbox.mode": /],
    [{ baseUrl: 'ftp://x' }, 'setting "baseUrl": must be an http or https URL'],
    [{ providers: { mine: { baseUrl: 'x' } } }, 'setting "providers.mine.baseUrl": must be an http or https URL'],
    [{ providers: { mine: { baseUrl: 'http://x', key: 's' } } }, /^setting "providers.mine": .*key/],
  ])('%j is refused by its name', (values, message) => {
    const result = parseSettings(values);
    expect(result).toEqual({
      type: 'invalid',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });
});

it('an empty text is none where none is possible', () => {
  const empty = { model: '', baseUrl: '', baseInstructionsFile: '', 'mcp.clientMetadataUrl': '' };
  expect(parseSettings(empty)).toEqual({ type: 'settings', settings: DEFAULT_SETTINGS });
  expect(parseSettings({ model: null })).toEqual({ type: 'settings', settings: DEFAULT_SETTINGS });
  expect(parseSettings({ baseUrl: 'no address' })).toMatchObject({
    type: 'invalid',
    message: expect.stringContaining('"baseUrl"'),
  });
});

it('a provider is shown by the name that the user gave it, else by its own, else by its id', () => {
  const providers = { mine: { name: 'Team Gateway' }, ollama: { name: 'The Big Machine' }, plain: {} };
  const shown = (id: string) => providerTitle({ providers }, id);
  expect(['mine', 'ollama', 'plain', 'openai', 'gone', 'constructor'].map(shown)).toEqual([
    ...['Team Gateway', 'The Big Machine', 'plain', 'OpenAI', 'gone', 'constructor'],
  ]);
});

it('a provider is found by its own name: of the settings, else a built-in one', () => {
  const mine = { baseUrl: 'http://127.0.0.1:9/v1', wireApi: 'chat' as const, auth: 'none' as const };
  const named = (name: string) => providerNamed({ providers: { mine, ollama: mine } }, name)?.baseUrl;
  expect(['mine', 'ollama', 'openai', 'unknown', 'constructor', '__proto__'].map(named)).toEqual([
    mine.baseUrl,
    mine.baseUrl,
    'https://api.openai.com/v1',
    undefined,
    undefined,
    undefined,
  ]);
});
