/** Input that is nested 100,000 levels deep: each way in ends with a clear error, none in a full stack. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readStarlarkCalls } from '../../../src/core/policy/starlarkCalls.ts';
import { parseRulesFile } from '../../../src/core/policy/rules.ts';
import { parseLine } from '../../../src/core/rollout/parseLine.ts';
import { sanitizeInputSchema } from '../../../src/core/tools/sanitizeSchema.ts';
import { parseArguments } from '../../../src/core/tools/parseArguments.ts';
import { excessOf, isNestedTooDeeply, parseJson } from '../../../src/core/util/json.ts';
import { mapTexts } from '../../../src/core/util/mapTexts.ts';
import { redactDeep } from '../../../src/node/host/redact.ts';

const LEVELS = 100_000;
const lists = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
const nested = (key: string, inner: string, levels = LEVELS) =>
  `${`{"${key}":`.repeat(levels)}${inner}${'}'.repeat(levels)}`;

test('JSON is refused beyond 500 levels; brackets in texts and closed ones are not levels', () => {
  expect(parseJson(lists)).toBeUndefined();
  expect(excessOf(nested('a', '1'))).toBe('is nested too deeply');
  expect(excessOf('['.repeat(501))).toBe('is nested too deeply');
  expect(parseJson(nested('a', '1', 500))).toBeDefined();
  expect(parseJson(`["${'['.repeat(1000)}",${'[],'.repeat(1000)}0]`)).toBeDefined();
});

test('a value that a library has parsed is measured', () => {
  expect(isNestedTooDeeply(JSON.parse(lists))).toBe(true);
  expect(isNestedTooDeeply(JSON.parse(nested('a', '1', 500)))).toBe(false);
});

test('arguments of a tool are an error that the model can correct', () => {
  const payload = { type: 'function', arguments: `{"a":${lists}}` } as const;
  expect(parseArguments(z.record(z.string(), z.unknown()), payload)).toEqual({
    type: 'invalid',
    message: 'Failed to parse the arguments: the JSON is nested too deeply. Nothing was run.',
  });
});

describe('a value that reaches', () => {
  const value: unknown = { text: 'key', deep: JSON.parse(lists) };
  const hide = (text: string) => text.replace('key', '[hidden]');

  test.each([
    ['the redaction of events', () => mapTexts(value, hide)],
    ['the redaction of the log', () => redactDeep(value, hide)],
  ])('%s is cut, and redacted before the cut', (_place, redacted) => {
    const text = JSON.stringify(redacted());
    expect(text).toContain('"text":"[hidden]"');
    expect(text).toContain('[nested too deeply]');
  });
});

test.each([
  ['properties', nested('properties', '{}')],
  ['items', nested('items', '{}')],
  ['allOf', `${'{"allOf":['.repeat(LEVELS)}${']}'.repeat(LEVELS)}`],
  ['a reference of as many steps', `{"properties":{"a":{"$ref":"#${'/a'.repeat(LEVELS)}"}}}`],
])('a schema with %s becomes one that servers take', (_case, text) => {
  expect(JSON.stringify(sanitizeInputSchema(JSON.parse(text))).length).toBeLessThan(10_000);
});

test('a rules file names the fault', () => {
  const text = `{"rules": ${lists}}`;
  expect(parseRulesFile(text, 'rules.json', 'user')).toMatchObject({ type: 'invalid' });
});

test('a rules file of Codex names the fault', () => {
  const read = () => readStarlarkCalls(`prefix_rule(pattern = ${lists})`);
  expect(read).toThrow('its lists are nested too deeply');
});

test('an old line of a rollout is read as far as its names can be', () => {
  const line = `{"timestamp":"","type":"event_msg","payload":${nested('msg', '{"noBoxCause":1}')}}`;
  expect(parseLine(line)).toBeUndefined();
});
