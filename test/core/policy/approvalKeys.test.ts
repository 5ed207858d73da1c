import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeApproval } from '../../../src/core/rules/approvals.ts';
import {
  type CommandApproval,
  canonicalArgv,
  commandApprovalKey,
  fetchApprovalKey,
  patchApprovalKeys,
  toolApprovalKey,
} from '../../../src/core/policy/approvalKeys.ts';

const approval: CommandApproval = {
  argv: ['bash', '-lc', 'touch  q1'],
  cwd: '/w',
  box: 'bubblewrap',
  sandboxPolicy: { type: 'read-only', networkAccess: false },
  sandboxPermissions: 'use_default',
  tty: false,
};
const key = (changes: Partial<CommandApproval>): string => commandApprovalKey({ ...approval, ...changes });

test.each([
  ['command', [key({})]],
  ['patch', patchApprovalKeys([{ name: '/w/a', target: '/w/b' }])],
  ['tool', [toolApprovalKey('notes', 'write', 'h1', 'h2')]],
  ['fetch', [fetchApprovalKey('https://docs.rs')]],
] as const)('the keys of a %s can be described in the rules page', (kind, keys) => {
  for (const each of keys) expect(describeApproval(each)?.kind).toBe(kind);
});

describe('an approval of a command', () => {
  test('holds for the same words, whatever their spacing or quotes', () => {
    expect(key({ argv: ['bash', '-lc', `touch 'q1'`] })).toBe(key({}));
    expect(key({ argv: ['touch', 'q1'] })).toBe(key({}));
    expect(key({ cwd: '/w/./a/../b/' })).toBe(key({ cwd: '/w/b' }));
  });

  test.each<Partial<CommandApproval>>([
    { argv: ['bash', '-lc', 'touch q1 q2'] },
    { argv: ['bash', '-lc', 'touch q1; touch q1'] },
    { argv: ['bash', '-lc', "touch q1 <<'X'\nX\n"] },
    { cwd: '/w/a' },
    { box: 'none' },
    { sandboxPolicy: { type: 'read-only', networkAccess: true } },
    { sandboxPolicy: { type: 'external-sandbox', networkAccess: false } },
    { sandboxPermissions: 'require_escalated' },
    { tty: true },
  ])('holds for nothing else: %j', (changes) => {
    expect(key(changes)).not.toBe(key({}));
  });

  test('distinguishes operators between commands', () => {
    const keys = ['a && b', 'a || b', 'a; b', 'a | b'].map((text) => key({ argv: ['bash', '-lc', text] }));
    expect(new Set(keys).size).toBe(4);
  });

  test('is the same for two commands only when their canonical words are the same', () => {
    const word = fc.constantFrom('a', 'b', 'a b', '"', ',', '["a"]', 'bash', '-lc', '');
    const argv = fc.array(word, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(argv, argv, (one, other) => {
        const sameWords = JSON.stringify(canonicalArgv(one)) === JSON.stringify(canonicalArgv(other));
        expect(key({ argv: one }) === key({ argv: other })).toBe(sameWords);
      }),
    );
  });
});

test('a patch has one approval key for each resolved place, without duplicates', () => {
  const places = [
    { name: '/w/a', target: '/w/a' },
    { name: '/w/link', target: '/w/a' },
    { name: '/w/b', target: '/w/b' },
  ];
  expect(patchApprovalKeys(places)).toEqual(['["patch","/w/a"]', '["patch","/w/link"]', '["patch","/w/b"]']);
});
