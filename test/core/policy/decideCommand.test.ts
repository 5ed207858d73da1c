import { describe, expect, test } from 'vitest';
import { type CommandRequest, decideCommand, explainCommand } from '../../../src/core/policy/decideCommand.ts';
import type { LoadedRules } from '../../../src/core/policy/rules.ts';
import type { ApprovalPolicy, Rule } from '../../../src/protocol/policy.ts';
import { sandboxPolicyInputSchema } from '../../../src/protocol/policy.ts';

const rulesOf = (...rules: Rule[]): LoadedRules =>
  rules.map((rule, index) => ({ rule, file: 'rules.json', index, layer: 'user' }));

const request = (argv: readonly string[], changes: Partial<CommandRequest> = {}): CommandRequest => ({
  argv,
  approvalPolicy: 'on-request',
  sandboxPolicy: sandboxPolicyInputSchema.parse('workspace-write'),
  box: 'bubblewrap',
  sandboxPermissions: 'use_default',
  rules: [],
  platform: 'linux',
  ...changes,
});

const script = (text: string, changes: Partial<CommandRequest> = {}): CommandRequest =>
  request(['bash', '-lc', text], changes);

const POLICIES: readonly ApprovalPolicy[] = ['untrusted', 'on-failure', 'on-request', 'never'];

const CONTAINMENTS = {
  'read-only, boxed': { sandboxPolicy: sandboxPolicyInputSchema.parse('read-only') },
  'workspace-write, boxed': {},
  'workspace-write, seatbelt': { box: 'seatbelt', platform: 'darwin' },
  'read-only, no box': { sandboxPolicy: sandboxPolicyInputSchema.parse('read-only'), box: 'none' },
  'workspace-write, no box': { box: 'none' },
  'full access': { sandboxPolicy: sandboxPolicyInputSchema.parse('danger-full-access'), box: 'none' },
  'external sandbox': { sandboxPolicy: sandboxPolicyInputSchema.parse('external-sandbox'), box: 'external' },
} as const satisfies Record<string, Partial<CommandRequest>>;

const COMMANDS = {
  'known safe': { argv: ['ls'] },
  dangerous: { argv: ['rm', '-rf', 'a'] },
  other: { argv: ['npm', 'test'] },
  'known safe, escalated': { argv: ['ls'], sandboxPermissions: 'require_escalated' },
  'dangerous, escalated': { argv: ['rm', '-rf', 'a'], sandboxPermissions: 'require_escalated' },
  'other, escalated': { argv: ['npm', 'test'], sandboxPermissions: 'require_escalated' },
} as const satisfies Record<string, Partial<CommandRequest>>;

const SAFE = 'skip known-safe, '.repeat(4);
const DANGER = 'needs_approval dangerous, '.repeat(3) + 'forbidden dangerous, ';
const BOXED = 'needs_approval untrusted, skip sandboxed, skip sandboxed, skip sandboxed, ';
const NO_BOX = 'needs_approval untrusted, needs_approval no-box, needs_approval no-box, forbidden no-box, ';
const FULL = 'needs_approval untrusted, skip full-access, skip full-access, skip full-access, ';
const EXTERNAL = 'needs_approval untrusted, skip external-sandbox, skip external-sandbox, skip external-sandbox, ';
const REFUSED = 'forbidden escalation, ';
const DANGER_ESCALATED = `${REFUSED}${REFUSED}needs_approval dangerous, ${REFUSED}`;
const ESCALATED = `${REFUSED}${REFUSED}needs_approval escalation, ${REFUSED}`;

/** Columns: untrusted, on-failure, on-request, never (codex-behaviour.md §6.3, design decision 9). */
const TABLE: Record<keyof typeof COMMANDS, Record<keyof typeof CONTAINMENTS, string>> = {
  'known safe': everywhere(SAFE),
  'known safe, escalated': everywhere(SAFE),
  dangerous: everywhere(DANGER),
  'dangerous, escalated': everywhere(DANGER_ESCALATED),
  other: {
    'read-only, boxed': BOXED,
    'workspace-write, boxed': BOXED,
    'workspace-write, seatbelt': BOXED,
    'read-only, no box': NO_BOX,
    'workspace-write, no box': NO_BOX,
    'full access': FULL,
    'external sandbox': EXTERNAL,
  },
  'other, escalated': {
    'read-only, boxed': ESCALATED,
    'workspace-write, boxed': ESCALATED,
    'workspace-write, seatbelt': ESCALATED,
    'read-only, no box': ESCALATED,
    'workspace-write, no box': ESCALATED,
    'full access': `${REFUSED}${REFUSED}skip full-access, ${REFUSED}`,
    'external sandbox': `${REFUSED}${REFUSED}skip external-sandbox, ${REFUSED}`,
  },
};

