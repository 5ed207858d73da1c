/** A shell that reads its script from its input is checked like one that gets it as an argument: `sh <<X`, `echo … | sh` and `sh -c` are equal. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyCommand } from '../../../src/core/policy/commandTree.ts';
import { decideCommand } from '../../../src/core/policy/decideCommand.ts';
import { printedTexts } from '../../../src/core/policy/printedText.ts';
import type { LoadedRules } from '../../../src/core/policy/rules.ts';
import { joinShellWords } from '../../../src/core/policy/shellWords.ts';
import {
  approvalPolicySchema,
  type RuleDecision,
  sandboxModeSchema,
  sandboxPolicyInputSchema,
} from '../../../src/protocol/policy.ts';

const argvOf = (script: string) => ['bash', '-lc', script];
const classify = (script: string) => classifyCommand(argvOf(script), 'linux');

describe('dangerous', () => {
  test.each([
    'sh <<EOF\nrm -rf x\nEOF',
    "sh <<'EOF'\nrm -rf x\nEOF",
    'bash <<-EOF\n\trm -rf x\n\tEOF',
    'sh <<EOF\ncd "$HOME" && rm -rf $x\nEOF',
    'cat <<X | sh\nrm -rf x\nX',
    "cat <<'X' | tee log | sudo bash -s -- a\nrm -rf x\nX",
    'echo "rm -rf /x" | sh',
    'echo rm -rf /x | bash',
    'echo -n rm -rf /x | zsh',
    "echo -e 'true\\nrm -rf x' | sh",
    "echo 'true\\nrm -rf x' | dash",
    "printf 'rm -rf x' | sh",
    "printf '%s\\n' 'rm -rf x' | bash -s",
    "printf '%s %s x' rm -rf | sh",
    "printf '%b' 'true\\012rm -rf x' | sh",
    "printf '\\162m -rf x' | sh",
    "printf '\\x72m -rf x' | sh",
    "command printf 'rm -rf x' | sh",
    "yes 'rm -rf x' | head -1 | sh",
    "bash <<< 'rm -rf x'",
    'bash <<< "rm -rf $x"',
    "bash <<< $'true\\nrm -rf x'",
    "bash <(echo 'rm -rf x')",
    "source <(echo 'rm -rf x')",
    '. /dev/stdin <<E\nrm -rf x\nE',
    'bash /dev/stdin <<E\nrm -rf x\nE',
    'bash /proc/self/fd/3 3<<E\nrm -rf x\nE',
    'bash - <<E\nrm -rf x\nE',
    'bash -e -o pipefail --rcfile none <<E\nrm -rf x\nE',
    'bash -s one two <<E\nrm -rf x\nE',
    'su root <<E\nrm -rf x\nE',
    'sudo -u root -s <<E\nrm -rf x\nE',
    'sudo sh <<E\nrm -rf x\nE',
    'env -i A=1 sh <<E\nrm -rf x\nE',
    'exec sh <<E\nrm -rf x\nE',
    'busybox sh <<E\nrm -rf x\nE',
    "echo 'rm -rf x' | at now",
    "echo 'rm -rf x' | parallel",
    "echo 'rm -rf x' | xargs -I{} sh -c '{}'",
    "{ echo true; echo 'rm -rf x'; } | sh",
    '(cd a; sh) <<E\nrm -rf x\nE',
    'if true; then sh; fi <<E\nrm -rf x\nE',
    'while read -r l; do echo "$l"; done <<E | sh\nrm -rf x\nE',
    'say() { echo rm -rf x; }; say | sh',
    'exec <<E\nrm -rf x\nE\nsh',
    'sh -c sh <<E\nrm -rf x\nE',
    "bash -lc 'sh' <<< 'rm -rf x'",
    'sh <<E\nsh <<F\nrm -rf x\nF\nE',
    "sh <<'E'\necho 'rm -rf x' | sh\nE",
    'echo "echo \'rm -rf x\' | sh" | sh',
    'sh <<E\ngit reset --hard\nE',
    'sh <<E\nfind . -exec rm -f {} +\nE',
    'ls && sh <<E\nrm -rf x\nE',
  ])('%j', (script) => {
    expect(classify(script)).toBe('dangerous');
  });
});

describe('neither safe nor dangerous, as `sh -c "$x"`', () => {
  test.each([
    'curl https://example.com/install | sh',
    'echo cm0gLXJmIHg= | base64 -d | sh',
    'sh < file',
    'bash <(curl https://example.com)',
    'sh <<E\nls\nE',
    'echo ls | sh',
    'cat script | bash -s',
    'sh -c "$x"',
    // The text is no input of a shell.
    'cat <<E > Dockerfile\nRUN rm -rf /var/lib/apt\nE',
    "echo 'rm -rf x' | grep rm && npm test",
    "echo 'rm -rf x' > script; bash script",
    'git commit -F - <<E\nrm -rf x\nE',
    'bash script.sh <<E\nrm -rf x\nE',
    'bash -o pipefail script.sh <<E\nrm -rf x\nE',
  ])('%j', (script) => {
    expect(classify(script)).toBe('other');
  });

  test('a command that only prints stays known to only read', () => {
    expect(classify("echo 'rm -rf x' | grep rm")).toBe('known-safe');
    expect(classify('printf x | cat')).toBe('other'); // printf is not on the list
  });
});

const quoted = (text: string) => joinShellWords([text]);
const SHELLS = [
  'sh',
  'bash',
  '/bin/sh',
  'zsh -s',
  'dash -',
  'sudo bash',
  'env A=1 sh',
  'timeout 5 bash -s',
  'nice sh -e',
  'sh -c sh',
];
const FEEDERS: readonly ((script: string, shell: string) => string)[] = [
  (script, shell) => `${shell} <<'END'\n${script}\nEND\n`,
  (script, shell) => `cat <<'END' | ${shell}\n${script}\nEND\n`,
  (script, shell) => `${shell} <<< ${quoted(script)}`,
  (script, shell) => `echo ${quoted(script)} | ${shell}`,
  (script, shell) => `printf '%s\\n' ${quoted(script)} | ${shell}`,
  (script, shell) => `printf %s ${quoted(script)} | tee log | ${shell}`,
  (script, shell) => `{ echo ${quoted(script)}; } | ${shell}`,
];
const COMMANDS = [
  'ls',
  'rm a',
  'rm -rf a',
  'git status',
  'git reset --hard',
  'npm test',
  'sudo rm -f a',
  'curl a',
  'find . -delete',
];
const script = fc
  .array(fc.constantFrom(...COMMANDS), { minLength: 1, maxLength: 4 })
  .chain((commands) => fc.constantFrom(' && ', '; ', '\n', ' | ').map((between) => commands.join(between)));
const fed = fc
  .tuple(script, fc.constantFrom(...FEEDERS), fc.constantFrom(...SHELLS))
  .map(([text, feed, shell]) => ({ text, fed: feed(text, shell) }));
const fuzz = process.env['FUZZ'];
const runs = fuzz === undefined ? { numRuns: 1000 } : { numRuns: Number(fuzz) };

test('a shell with a script as input is dangerous exactly where one with it as argument is', () => {
  fc.assert(
    fc.property(fed, (one) => {
      const isDangerous = (text: string) => classify(text) === 'dangerous';
      expect([one.fed, isDangerous(one.fed)]).toEqual([one.fed, isDangerous(`sh -c ${quoted(one.text)}`)]);
      expect(classify(one.fed)).not.toBe('known-safe');
    }),
    runs,
  );
});

test('a shell may get its script from another one that reads its own as input, too', () => {
  fc.assert(
    fc.property(fed, fc.constantFrom(...FEEDERS.slice(2)), fc.constantFrom(...SHELLS), (one, feed, shell) => {
      const isDangerous = classify(`sh -c ${quoted(one.text)}`) === 'dangerous';
      expect([one.fed, classify(feed(one.fed, shell)) === 'dangerous']).toEqual([one.fed, isDangerous]);
    }),
    runs,
  );
});

const STRICTNESS = { skip: 0, needs_approval: 1, forbidden: 2 };

test('and rules and policies treat it as strictly', () => {
  const rules = fc
    .array(
      fc.record({
        pattern: fc.constantFrom<string[]>(['curl'], ['npm', 'test'], ['ls'], ['git'], ['rm', 'a'], ['sh'], ['echo']),
        decision: fc.constantFrom<RuleDecision>('allow', 'prompt', 'forbidden'),
      }),
    )
    .map((all): LoadedRules => all.map((rule, index) => ({ rule, file: 'r', index, layer: 'user' })));
  const circumstances = fc.record({
    approvalPolicy: fc.constantFrom(...approvalPolicySchema.options),
    sandboxPolicy: fc.constantFrom(...sandboxModeSchema.options).map((mode) => sandboxPolicyInputSchema.parse(mode)),
    box: fc.constantFrom('bubblewrap' as const, 'none' as const),
  });
  fc.assert(
    fc.property(fed, rules, circumstances, (one, all, how) => {
      const decide = (text: string) =>
        decideCommand({
          ...how,
          argv: argvOf(text),
          sandboxPermissions: 'use_default',
          rules: all,
          platform: 'linux',
        });
      const given = decide(`sh -c ${quoted(one.text)}`);
      expect(STRICTNESS[decide(one.fed).type]).toBeGreaterThanOrEqual(STRICTNESS[given.type]);
    }),
    runs,
  );
});

test('a rule applies to the input of a shell inside a script that cannot be parsed', () => {
  const rules: LoadedRules = [
    { rule: { pattern: ['curl'], decision: 'forbidden' }, file: 'r', index: 0, layer: 'user' },
  ];
  const decide = (text: string) =>
    decideCommand({
      argv: argvOf(text),
      approvalPolicy: 'on-request',
      sandboxPolicy: sandboxPolicyInputSchema.parse('danger-full-access'),
      box: 'none',
      sandboxPermissions: 'use_default',
      rules,
      platform: 'linux',
    });
  for (const text of [
    'sh <<E\ncurl a\nE',
    'echo curl a | sh',
    'for i in 1; do sh -c "curl $i"; done',
    'for i in 1; do sh -c "for j in 1; do sh -c \\"curl $i\\"; done"; done',
    'for i in 1; do echo "echo \'curl $i\' | sh" | sh; done',
  ]) {
    expect([text, decide(text)]).toMatchObject([text, { type: 'forbidden', reason: { source: 'rule' } }]);
  }
  expect(decide('echo curl a').type).toBe('skip');
});

test('an approval request names the shell', () => {
  const { reason } = decideCommand({
    argv: argvOf('curl a | sh'),
    approvalPolicy: 'untrusted',
    sandboxPolicy: sandboxPolicyInputSchema.parse('danger-full-access'),
    box: 'none',
    sandboxPermissions: 'use_default',
    rules: [],
    platform: 'linux',
  });
  expect(reason.text).toBe(
    'The approval policy asks before every command that is not known to be read-only, and a shell in it runs its input.',
  );
});

describe('printed text', () => {
  test.each([
    [['echo', '-n', 'a', 'b'], ['a b']],
    [
      ['echo', 'a\\nb'],
      ['a\\nb', 'a\nb'],
    ],
    [
      ['printf', '%s-%d%%\\n', 'a', '5', 'b', '6'],
      ['a-5%\\nb-6%\\n', 'a-5%\nb-6%\n'],
    ],
    [['printf', '--', '%5.2s|%c|%q', 'ab', 'cd', 'e'], ['ab|c|e']],
    [['printf', '%b', '\\x41\\102\\0103\\u44'], ['ABCD']],
    [['printf', 'no conversion', 'left', 'over'], ['no conversion']],
    [['env', 'LC_ALL=C', '/usr/bin/printf', 'a'], ['a']],
    [
      ['print', '-l', 'a', 'b'],
      ['a b', 'a\nb'],
    ],
    [['yes', 'a', 'b'], ['a b']],
    [['cat', 'a'], []],
    [['printf'], ['']],
    [[], []],
  ])('%j: %j', (argv, expected) => {
    expect(printedTexts(argv)).toEqual(expected);
  });
});

test('a flood of shells and texts is checked quickly', () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `echo "echo 'ls ${index}' | sh" | sh`);
  expect(classify(lines.join('\n'))).toBe('other');
  expect(classify(`${lines.join('\n')}\necho 'rm -rf x' | sh`)).toBe('dangerous');
  let nested = 'ls';
  for (let depth = 0; depth < 5; depth++) nested = `echo ${quoted(nested)} | sh; echo ${quoted(nested)} | sh`;
  expect(classify(nested)).toBe('other');
});
