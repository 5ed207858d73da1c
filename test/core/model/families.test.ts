import type { WireApi } from '../../../src/protocol/providers.ts';
import { expect, test } from 'vitest';
import { capabilitiesOf, effortFor, familyOf, type Dialect } from '../../../src/core/model/families.ts';
import { dialectOf } from '../../../src/core/model/providerConfig.ts';

test.each([
  ['gpt-5', 'gpt-5'],
  ['gpt-5-mini', 'gpt-5'],
  ['gpt-5-2025-08-07', 'gpt-5'],
  ['gpt-5-codex', 'gpt-5-codex'],
  ['gpt-5.1-codex-max', 'gpt-5-codex'],
  ['gpt-5.2-codex', 'gpt-5-codex'],
  ['gpt-5.1', 'gpt-5.x'],
  ['gpt-5.5', 'gpt-5.x'],
  ['gpt-5.3-codex-spark', 'gpt-5-codex-spark'],
  ['gpt-5-pro-2025-10-06', 'gpt-5-pro'],
  ['gpt-5.2-pro', 'gpt-5.x'],
  ['gpt-5-chat-latest', 'gpt-5-chat'],
  ['openai/gpt-5.2', 'gpt-5.x'],
  ['gpt-oss:20b', 'gpt-oss'],
  ['openai/gpt-oss-120b', 'gpt-oss'],
  ['o3', 'o-series'],
  ['o4-mini', 'o-series'],
  ['codex-mini-latest', 'codex-mini'],
  ['gpt-4.1-nano', 'gpt-4.1'],
  ['gpt-4o', 'gpt-4o'],
  ['gpt-4', 'gpt-4'],
  ['gpt-4-0613', 'gpt-4'],
  ['gpt-4-turbo-2024-04-09', 'gpt-4-turbo'],
  ['gpt-4-1106-preview', 'gpt-4-turbo'],
  ['gpt-4.5-preview', 'gpt-4.x'],
  ['o3-mini', 'o-mini'],
  ['gpt-3.5-turbo', 'gpt-3.5'],
  ['demo', 'demo'],
  ['qwen3-coder:30b', 'unknown'],
  ['claude-opus', 'unknown'],
  ['claude-3-5-sonnet-20241022', 'claude-3.5'],
  ['claude-3-7-sonnet-latest', 'claude-3.7'],
  ['claude-opus-4-20250514', 'claude-opus-4'],
  ['claude-opus-4-1-20250805', 'claude-opus-4'],
  ['claude-opus-4-5-20251101', 'claude-4'],
  ['claude-sonnet-4@20250514', 'claude-4'],
  ['claude-haiku-4-5-20251001', 'claude-4'],
  ['anthropic/claude-opus-4.6', 'claude-4.6'],
  ['anthropic.claude-sonnet-4-6-v1', 'claude-4.6'],
  ['claude-opus-4-8', 'claude-5'],
  ['claude-opus-5', 'claude-5'],
  ['claude-sonnet-5-20260630', 'claude-5'],
  ['claude-opus-5-5', 'claude-opus-5.5'],
  ['claude-sonnet-5-5', 'claude-sonnet-5.5'],
  ['claude-haiku-5-5', 'claude-haiku-5'],
  ['claude-fable-5-1', 'claude-fable'],
  ['claude-mythos-preview', 'claude-fable'],
  ['o1000-model', 'unknown'],
])('%s belongs to %s', (model, family) => {
  expect(familyOf(model).id).toBe(family);
});

test('families × dialects × wires', () => {
  const models = [
    'gpt-5.2-codex',
    'gpt-5.2',
    'gpt-5',
    'o3',
    'o3-mini',
    'codex-mini-latest',
    'gpt-5-pro',
    'gpt-5.3-codex-spark',
    'gpt-4.1',
    'gpt-4',
    'gpt-oss',
    'demo',
    'mystery',
  ];
  const lines = models.flatMap((model) =>
    (['openai', 'plain'] as const).flatMap((dialect: Dialect) =>
      (['responses', 'chat'] as const).map((wire: WireApi) => {
        const family = capabilitiesOf(model, dialect, wire);
        return [
          `${model} ${dialect} ${wire}:`,
          family.applyPatch,
          family.extraInstructions ? 'explained' : 'known',
          family.shell,
          `reasoning=${family.reasoning ? (family.reasoning.defaultEffort ?? 'if chosen') : 'no'}`,
          `verbosity=${family.verbosity ? (family.verbosity.default ?? 'if chosen') : 'no'}`,
          family.fileTools ? 'file tools' : 'reads by commands',
          family.userQuestions ? 'asks' : 'never asks',
          family.parallelToolCalls ? 'parallel' : 'serial',
          family.images ? 'images' : 'text',
          family.contextWindow ?? '?',
        ].join(' ');
      }),
    ),
  );
  expect(lines).toMatchSnapshot();
});

test.each<[string, Dialect]>([
  ['https://api.openai.com/v1', 'openai'],
  ['https://eu.api.openai.com/v1', 'openai'],
  ['https://me.openai.azure.com/openai/v1', 'azure'],
  ['https://me.cognitiveservices.azure.com/openai', 'azure'],
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://openrouter.ai.evil.example/v1', 'plain'],
  ['http://127.0.0.1:11434/v1', 'plain'],
  ['https://api.openai.com.evil.example/v1', 'plain'],
  ['https://notopenai.com/v1', 'plain'],
  ['nonsense', 'plain'],
])('%s speaks %s', (baseUrl, dialect) => {
  expect(dialectOf({ baseUrl })).toBe(dialect);
});

test.each([
  [['low', 'high'], 'high', 'high'],
  [['low', 'high'], 'medium', 'low'],
  [null, 'medium', 'medium'],
  [['low', 'high'], null, 'low'],
] as const)('of the efforts %j the model gets, where %s is chosen, %s', (efforts, chosen, sent) => {
  expect(effortFor({ efforts, defaultEffort: 'low', summaries: true }, chosen)).toBe(sent);
});

test.each([
  ['gpt-5.5', false],
  ['gpt-5.6-terra', true],
  ['gpt-5.10', true],
  ['claude-opus-4-5', false],
  ['claude-sonnet-4-6', true],
  ['claude-opus-5-5', true],
])('whether %s takes the effort max: %s', (model, takesIt) => {
  expect(familyOf(model).reasoning?.efforts?.includes('max')).toBe(takesIt);
});

test('Claude gets no tools but functions, also from a server that takes others', () => {
  const { applyPatch, shell } = capabilitiesOf('claude-opus-5-5', 'openai', 'responses');
  expect({ applyPatch, shell }).toEqual({ applyPatch: 'function', shell: 'exec_command' });
});
