/** docs/tools.md is the page of every tool. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Toolset } from '../../../src/core/session/toolset.ts';
import { FakeLanguages } from '../../support/fakeLanguages.ts';
import { THREAD_DEFAULTS } from '../../support/threadDefaults.ts';
import { TOOL_OPTIONS } from '../../support/toolOptions.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/tools.md'), 'utf8');

test('every tool that a model can be offered is on its page', () => {
  const tools = new Toolset({
    rules: TOOL_OPTIONS.rules,
    settings: { ...THREAD_DEFAULTS.tools, problemsAfterPatch: 'off', unreadable: [], memory: true },
    readMemory: async () => undefined,
    host: { isTrusted: () => true },
    languages: new FakeLanguages(),
    onRejected: () => {},
  });
  const family = {
    applyPatch: 'function',
    extraInstructions: true,
    fileTools: true,
    images: true,
    userQuestions: true,
  } as const;
  const names = (['exec_command', 'local_shell'] as const).flatMap(
    (shell) => tools.registryFor({ ...family, shell }).offeredNames,
  );
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const missing = [...new Set(names)].filter((name) => !rows.some((row) => row.includes(`\`${name}\``)));
  expect(missing, 'give each a row in docs/tools.md').toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['get_memory', 'code_navigation']));
});
