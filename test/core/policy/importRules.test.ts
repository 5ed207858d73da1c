import { describe, expect, test } from 'vitest';
import { importAutoApprove } from '../../../src/core/policy/importAutoApprove.ts';
import { importCodexRules } from '../../../src/core/policy/importRules.ts';

describe('a rules file of Codex', () => {
  test('gives its prefix rules, inside the sandbox, and lists the rest', () => {
    const text = `
# what we do all day
prefix_rule(
    pattern = ["git", ["status", 'log']],  # alternatives
    match = ["git status -s", ["git", "log"]],
    not_match = ["git push"],
)
prefix_rule(pattern=["npm", r"test"], decision="prompt", justification="Slow " "tests.", match=None,)
prefix_rule(pattern=["rm"], decision="forbidden", justification="""Use
trash.""")
host_executable(name="git", paths=["/usr/bin/git"])
prefix_rule(pattern=["sudo"])
`;
    expect(importCodexRules(text, 'default.rules')).toEqual({
      rules: [
        {
          pattern: ['git', ['status', 'log']],
          decision: 'allow',
          match: ['git status -s', ['git', 'log']],
          not_match: ['git push'],
        },
        { pattern: ['npm', 'test'], decision: 'prompt', justification: 'Slow tests.' },
        { pattern: ['rm'], decision: 'forbidden', justification: 'Use\ntrash.' },
      ],
      skipped: [
        { what: 'line 11: host_executable(…)', why: 'Tiller has no rules of this kind.' },
        { what: '["sudo"]', why: expect.stringMatching(/^A rule for "sudo" would allow/) },
      ],
    });
  });

  test('gives no rule when any part of it cannot be parsed, and names the place', () => {
    const fault = (text: string): string => {
      try {
        importCodexRules(`prefix_rule(pattern=["ls"])\n${text}`, 'a.rules');
        return 'none';
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    const end = '. Nothing was imported.';
    expect(fault('x = 1')).toBe(`a.rules:2: only calls can be read, and x is none${end}`);
    expect(fault('\nprefix_rule(pattern=words)')).toBe(
      `a.rules:3: only strings, lists, True, False and None can be read${end}`,
    );
    expect(fault('prefix_rule(pattern=["a" + b])')).toBe(`a.rules:2: a comma or a closing bracket is missing${end}`);
    expect(fault('prefix_rule(pattern=[])')).toMatch(/^a\.rules:2: pattern: /);
    expect(fault('prefix_rule(pattern=["a"], decision="maybe")')).toMatch(/^a\.rules:2: decision: /);
    expect(fault('prefix_rule(pattern=["a"], match=["b"])')).toBe(`a.rules:2: the example "b" does not match${end}`);
    expect(fault('prefix_rule(pattern=["a"], network=True)')).toBe(
      `a.rules:2: prefix_rule has no argument network${end}`,
    );
    expect(fault('prefix_rule(pattern=["a"]')).toMatch(/^a\.rules:2: a comma or a closing parenthesis/);
    expect(fault('prefix_rule(pattern=["a\n"])')).toMatch(/^a\.rules:2: /);
  });
});

describe("VS Code's list of terminal commands", () => {
  const rulesOf = (value: unknown): unknown =>
    importAutoApprove(value).rules.map(({ pattern, decision }) => [decision, pattern]);
  const skipped = (value: unknown): string[] => importAutoApprove(value).skipped.map(({ what }) => what);

  test('gives rules for prefixes, and for expressions that are prefixes', () => {
    const value = {
      mkdir: true,
      'npm run build': { approve: true },
      rm: false,
      curl: { approve: false },
      dd: null,
      '/^git (status|log|diff)\\b/': true,
      '/^git\\s+push\\b/': false,
      '/^\\.\\/gradlew (?:test|check)(\\s|$)/i': true,
    };
    expect(rulesOf(value)).toEqual([
      ['allow', ['mkdir']],
      ['allow', ['npm', 'run', 'build']],
      ['prompt', ['rm']],
      ['prompt', ['curl']],
      ['allow', ['git', ['status', 'log', 'diff']]],
      ['prompt', ['git', 'push']],
      ['allow', ['./gradlew', ['test', 'check']]],
    ]);
    expect(skipped(value)).toEqual([]);
  });

  test('lists entries that no rule could express, or only a looser one', () => {
    const value = {
      '/^git status$/': true,
      '/^rm/': false,
      '/^rm\\b/i': false,
      '/^npm .*/': true,
      '/git/': true,
      '/^a(b)c\\b/': true,
      '/^(a|b.)\\b/': true,
      '/^git( -C .+)? log\\b/': true,
      '/./': true,
      'echo "open': true,
      '': true,
      node: true,
      ls: { approve: true, matchCommandLine: true },
      cat: 'yes',
    };
    expect(rulesOf(value)).toEqual([]);
    expect(skipped(value).toSorted()).toEqual(
      Object.keys(value)
        .map((key) => (key === 'node' ? '["node"]' : key))
        .toSorted(),
    );
  });

  test('that is not a list gives no rule', () => {
    for (const value of [undefined, null, true, 'ls', []])
      expect(importAutoApprove(value)).toEqual({ rules: [], skipped: [] });
  });
});
