import { describe, expect, test } from 'vitest';
import { abilitiesOf, settingsWithoutEffect, type ServerFacts } from '../../../src/core/model/abilities.ts';
import type { ModelSettings } from '../../../src/protocol/providers.ts';

const OPENAI = { baseUrl: 'https://api.openai.com/v1' };
const LOCAL = { baseUrl: 'http://127.0.0.1:8000/v1' };

function withModel(server: ServerFacts, model: string, settings: ModelSettings): ServerFacts {
  return { ...server, models: { [model]: settings } };
}

describe('the abilities of a model', () => {
  test('come from its name where the name is known', () => {
    const { family, sources } = abilitiesOf(OPENAI, 'responses', 'gpt-5.5');
    expect(family).toMatchObject({ id: 'gpt-5.x', applyPatch: 'freeform', contextWindow: 272_000 });
    expect(new Set(Object.values(sources))).toEqual(new Set(['name']));
  });

  test('are guessed where it is not', () => {
    const { family, sources } = abilitiesOf(LOCAL, 'chat', 'mystery');
    expect(family).toMatchObject({ applyPatch: 'function', images: true, contextWindow: null });
    expect(new Set(Object.values(sources))).toEqual(new Set(['guess']));
  });

  test('come from the server before the name, and from the settings before both', () => {
    const reported = { id: 'gpt-oss-20b', contextWindow: 32_768, images: false };
    const told = abilitiesOf(LOCAL, 'chat', 'gpt-oss-20b', reported);
    expect(told.family).toMatchObject({ contextWindow: 32_768, images: false });
    expect(told.sources).toMatchObject({ contextWindow: 'server', images: 'server', applyPatch: 'name' });

    const chosen = withModel(LOCAL, 'gpt-oss-20b', { contextWindow: 8192, images: true });
    const { family, sources } = abilitiesOf(chosen, 'chat', 'gpt-oss-20b', reported);
    expect(family).toMatchObject({ contextWindow: 8192, images: true });
    expect(sources).toMatchObject({ contextWindow: 'settings', images: 'settings' });
  });

  test('can all be set', () => {
    const settings: ModelSettings = {
      applyPatch: 'freeform',
      extraInstructions: false,
      shell: 'local_shell',
      fileTools: false,
      userQuestions: false,
      parallelToolCalls: false,
      images: false,
      contextWindow: 1000,
      maxOutput: 500,
      reasoning: { efforts: ['low', 'high'], defaultEffort: 'low', summaries: true, thinking: 'adaptive' },
      verbosity: 'medium',
      store: true,
    };
    const { family, sources, store } = abilitiesOf(withModel(LOCAL, 'mystery', settings), 'responses', 'mystery');
    expect(family).toEqual({
      id: 'unknown',
      applyPatch: 'freeform',
      extraInstructions: false,
      shell: 'local_shell',
      fileTools: false,
      userQuestions: false,
      parallelToolCalls: false,
      images: false,
      contextWindow: 1000,
      maxOutput: 500,
      reasoning: { efforts: ['low', 'high'], defaultEffort: 'low', summaries: true, thinking: 'adaptive' },
      verbosity: { default: 'medium' },
    });
    expect(new Set(Object.values(sources))).toEqual(new Set(['settings']));
    expect(store).toBe(true);
  });

  test('false turns reasoning and verbosity off', () => {
    const { family } = abilitiesOf(
      withModel(OPENAI, 'gpt-5', { reasoning: false, verbosity: false }),
      'responses',
      'gpt-5',
    );
    expect(family).toMatchObject({ reasoning: null, verbosity: null });
  });

  test('a deployment has those of the model that it is set to resemble', () => {
    const azure = { baseUrl: 'https://me.openai.azure.com/openai/v1' };
    const byModel = abilitiesOf(withModel(azure, 'team-a', { family: 'gpt-5.5' }), 'responses', 'team-a');
    const byServer = abilitiesOf({ ...azure, family: 'gpt-5.5' }, 'responses', 'team-a');
    for (const { family, everything } of [byModel, byServer]) {
      expect(family.id).toBe('gpt-5.x');
      expect(everything).toBe(true);
    }
    // A name that says something counts more than the hint for the whole server.
    expect(abilitiesOf({ ...azure, family: 'gpt-5.5' }, 'responses', 'gpt-4.1').family.id).toBe('gpt-4.1');
  });

  test('Chat Completions has functions alone, and says so', () => {
    const settings: ModelSettings = { applyPatch: 'freeform', shell: 'local_shell' };
    const { family, notes } = abilitiesOf(withModel(LOCAL, 'mystery', settings), 'chat', 'mystery');
    expect(family).toMatchObject({ applyPatch: 'function', shell: 'exec_command' });
    expect(notes).toEqual([
      'The setting “applyPatch: freeform” of mystery has no effect on Chat Completions.',
      'The setting “shell: local_shell” of mystery has no effect on Chat Completions.',
    ]);
  });

  test.each([
    ['https://api.openai.com/v1', 'responses', undefined, false],
    ['https://me.openai.azure.com/openai/v1', 'responses', undefined, true],
    ['https://me.openai.azure.com/openai/v1', 'responses', false, false],
    ['http://127.0.0.1:8000/v1', 'responses', undefined, undefined],
    ['http://127.0.0.1:8000/v1', 'responses', false, false],
    ['https://api.openai.com/v1', 'chat', undefined, undefined],
    ['https://api.openai.com/v1', 'chat', true, true],
  ] as const)('%s on %s with store %s sends store %s', (baseUrl, wire, store, sent) => {
    expect(abilitiesOf({ baseUrl, store }, wire, 'gpt-5').store).toBe(sent);
  });
});

describe('settings without effect', () => {
  const family = (model: string, server: ServerFacts = OPENAI) => abilitiesOf(server, 'responses', model).family;
  const chosen = (effort: string | null, verbosity: string | null = null, summary = 'auto') => ({
    effort,
    verbosity,
    summary,
  });

  test('are named', () => {
    const without = (model: string, settings: ReturnType<typeof chosen>) =>
      settingsWithoutEffect(model, family(model), settings);
    expect(without('gpt-4.1', chosen('high', 'low', 'detailed'))).toEqual([
      'The reasoning effort has no effect: gpt-4.1 takes none.',
      'The setting reasoning.summary has no effect: gpt-4.1 sends no summaries here.',
      'The setting verbosity has no effect: gpt-4.1 takes none here.',
    ]);
    expect(without('o3', chosen('minimal'))).toEqual([
      'The reasoning effort “minimal” has no effect: o3 takes low, medium, high.',
    ]);
    expect(without('gpt-5', chosen('minimal', 'high', 'concise'))).toEqual([]);
  });

  test('an effort that may have an effect is sent', () => {
    expect(settingsWithoutEffect('mystery', family('mystery', LOCAL), chosen('xhigh'))).toEqual([]);
  });
});