function everywhere(row: string): Record<keyof typeof CONTAINMENTS, string> {
  return Object.fromEntries(Object.keys(CONTAINMENTS).map((name) => [name, row])) as Record<
    keyof typeof CONTAINMENTS,
    string
  >;
}

describe('the decision table, cell by cell', () => {
  const cells = Object.entries(COMMANDS).flatMap(([command, what]) =>
    Object.entries(CONTAINMENTS).flatMap(([containment, where]) =>
      POLICIES.map((approvalPolicy, column) => {
        const row = TABLE[command as keyof typeof COMMANDS][containment as keyof typeof CONTAINMENTS];
        return { command, containment, approvalPolicy, expected: row.split(', ')[column], what, where };
      }),
    ),
  );

  test.each(cells)(
    '$command, $containment, $approvalPolicy: $expected',
    ({ what, where, approvalPolicy, expected }) => {
      const requirement = decideCommand(request(what.argv, { ...what, ...where, approvalPolicy }));
      expect(`${requirement.type} ${requirement.reason.id}`).toBe(expected);
    },
  );
});

describe('without a sandbox and without a user to ask', () => {
  test('a command that is not known safe is refused with cause and remedy', () => {
    expect(decideCommand(request(['npm', 'test'], { box: 'none', canAsk: false }))).toEqual({
      type: 'forbidden',
      reason: {
        source: 'sandbox',
        id: 'no-box',
        text: 'No sandbox works on this machine and nothing can be approved, so only commands known to be read-only may run; install bubblewrap and allow user namespaces, or use a policy that asks.',
      },
    });
  });

  test('a command that is known safe runs', () => {
    expect(decideCommand(request(['ls'], { box: 'none', canAsk: false })).type).toBe('skip');
  });
});

describe('git in a repository that names programs', () => {
  test('is not known to only read, and the reason says so', () => {
    const doubtful = { gitStartsPrograms: true, approvalPolicy: 'untrusted' } as const;
    expect(decideCommand(request(['git', 'status'], doubtful)).reason).toEqual({
      source: 'policy',
      id: 'untrusted',
      text: 'The approval policy asks before every command that is not known to be read-only, and the configuration of this repository names programs that git would start.',
    });
    expect(decideCommand(script('ls && timeout 5 git diff', doubtful)).type).toBe('needs_approval');
    expect(decideCommand(script('ls', doubtful)).type).toBe('skip');
  });
});

describe('scripts', () => {
  test('the strictest command decides, and each has its own verdict', () => {
    expect(decideCommand(script('ls "a b" && rm -rf x && npm test'))).toEqual({
      type: 'needs_approval',
      reason: { source: 'heuristic', id: 'dangerous', text: 'It can permanently delete your work.' },
      parts: [
        { command: "ls 'a b'", verdict: 'allow', reason: expect.objectContaining({ id: 'known-safe' }) },
        { command: 'rm -rf x', verdict: 'prompt', reason: expect.objectContaining({ id: 'dangerous' }) },
        { command: 'npm test', verdict: 'allow', reason: expect.objectContaining({ id: 'sandboxed' }) },
      ],
      destructive: true,
    });
  });

  test.each(['ls && npm test', 'npm test && ls', 'ls | xargs -n1 cat'])(
    'a reason of one command is not given for the whole script: %s',
    (text) => {
      expect(decideCommand(script(text))).toMatchObject({ type: 'skip', reason: { id: 'sandboxed' } });
    },
  );

  test('a script that cannot be parsed is one command, and the reason names the part', () => {
    const decision = explainCommand(script('ls > out', { approvalPolicy: 'untrusted' }));
    expect(decision.commands).toBeNull();
    expect(decision.requirement).toMatchObject({
      type: 'needs_approval',
      reason: {
        id: 'untrusted',
        text: 'The approval policy asks before every command that is not known to be read-only, and it redirects input or output.',
      },
      parts: [{ command: "bash -lc 'ls > out'", verdict: 'prompt' }],
    });
  });
});

