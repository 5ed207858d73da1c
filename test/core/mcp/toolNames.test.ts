import { expect, test } from 'vitest';
import { nameTools } from '../../../src/core/mcp/toolNames.ts';

const namesOf = (...tools: readonly (readonly [server: string, tool: string])[]) =>
  nameTools(tools.map(([server, tool]) => ({ server, tool }))).map(({ name, tool }) => [name, tool.tool]);

test('tools whose names differ only in characters that names cannot contain are all offered, in any order', () => {
  const names = namesOf(['s', 'a b'], ['s', 'a_b'], ['s', 'a.b']);
  expect(names).toEqual(namesOf(['s', 'a.b'], ['s', 'a_b'], ['s', 'a b']));
  expect(names[0]).toEqual(['mcp__s__a_b', 'a_b']);
  expect(new Set(names.map(([name]) => name)).size).toBe(3);
  for (const [name] of names.slice(1)) expect(name).toMatch(/^mcp__s__a_b[0-9a-f]{40}$/);
});

test('two servers whose names and tools are joined to the same name keep both tools', () => {
  const names = namesOf(['a', 'b__c'], ['a__b', 'c']);
  expect(names.map(([, tool]) => tool)).toEqual(['b__c', 'c']);
  expect(names[0]?.[0]).toBe('mcp__a__b__c');
});

test('a name of more than 64 characters ends in a hash of the whole', () => {
  const [[name = ''] = []] = namesOf(['server', 'x'.repeat(80)]);
  expect(name).toHaveLength(64);
  expect(name).toMatch(/^mcp__server__x{11}[0-9a-f]{40}$/);
});
