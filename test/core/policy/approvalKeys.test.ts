import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CommandApproval,
  canonicalArgv,
  commandApprovalKey,
  patchApprovalKeys,
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

describe('an approval of a command', () => {
  test('holds for the same words, however they are spaced or quoted', () => {
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

  test('operators between commands are part of it', () => {
    const keys = ['a && b', 'a || b', 'a; b', 'a | b'].map((text) => key({ argv: ['bash', '-lc', text] }));
    expect(new Set(keys).size).toBe(4);
  });

  test('two commands with the same key have the same canonical words', () => {
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

test('an approval of a patch is one key for each real place, told once', () => {
  const places = [
    { name: '/w/a', target: '/w/a' },
    { name: '/w/link', target: '/w/a' },
    { name: '/w/b', target: '/w/b' },
  ];
  expect(patchApprovalKeys(places)).toEqual(['["patch","/w/a"]', '["patch","/w/link"]', '["patch","/w/b"]']);
});
