/** The table of docs/decisions/0079: which questions about commands a model may answer for the user. */
import { describe, expect, test } from 'vitest';
import { type CommandRequest, decideCommand } from '../../../src/core/policy/decideCommand.ts';
import type { LoadedRules } from '../../../src/core/policy/rules.ts';
import { type Rule, sandboxPolicyInputSchema } from '../../../src/protocol/policy.ts';

const rulesOf = (...rules: Rule[]): LoadedRules =>
  rules.map((rule, index) => ({ rule, file: 'rules.json', index, layer: 'user' }));

function isReviewable(argv: readonly string[], changes: Partial<CommandRequest> = {}): boolean | 'not asked' {
  const requirement = decideCommand({
    argv,
    approvalPolicy: 'untrusted',
    sandboxPolicy: sandboxPolicyInputSchema.parse('workspace-write'),
    box: 'bubblewrap',
    sandboxPermissions: 'use_default',
    rules: [],
    platform: 'linux',
    ...changes,
  });
  return requirement.type === 'needs_approval' ? requirement.reviewable === true : 'not asked';
}

const script = (text: string, changes: Partial<CommandRequest> = {}) => isReviewable(['bash', '-lc', text], changes);

describe('a model may answer', () => {
  test.each([
    ['one command in the sandbox', ['npm', 'test'], {}],
    ['a script whose parts are all known', ['bash', '-lc', 'npm run build && npm test | head -n 5'], {}],
    [
      'in a sandbox that can only read',
      ['npm', 'test'],
      { sandboxPolicy: sandboxPolicyInputSchema.parse('read-only') },
    ],
    ['in the sandbox of macOS', ['npm', 'test'], { box: 'seatbelt', platform: 'darwin' }],
    [
      'beside a rule that allows another part',
      ['bash', '-lc', 'make && npm test'],
      { rules: rulesOf({ pattern: ['make'], decision: 'allow' }) },
    ],
    [
      'a script that joins its outputs',
      ['bash', '-lc', 'npm test 2>&1 | tail -n 5 2>/dev/null; make > /dev/null 2>&1'],
      {},
    ],
    ['a command in a wrapper', ['timeout', '5', 'npm', 'test'], {}],
  ] as [string, string[], Partial<CommandRequest>][])('%s', (_, argv, changes) => {
    expect(isReviewable(argv, changes)).toBe(true);
  });
});

describe('only the user may answer', () => {
  test.each([
    ['without a sandbox', ['npm', 'test'], { box: 'none' }],
    [
      'under full access',
      ['npm', 'test'],
      { sandboxPolicy: sandboxPolicyInputSchema.parse('danger-full-access'), box: 'none' },
    ],
    [
      'in the sandbox of another program',
      ['npm', 'test'],
      { sandboxPolicy: sandboxPolicyInputSchema.parse('external-sandbox'), box: 'external' },
    ],
    [
      'where commands may use the network',
      ['npm', 'test'],
      { sandboxPolicy: sandboxPolicyInputSchema.parse({ type: 'workspace-write', networkAccess: true }) },
    ],
    ['when it can destroy work', ['rm', '-rf', 'dist'], {}],
    ['when a part of it can destroy work', ['bash', '-lc', 'npm test; git reset --hard'], {}],
    ['when a wrapped command can destroy work', ['timeout', '5', 'rm', '-rf', 'dist'], {}],
    ['when it cannot be parsed', ['bash', '-lc', 'npm test $(cat list)'], {}],
    ['when a part of it cannot be parsed', ['bash', '-lc', 'npm test && bash -c "$X"'], {}],
    ['when it writes into a file by redirection', ['bash', '-lc', 'npm test > src/a.ts 2>&1'], {}],
    ['when a redirection hides something else', ['bash', '-lc', 'npm test 2>&1; X=1 make'], {}],
    ['when a redirected command can destroy work', ['bash', '-lc', 'rm -rf dist 2>&1'], {}],
    ['when it goes on in the background', ['bash', '-lc', 'npm start 2>&1 &'], {}],
    ['when a shell runs what another command prints', ['bash', '-lc', 'cat script | sh'], {}],
    ['when a rule of the user asks', ['npm', 'test'], { rules: rulesOf({ pattern: ['npm'], decision: 'prompt' }) }],
    [
      'when a rule asks about a part',
      ['bash', '-lc', 'make && npm test'],
      { rules: rulesOf({ pattern: ['make'], decision: 'prompt' }) },
    ],
    [
      'when a rule asks about a wrapped command',
      ['timeout', '5', 'make'],
      { rules: rulesOf({ pattern: ['make'], decision: 'prompt' }) },
    ],
  ] as [string, string[], Partial<CommandRequest>][])('%s', (_, argv, changes) => {
    expect(isReviewable(argv, changes)).toBe(false);
  });

  test('when the model asks to leave the sandbox', () => {
    const escalated = { approvalPolicy: 'on-request', sandboxPermissions: 'require_escalated' } as const;
    expect(isReviewable(['npm', 'test'], escalated)).toBe(false);
    expect(isReviewable(['npm', 'test'], { ...escalated, approvalPolicy: 'untrusted' })).toBe('not asked');
  });

  test('when it names a file that may not be read', () => {
    const reads = '.env holds secrets';
    expect(isReviewable(['node', 'x.js', '.env'], { box: 'none', reads })).toBe(false);
  });
});

test('under the other policies nothing that a model may answer is asked', () => {
  for (const approvalPolicy of ['on-request', 'on-failure', 'never'] as const) {
    expect(isReviewable(['npm', 'test'], { approvalPolicy })).toBe('not asked');
    expect(script('rm -rf dist', { approvalPolicy })).not.toBe(true);
  }
});
