import { expect, test } from 'vitest';
import { Toolset } from '../../../src/core/session/toolset.ts';
import { TOOL_OPTIONS } from '../../support/toolOptions.ts';

const family = { applyPatch: 'function', extraInstructions: true, shell: 'exec_command' } as const;
const weather = { name: 'weather', description: 'Returns the weather.', inputSchema: {} };

function toolset() {
  let trusted = true;
  const collisions: string[] = [];
  const tools = new Toolset({
    rules: TOOL_OPTIONS.rules,
    settings: { ...TOOL_OPTIONS, unreadable: [] },
    host: { isTrusted: () => trusted },
    onCollision: (name, providerId) => collisions.push(`${providerId}: ${name}`),
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
  expect(tools.registryFor(family).offeredNames).toEqual(['update_plan']);
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
