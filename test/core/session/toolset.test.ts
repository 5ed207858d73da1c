import { expect, test } from 'vitest';
import { Toolset } from '../../../src/core/session/toolset.ts';
import type { FunctionToolSpec } from '../../../src/protocol/toolSpec.ts';
import type { ToolHandler } from '../../../src/core/tools/handler.ts';
import type { ToolProvider } from '../../../src/core/tools/toolProvider.ts';
import { TOOL_OPTIONS } from '../../support/toolOptions.ts';

const family = {
  applyPatch: 'function',
  extraInstructions: true,
  fileTools: false,
  userQuestions: true,
  shell: 'exec_command',
} as const;
const weather = { name: 'weather', description: 'Returns the weather.', inputSchema: {} };

function toolset(toolProviders: readonly ToolProvider[] = []) {
  let trusted = true;
  const collisions: string[] = [];
  const tools = new Toolset({
    rules: TOOL_OPTIONS.rules,
    settings: { ...TOOL_OPTIONS, unreadable: [], memory: false },
    readMemory: async () => undefined,
    host: { isTrusted: () => trusted, toolProviders },
    onRejected: ({ name, providerId, problem }) =>
      collisions.push(`${providerId}: ${name}${problem === undefined ? '' : `: ${problem}`}`),
  });
  return { tools, collisions, trust: (is: boolean) => (trusted = is) };
}

test('the registry stays the same object until a provider changes', () => {
  const { tools } = toolset();
  const first = tools.registryFor(family);
  expect(tools.registryFor({ ...family })).toBe(first);
  tools.register([weather]);
  const second = tools.registryFor(family);
  expect(second).not.toBe(first);
  expect(second.specs.slice(0, first.specs.length)).toEqual(first.specs);
  expect(second.offeredNames.at(-1)).toBe('weather');
  expect(tools.registryFor(family)).toBe(second);
});

test('without trust only tools without effects are offered, and trust adds the others again', () => {
  const { tools, trust } = toolset();
  tools.register([weather]);
  trust(false);
  expect(tools.registryFor(family).offeredNames).toEqual(['update_plan', 'request_user_input']);
  trust(true);
  expect(tools.registryFor(family).offeredNames).toContain('exec_command');
  expect(tools.registryFor(family).offeredNames).toContain('weather');
});

test('a collision is reported once, and removes only the later tool', () => {
  const { tools, collisions } = toolset();
  tools.register([{ ...weather, name: 'shell' }, weather]);
  tools.registryFor(family);
  tools.registryFor({ ...family, applyPatch: 'freeform' });
  expect(collisions).toEqual(['client: shell']);
  expect(tools.registryFor(family).offeredNames).toContain('weather');
});

/** A server with one tool of this name and these parameters. */
function server(id: string, spec: FunctionToolSpec): ToolProvider {
  const tools: ToolHandler[] = [
    {
      names: [spec.name],
      isMutating: () => true,
      spec,
      parse: () => ({ type: 'invalid', message: '' }),
      prepare: async () => ({ type: 'failure', output: '' }),
      run: async () => ({ output: '', success: false }),
    },
  ];
  return { id, needsTrust: true, tools: () => tools };
}

const loose: FunctionToolSpec = { type: 'function', name: 'weather', description: '', strict: false, parameters: {} };

test('of tools with one name, those of Tiller come first, then those of the client, then those of servers', () => {
  const { tools, collisions } = toolset([server('one', loose), server('two', { ...loose, name: 'constructor' })]);
  tools.register([weather]);
  expect(tools.registryFor(family).offeredNames.slice(-2)).toEqual(['weather', 'constructor']);
  expect(collisions).toEqual(['one: weather']);
});

test('a strict tool whose schema does not hold is left out, with the property named', () => {
  const inner = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
  const parameters = { type: 'object', properties: { x: inner }, required: ['x'], additionalProperties: false };
  const whole = { ...parameters, properties: { x: { ...inner, required: ['a'] } } };
  const strict = { ...loose, strict: true };
  const { tools, collisions } = toolset([
    server('one', { ...strict, parameters }),
    server('two', { ...strict, name: 'open', parameters: { type: 'object' } }),
    server('three', { ...strict, name: 'fine', parameters: whole }),
  ]);
  expect(tools.registryFor(family).offeredNames.at(-1)).toBe('fine');
  expect(collisions).toEqual([
    'one: weather: arguments.x.a must be required',
    'two: open: arguments must have additionalProperties: false',
  ]);
});