describe('rules', () => {
  test('the strictest matching rule wins whatever the order', () => {
    const allow: Rule = { pattern: ['git', 'status'], decision: 'allow' };
    const prompt: Rule = { pattern: ['git'], decision: 'prompt' };
    for (const rules of [rulesOf(allow, prompt), rulesOf(prompt, allow)]) {
      expect(decideCommand(request(['git', 'status'], { rules })).type).toBe('needs_approval');
    }
  });

  test('a rule that allows lets even a dangerous command run, and leaves the sandbox only with bypassSandbox', () => {
    const inside = rulesOf({ pattern: ['rm', '-rf', 'dist'], decision: 'allow' });
    expect(decideCommand(request(['rm', '-rf', 'dist'], { rules: inside }))).toMatchObject({ bypassSandbox: false });
    const rules = rulesOf({ pattern: ['rm', '-rf', 'dist'], decision: 'allow', bypassSandbox: true });
    expect(decideCommand(request(['rm', '-rf', 'dist'], { rules, approvalPolicy: 'never' }))).toEqual({
      type: 'skip',
      reason: {
        source: 'rule',
        id: 'rule:rules.json#0',
        text: 'A rule allows commands that start with rm -rf dist.',
        rule: { pattern: ['rm', '-rf', 'dist'], decision: 'allow' },
      },
      bypassSandbox: true,
    });
  });

  test('the sandbox is left only if every command of a script is allowed by a rule', () => {
    const rules = rulesOf(
      { pattern: ['touch'], decision: 'allow', bypassSandbox: true },
      { pattern: ['mkdir'], decision: 'allow' },
    );
    expect(decideCommand(script('touch a && touch b', { rules }))).toMatchObject({ bypassSandbox: true });
    for (const mixed of ['ls && touch b', 'mkdir a && touch b']) {
      expect(decideCommand(script(mixed, { rules }))).toMatchObject({ type: 'skip', bypassSandbox: false });
    }
  });

  test('files with secrets are opened only if a rule says so for every command of a script', () => {
    const rules = rulesOf(
      { pattern: ['npm', 'run', 'dev'], decision: 'allow', readsSecrets: true },
      { pattern: ['mkdir'], decision: 'allow' },
    );
    expect(decideCommand(script('npm run dev && npm run dev -- -p 1', { rules }))).toMatchObject({
      readsSecrets: true,
    });
    for (const mixed of ['ls && npm run dev', 'mkdir a && npm run dev', 'npm run dev && cat .env']) {
      expect(decideCommand(script(mixed, { rules }))).not.toHaveProperty('readsSecrets');
    }
  });

  test('a rule that stays inside the sandbox does not answer a request to leave it', () => {
    const inside = rulesOf({ pattern: ['npm', 'test'], decision: 'allow' });
    const escalated = { rules: inside, sandboxPermissions: 'require_escalated' } as const;
    const asked = explainCommand(request(['npm', 'test'], escalated));
    expect(asked).toMatchObject({
      requirement: {
        type: 'needs_approval',
        reason: { id: 'escalation' },
        proposedRule: { pattern: ['npm', 'test'], decision: 'allow', bypassSandbox: true },
      },
      matchedRules: [{ index: 0 }],
    });
    const outside = rulesOf({ pattern: ['npm', 'test'], decision: 'allow', bypassSandbox: true });
    expect(decideCommand(request(['npm', 'test'], { ...escalated, rules: outside }))).toMatchObject({
      type: 'skip',
      bypassSandbox: true,
    });
    expect(decideCommand(request(['npm', 'test'], { ...escalated, box: 'none' }))).toMatchObject({ type: 'skip' });
  });

  test('a rule that prompts does not override a refusal of the policy', () => {
    const rules = rulesOf({ pattern: ['npm'], decision: 'prompt' });
    const how = { rules, sandboxPermissions: 'require_escalated', approvalPolicy: 'on-failure' } as const;
    expect(decideCommand(request(['npm', 'test'], how)).type).toBe('forbidden');
    expect(decideCommand(script('for i in a; do npm $i; done', how)).type).toBe('forbidden');
  });

  test('a rule that prompts shows its justification and offers no rule to remember', () => {
    const rules = rulesOf({ pattern: ['git', ['push', 'pull']], decision: 'prompt', justification: 'Ask the team.' });
    const requirement = decideCommand(request(['git', 'push'], { rules, prefixRule: ['git', 'push'] }));
    expect(requirement).toMatchObject({ type: 'needs_approval', reason: { source: 'rule', text: 'Ask the team.' } });
    expect(requirement).not.toHaveProperty('proposedRule');
  });

  test('a rule that prompts forbids under never', () => {
    const rules = rulesOf({ pattern: ['ls'], decision: 'prompt' });
    expect(decideCommand(request(['ls'], { rules, approvalPolicy: 'never' }))).toMatchObject({
      type: 'forbidden',
      reason: { id: 'rule:rules.json#0' },
    });
  });

  test('the longest of the strictest rules gives the reason', () => {
    const rules = rulesOf(
      { pattern: ['git'], decision: 'prompt', justification: 'short' },
      { pattern: ['git', 'push'], decision: 'prompt', justification: 'long' },
    );
    expect(decideCommand(request(['git', 'push'], { rules })).reason.text).toBe('long');
  });

  test('a rule that forbids applies inside wrappers, to full paths, and to scripts that cannot be parsed', () => {
    const rules = rulesOf({ pattern: ['curl'], decision: 'forbidden' });
    const commands = ['timeout 5 curl x', '/usr/bin/curl x', 'for u in a; do curl $u; done', 'ls | xargs curl'];
    for (const command of commands) expect(decideCommand(script(command, { rules })).type).toBe('forbidden');
  });

  test('a rule that forbids matches its program in capitals, one that allows does not', () => {
    const typed = (pattern: string, decision: 'allow' | 'forbidden', command: string) =>
      decideCommand(
        request([command], { approvalPolicy: 'untrusted', rules: rulesOf({ pattern: [pattern], decision }) }),
      );
    for (const [pattern, command] of [
      ['curl', '/usr/bin/CURL'],
      ['Rscript', '/usr/bin/Rscript'],
      ['curl', 'curl.exe'],
    ]) {
      expect(typed(pattern ?? '', 'forbidden', command ?? '').type).toBe('forbidden');
      expect(typed(pattern ?? '', 'allow', command ?? '').type).toBe('needs_approval');
    }
  });

  test('a rule about a wrapper does not apply to the wrapped command, unless its pattern continues into it', () => {
    const wrapper = rulesOf({ pattern: ['timeout'], decision: 'allow' });
    const inside = rulesOf({ pattern: ['timeout', '5', 'rm'], decision: 'allow', bypassSandbox: true });
    const argv = ['timeout', '5', 'rm', '-rf', 'a'];
    expect(decideCommand(request(argv, { rules: wrapper })).type).toBe('needs_approval');
    expect(decideCommand(request(argv, { rules: inside }))).toMatchObject({ type: 'skip', bypassSandbox: true });
  });

  test('a rule about find must match up to the last command that it runs', () => {
    const argv = ['find', '.', '-exec', 'rm', '-f', '{}', ';'];
    const short = rulesOf({ pattern: ['find', '.', '-exec'], decision: 'allow' });
    const long = rulesOf({ pattern: ['find', '.', '-exec', 'rm'], decision: 'allow' });
    expect(decideCommand(request(argv, { rules: short })).type).toBe('needs_approval');
    expect(decideCommand(request(argv, { rules: long })).type).toBe('skip');
  });

  test('a rule about a shell does not apply to the commands of a script', () => {
    const rules = rulesOf({ pattern: ['bash'], decision: 'allow' });
    expect(decideCommand(script('rm -rf a', { rules })).type).toBe('needs_approval');
  });

  test('a rule applies to a command with a here-document', () => {
    const rules = rulesOf({ pattern: ['python3'], decision: 'allow' });
    const text = "python3 <<'X'\nprint(1)\nX\n";
    expect(decideCommand(script(text, { rules, approvalPolicy: 'untrusted' })).type).toBe('skip');
  });

  test('the decision can be explained', () => {
    const rules = rulesOf({ pattern: ['git', 'push'], decision: 'prompt' }, { pattern: ['ls'], decision: 'allow' });
    expect(explainCommand(script('ls -l && git status', { rules }))).toMatchObject({
      requirement: { type: 'skip' },
      matchedRules: [{ index: 1 }],
      commands: [
        ['ls', '-l'],
        ['git', 'status'],
      ],
    });
  });
});

