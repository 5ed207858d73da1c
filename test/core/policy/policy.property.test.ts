import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDangerous } from '../../../src/core/policy/dangerous.ts';
import { type CommandRequest, decideCommand } from '../../../src/core/policy/decideCommand.ts';
import { isKnownSafe } from '../../../src/core/policy/knownSafe.ts';
import { type LoadedRules, splitWorkspaceRules } from '../../../src/core/policy/rules.ts';
import { joinShellWords } from '../../../src/core/policy/shellWords.ts';
import {
  type Rule,
  approvalPolicySchema,
  sandboxMechanismSchema,
  sandboxModeSchema,
  sandboxPermissionsSchema,
  sandboxPolicyInputSchema,
} from '../../../src/protocol/policy.ts';
import { rounds } from '../../support/rounds.ts';

const PROGRAMS = ['ls', 'git', 'rm', 'npm', 'find', 'rg', 'sort', 'sudo', 'timeout', 'xargs', 'env', 'bash', '/bin/rm'];
const WORDS = [
  '-f',
  '-rf',
  '--',
  'status',
  'reset',
  'test',
  '-exec',
  '{}',
  ';',
  '+',
  '5',
  '-n',
  '-c',
  'A=1',
  'a b',
  'rm',
];

const program = fc.constantFrom(...PROGRAMS);
const word = fc.constantFrom(...PROGRAMS, ...WORDS);
const command = fc.tuple(program, fc.array(word, { maxLength: 5 })).map(([first, rest]) => [first, ...rest]);
const script = fc
  .array(command, { minLength: 1, maxLength: 4 })
  .map((commands) => ['bash', '-lc', commands.map(joinShellWords).join(' && ')]);
const rule: fc.Arbitrary<Rule> = fc
  .record({
    pattern: command.map((argv) => argv.slice(0, 3)),
    decision: fc.constantFrom('allow' as const, 'prompt' as const, 'forbidden' as const),
    outside: fc.boolean(),
  })
  .map(({ pattern, decision, outside }) => ({
    pattern,
    decision,
    ...(decision === 'allow' && outside ? { bypassSandbox: true } : {}),
  }));
const load = (rules: readonly Rule[]): LoadedRules =>
  rules.map((one, index) => ({ rule: one, file: 'r', index, layer: 'user' }));

const circumstances: fc.Arbitrary<Omit<CommandRequest, 'argv' | 'rules'>> = fc.record({
  approvalPolicy: fc.constantFrom(...approvalPolicySchema.options),
  sandboxPolicy: fc.constantFrom(...sandboxModeSchema.options).map((mode) => sandboxPolicyInputSchema.parse(mode)),
  box: fc.constantFrom(...sandboxMechanismSchema.options),
  sandboxPermissions: fc.constantFrom(...sandboxPermissionsSchema.options),
  platform: fc.constantFrom('linux' as const, 'darwin' as const, 'win32' as const),
  canAsk: fc.boolean(),
});

const STRICTNESS = { skip: 0, needs_approval: 1, forbidden: 2 };
const strictness = (request: CommandRequest): number => STRICTNESS[decideCommand(request).type];
const runs = { numRuns: rounds(700, 40_000) };

describe('for every command, policy, sandbox and set of rules', () => {
  test('a script is decided as strictly as its strictest command', () => {
    fc.assert(
      fc.property(
        fc.array(command, { minLength: 1, maxLength: 4 }),
        fc.array(rule),
        circumstances,
        (all, rules, how) => {
          const argv = ['bash', '-lc', all.map(joinShellWords).join(' && ')];
          const each = all.map((one) => strictness({ ...how, argv: one, rules: load(rules) }));
          expect(strictness({ ...how, argv, rules: load(rules) })).toBe(Math.max(...each));
        },
      ),
      runs,
    );
  });

  test('the order of rules changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(command, script), fc.array(rule), circumstances, (argv, rules, how) => {
        const forwards = decideCommand({ ...how, argv, rules: load(rules) });
        const backwards = decideCommand({ ...how, argv, rules: load(rules.toReversed()) });
        expect(backwards.type).toBe(forwards.type);
        if (forwards.type === 'skip') expect(backwards).toMatchObject({ bypassSandbox: forwards.bypassSandbox });
      }),
      runs,
    );
  });

  test('a rule that allows makes nothing stricter, one that forbids nothing looser', () => {
    fc.assert(
      fc.property(fc.oneof(command, script), fc.array(rule), rule, circumstances, (argv, rules, added, how) => {
        const before = strictness({ ...how, argv, rules: load(rules) });
        const allowing = load([...rules, { ...added, decision: 'allow' }]);
        const forbidding = load([...rules, { ...added, decision: 'forbidden' }]);
        expect(strictness({ ...how, argv, rules: allowing })).toBeLessThanOrEqual(before);
        expect(strictness({ ...how, argv, rules: forbidding })).toBeGreaterThanOrEqual(before);
      }),
      runs,
    );
  });

  test('the proposed rule, once added, allows the command that it was proposed for', () => {
    fc.assert(
      fc.property(command, circumstances, (argv, how) => {
        const requirement = decideCommand({ ...how, argv, rules: [] });
        if (requirement.type !== 'needs_approval' || requirement.proposedRule === undefined) return;
        const rules = load([requirement.proposedRule]);
        expect(decideCommand({ ...how, argv, rules }).type).toBe('skip');
      }),
      runs,
    );
  });

  test('never does not ask, and every verdict has a reason', () => {
    fc.assert(
      fc.property(fc.oneof(command, script), fc.array(rule), circumstances, (argv, rules, how) => {
        const requirement = decideCommand({ ...how, argv, rules: load(rules), approvalPolicy: 'never' });
        expect(requirement.type).not.toBe('needs_approval');
        expect(requirement.reason.text).toMatch(/^[A-Z/].*[^.]\.$/s);
      }),
      runs,
    );
  });

  test('the sandbox is never left without a rule with bypassSandbox', () => {
    fc.assert(
      fc.property(fc.oneof(command, script), circumstances, (argv, how) => {
        expect(decideCommand({ ...how, argv, rules: [] })).not.toMatchObject({ bypassSandbox: true });
      }),
      runs,
    );
  });

  test('rules of a workspace file only tighten', () => {
    fc.assert(
      fc.property(
        fc.oneof(command, script),
        fc.array(rule),
        fc.array(rule),
        circumstances,
        (argv, own, brought, how) => {
          const { inForce } = splitWorkspaceRules(load(brought));
          const before = decideCommand({ ...how, argv, rules: load(own) });
          const after = decideCommand({ ...how, argv, rules: [...load(own), ...inForce] });
          expect(STRICTNESS[after.type]).toBeGreaterThanOrEqual(STRICTNESS[before.type]);
          if (after.type === 'skip') expect(before).toMatchObject({ bypassSandbox: after.bypassSandbox });
        },
      ),
      runs,
    );
  });
});

test('nothing is both known safe and dangerous', () => {
  fc.assert(
    fc.property(command, circumstances, (argv, { platform }) => {
      expect(isKnownSafe(argv, platform) && isDangerous(argv, platform)).toBe(false);
    }),
    runs,
  );
});
