import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRulesFile, splitWorkspaceRules } from '../../../src/core/policy/rules.ts';
import { joinShellWords, splitShellWords } from '../../../src/core/policy/shellWords.ts';

const file = (...rules: unknown[]): string => JSON.stringify({ version: 1, rules }, null, 2);
const message = (text: string): string => {
  const result = parseRulesFile(text, 'rules.json');
  return result.type === 'invalid' ? result.message : 'valid';
};

describe('a rules file', () => {
  test('gives its rules with their places; allow is the default', () => {
    const text = file(
      { pattern: ['git', ['status', 'log']], match: ['git status -s', ['git', 'log']], not_match: ['git push'] },
      { pattern: ['rm'], decision: 'forbidden', justification: 'Use trash.' },
    );
    expect(parseRulesFile(text, 'rules.json')).toEqual({
      type: 'rules',
      rules: [
        {
          file: 'rules.json',
          index: 0,
          layer: 'user',
          rule: {
            pattern: ['git', ['status', 'log']],
            decision: 'allow',
            match: ['git status -s', ['git', 'log']],
            not_match: ['git push'],
          },
        },
        {
          file: 'rules.json',
          index: 1,
          layer: 'user',
          rule: { pattern: ['rm'], decision: 'forbidden', justification: 'Use trash.' },
        },
      ],
    });
  });

  test('may begin with a byte order mark and end its lines as Windows does', () => {
    const text = `\uFEFF${file({ pattern: ['a'] }).replaceAll('\n', '\r\n')}`;
    expect(parseRulesFile(text, 'rules.json')).toMatchObject({ type: 'rules', rules: [{ rule: { pattern: ['a'] } }] });
  });

  test.each([
    ['', 'rules.json:1: not valid JSON'],
    ['{"version":1,\n"rules":[}', 'rules.json:2: not valid JSON'],
    ['{"version":1,"rules":[]} // note', 'rules.json:1: not valid JSON'],
    ['[]', 'rules.json:1: the file:'],
    ['{"version":2,"rules":[]}', 'rules.json:1: version:'],
    [file({ pattern: [] }), 'rules.json:5: rules.0.pattern:'],
    [file({ pattern: ['a', []] }), 'rules.json:7: rules.0.pattern.1:'],
    [file({ pattern: ['a'], decision: 'maybe' }), 'rules.json:8: rules.0.decision:'],
    [file({ pattern: ['a'], justification: '  ' }), 'rules.json:8: rules.0.justification:'],
    [file({ pattern: ['a'] }, { pattern: ['b'], color: 'red' }), 'rules.json:9: rules.1:'],
    [file({ pattern: ['a', 'b'], match: ['a c'] }), 'rules.json:4: rule 0: the example "a c" does not match'],
    [file({ pattern: ['a'], not_match: [['a', 'b']] }), 'the example ["a","b"] matches although it must not'],
    [file({ pattern: ['a'], match: ["a 'b"] }), `the example "a 'b" cannot be split into words`],
    [
      '{"version":1,"rules":[{"pattern":["a"],\n"decision":"forbidden",\n"decision":"allow"}]}',
      'json:3: "decision" appears',
    ],
    ['{"version":1,"rules":[],\n"rules":[]}', 'rules.json:2: "rules" appears twice'],
    [file({ pattern: ['caf\uFFFD'] }), 'rules.json:6: it is not encoded as UTF-8'],
    [file({ pattern: [['a', ['b']]] }), 'rules.0.pattern.0: must be a word, or a list of at least one'],
    [file({ pattern: ['a', 'b\0'] }), 'rules.json:4: rule 0: its pattern has a null character'],
    [file({ pattern: [['a', '']] }), 'rules.json:4: rule 0: its pattern does not begin with a program'],
    ['['.repeat(200_000), 'rules.json:1: not valid JSON (nested too deeply)'],
    [file({ pattern: ['a'], match: [''] }), 'the example "" cannot be split into words'],
  ])('that is broken gives no rule, and says where: %j', (text, expected) => {
    expect(message(text)).toContain(expected);
    expect(message(text)).toContain('No rule of this file is used.');
  });

  test('of a workspace only tightens', () => {
    const parsed = parseRulesFile(file({ pattern: ['a'] }, { pattern: ['b'], decision: 'prompt' }), 'w.json');
    const { inForce, proposals } = splitWorkspaceRules(parsed.type === 'rules' ? parsed.rules : []);
    expect(inForce.map(({ index }) => index)).toEqual([1]);
    expect(proposals.map(({ index }) => index)).toEqual([0]);
  });
});

describe('shell words', () => {
  test.each([
    ['a b  c', ['a', 'b', 'c']],
    [` a 'b c' "d e" `, ['a', 'b c', 'd e']],
    [`a\\ b "c\\"d\\e" 'f\\g'`, ['a b', 'c"d\\e', 'f\\g']],
    [`a'b'"c"d`, ['abcd']],
    [`'' ""`, ['', '']],
    ['a#b # c', ['a#b', '#', 'c']],
    ['', []],
    ["a 'b", undefined],
    ['a "b', undefined],
    ['a\\', undefined],
  ])('%j', (text, expected) => {
    expect(splitShellWords(text)).toEqual(expected);
  });

  test('joined words split into the same words', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', "'", '"', '\\', '$', '\n', ';', '|', 'é') })),
        (words) => {
          expect(splitShellWords(joinShellWords(words))).toEqual(words);
        },
      ),
    );
  });
});
