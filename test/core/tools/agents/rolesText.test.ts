import { describe, expect, it } from 'vitest';
import { rolesText } from '../../../../src/core/tools/agents/rolesText.ts';

const role = (name: string, description: string) => ({
  name,
  description,
  instructions: null,
  tools: null,
  readOnly: false,
  model: null,
});

describe('the text of the agents that a model may start', () => {
  it('has 2,000 characters of a description, without half a character, and 8,000 of all', () => {
    const long = role('poet', '😀'.repeat(2_000));
    const lines = rolesText([role('worker', ' Works. '), long, long, long, long, long]).split('\n');
    expect(lines.map((line) => line.length)).toEqual([14, 2_005, 2_005, 2_005, 2_003, 4]);
    expect(lines.slice(0, 2)).toEqual(['worker: Works.', `poet: ${'😀'.repeat(999)}…`]);
    expect(lines.join('').replaceAll(/\p{Surrogate}/gu, '')).toBe(lines.join(''));
  });
});
