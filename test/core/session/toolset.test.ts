import { expect, test } from 'vitest';
import { Toolset } from '../../../src/core/session/toolset.ts';
import type { FunctionToolSpec } from '../../../src/protocol/toolSpec.ts';
import type { ToolHandler } from '../../../src/core/tools/handler.ts';
import { rejectionMessage } from '../../../src/core/tools/registry.ts';
import type { ToolProvider } from '../../../src/core/tools/toolProvider.ts';
import { THREAD_DEFAULTS } from '../../support/threadDefaults.ts';
import { TOOL_FAMILY, TOOL_OPTIONS } from '../../support/toolOptions.ts';

const family = TOOL_FAMILY;
const weather = { name: 'weather', description: 'Returns the weather.', inputSchema: {} };

function toolset(toolProviders: readonly ToolProvider[] = []) {
  let trusted = true;
  const collisions: string[] = [];
  const tools = new Toolset({
    rules: TOOL_OPTIONS.rules,
    settings: { ...THREAD_DEFAULTS.tools, problemsAfterPatch: 'off', unreadable: [], memory: false },
    readMemory: async () => undefined,
    host: { isTrusted: () => trusted, toolProviders },
    onRejected: ({ name, providerId, problem }) =>
      collisions.push(`${providerId}: ${name ?? 'all'}${problem === undefined ? '' : `: ${problem}`}`),
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
    'one: weather: it demands strict arguments, but arguments.x.a must be required',
    'two: open: it demands strict arguments, but arguments must have additionalProperties: false',
  ]);
});

test.each<[string, FunctionToolSpec, Partial<ToolHandler>, string]>([
  [
    'has a name that servers refuse',
    { ...loose, name: 'a b' },
    {},
    'its name may have 1 to 64 letters, digits, _ and - only',
  ],
  [
    'is offered by a name that it does not answer to',
    loose,
    { names: ['other'] },
    'its name weather is not one that it answers to',
  ],
  [
    'does not take the calls it is offered for',
    loose,
    { payloads: ['custom'] },
    'it is offered as function and takes calls of custom',
  ],
  [
    'is too large for every request',
    { ...loose, description: 'x'.repeat(100_000) },
    {},
    'its specification has 100084 characters, at most 65536 are sent',
  ],
])('a tool that %s is left out alone', (_what, spec, more, problem) => {
  const provider = server('one', spec);
  const broken = { ...provider, tools: () => provider.tools(family).map((tool) => ({ ...tool, ...more })) };
  const { tools, collisions } = toolset([broken, server('two', { ...loose, name: 'fine' })]);
  expect(tools.registryFor(family).offeredNames.at(-1)).toBe('fine');
  expect(collisions).toEqual([`one: ${more.names?.[0] ?? spec.name}: ${problem}`]);
});

test('a provider that fails loses its tools alone, until it has some again', () => {
  let fails = true;
  const fine = server('one', { ...loose, name: 'late' });
  const failing: ToolProvider = {
    ...fine,
    tools(asked) {
      if (fails) throw new Error('The server is gone.');
      return fine.tools(asked);
    },
  };
  const { tools, collisions } = toolset([failing, server('two', { ...loose, name: 'fine' })]);
  const first = tools.registryFor(family);
  expect(first.offeredNames).not.toContain('late');
  expect(first.offeredNames).toContain('fine');
  expect(tools.registryFor(family)).toBe(first);
  expect(collisions).toEqual(['one: all: The server is gone.']);
  fails = false;
  expect(tools.registryFor(family).offeredNames).toContain('late');
});

test('a rejected tool is reported in one sentence', () => {
  expect(rejectionMessage({ name: 'shell', providerId: 'client' })).toBe(
    'The tool of the client named shell is left out: another tool has this name.',
  );
  expect(rejectionMessage({ providerId: 'mcp:one', problem: 'The server is gone.' })).toBe(
    'The tools of mcp:one are left out: The server is gone.',
  );
});
