import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import type { Rule } from '../../src/protocol/policy.ts';
import { decisionSubject, ruleSubject } from '../../webview-ui/decisions.ts';
import { insideOf, whyNot } from '../../webview-ui/text/whyNot.ts';

const request: ApprovalRequest = {
  approvalId: 'a',
  itemId: 'i',
  callId: 'c',
  kind: 'command',
  choices: ['approved', 'denied'],
  reason: { source: 'heuristic', id: 'unknown', text: 'It is not known.' },
};
const heard = (more: Partial<ApprovalRequest>) =>
  decisionSubject({ type: 'approval', id: 'a', request: { ...request, ...more } });
const allow = (...pattern: Rule['pattern']) => ruleSubject({ pattern, decision: 'allow' });

describe('a question', () => {
  it('is heard with what it is about', () => {
    expect(heard({ command: 'npm test' })).toBe('npm test');
    expect(heard({ command: 'cat <<X\na\nX' })).toBe('cat <<X…');
    const change = { kind: 'update', added: 1, removed: 0 } as const;
    expect(
      heard({
        kind: 'patch',
        changes: [
          { ...change, path: 'a.ts' },
          { ...change, path: 'b.ts' },
        ],
      }),
    ).toBe('a.ts, b.ts');
  });

  it('offers "always" for words in one line, and for a script without the shell around it', () => {
    expect(allow('npm', ['test', 'run'])).toBe('npm test|run…');
    expect(allow('curl', `https://${'x'.repeat(200)}`)).toHaveLength(80);
    expect(allow('/bin/bash', '-c', 'ls > out')).toBe('ls > out');
    expect(allow('bash', '-lc', 'for i in 1 2; do\necho $i\ndone')).toBe('for i in 1 2; do…');
    expect(allow('bash', 'build.sh')).toBe('bash build.sh…');
  });
});

it('what could not be done says why, in words of the workspace', () => {
  expect(whyNot('apply_patch verification failed: Cannot find these lines in /ws/a.txt:\nuno\n', '/ws')).toEqual({
    line: 'Cannot find these lines in a.txt…',
    rest: 'uno',
  });
  expect(whyNot('Cannot read /ws/b to update it: it is not UTF-8 text.', '/ws')).toEqual({
    line: 'Cannot read b to update it: it is not UTF-8 text.',
    rest: '',
  });
  expect(insideOf('/ws', 'The command made /ws/.idea: look at /wsx/.idea.')).toBe(
    'The command made .idea: look at /wsx/.idea.',
  );
  expect(whyNot(undefined)).toEqual({ line: '', rest: '' });
});