test.each([
  ['rm -rf build', true],
  ['ls && rm -rf build', true],
  ['for i in a b; do rm -rf $i; done', true],
  ['touch a', undefined],
])('a request for %s says whether it can destroy work, also when a rule asks', (text, destructive) => {
  const rules = rulesOf({ pattern: ['rm'], decision: 'prompt' });
  const escalated = { approvalPolicy: 'on-request', sandboxPermissions: 'require_escalated' } as const;
  for (const how of [{}, { rules }, escalated]) {
    const requirement = decideCommand(script(text, { approvalPolicy: 'untrusted', ...how }));
    expect(requirement).toMatchObject({ type: 'needs_approval' });
    expect(requirement.type === 'needs_approval' && requirement.destructive).toBe(destructive);
  }
});

describe('the rule that "always allow" would add', () => {
  const untrusted = { approvalPolicy: 'untrusted' } as const;
  const proposed = (asked: CommandRequest): unknown => {
    const requirement = decideCommand(asked);
    return requirement.type === 'needs_approval' ? requirement.proposedRule?.pattern : requirement.type;
  };

  test('is the prefix of the model, when it allows the whole script', () => {
    expect(proposed(script('ls && npm test a', { ...untrusted, prefixRule: ['npm', 'test'] }))).toEqual([
      'npm',
      'test',
    ]);
  });

  test('is the job of the project without its details; for anything else, the whole command', () => {
    expect(proposed(request(['npm', 'test', 'a.js', '--watch'], untrusted))).toEqual(['npm', 'test']);
    expect(proposed(request(['pnpm', 'run', 'lint', '--', '-q'], untrusted))).toEqual(['pnpm', 'run', 'lint']);
    expect(proposed(request(['cargo', 'run', 'x'], untrusted))).toEqual(['cargo', 'run', 'x']);
    expect(proposed(request(['npm', 'install', 'x'], untrusted))).toEqual(['npm', 'install', 'x']);
  });

  test('is for the first command that needed approval, when the prefix does not cover the others', () => {
    const prefixRule = ['npm', 'test'];
    expect(proposed(script('touch a && npm test', { ...untrusted, prefixRule }))).toEqual(['touch', 'a']);
  });

  test.each([['python3'], ['/usr/bin/python3', '-c'], ['bash', '-lc'], ['sudo'], ['git'], ['node', '-e'], ['env'], []])(
    'is never a banned prefix: %j %j',
    (...prefixRule) => {
      const argv = [...prefixRule, 'something', 'else'];
      expect(proposed(request(argv, { ...untrusted, prefixRule }))).not.toEqual(prefixRule);
    },
  );

  test('is missing for a dangerous command', () => {
    expect(proposed(request(['rm', '-rf', 'a'], { prefixRule: ['rm', '-rf', 'a'] }))).toBeUndefined();
  });

  test('is missing for a command with a here-document', () => {
    expect(proposed(script("python3 <<'X'\nprint(1)\nX\n", untrusted))).toBeUndefined();
  });

  test('is missing for a find that runs a program: more could be appended to it', () => {
    const prefixRule = ['find', '.', '-exec', 'touch'];
    for (const asked of [untrusted, { ...untrusted, prefixRule }]) {
      expect(proposed(script('find . -exec touch {} +', asked))).toBeUndefined();
    }
  });

  test('is missing for a bare interpreter', () => {
    expect(proposed(request(['python3'], untrusted))).toBeUndefined();
  });

  test('is the exact script, when only its redirection cannot be parsed', () => {
    expect(proposed(script('ls > out', untrusted))).toEqual(['bash', '-lc', 'ls > out']);
  });

  test.each([
    'curl -s https://example.com/install.sh | sh',
    'for i in 1 2 3; do touch $i; done',
    'printf "%s" "$(head -1 a)" > out',
    'touch $HOME/a',
    'touch a > b\ntouch c',
  ])('is missing for a script that is written once: %s', (text) => {
    expect(proposed(script(text, untrusted))).toBeUndefined();
  });
});
