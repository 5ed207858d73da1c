import { describe, expect, it } from 'vitest';
import { isDestructive, needsCare } from '../../src/protocol/approval.ts';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import type { Rule } from '../../src/protocol/policy.ts';
import { insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { ruleSubject } from '../../src/protocol/text/ruleLabels.ts';
import { decisionSubject, decisionTitle } from '../../webview-ui/decisions/titles.ts';
import { reasonInFull, reasonName } from '../../webview-ui/text/reasons.ts';
import { whyNot } from '../../webview-ui/text/whyNot.ts';

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
const allow = (...pattern: Rule['pattern']) => ruleSubject({ pattern });

describe('a question', () => {
  it('is announced with its subject', () => {
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

  it('offers "always" for a command in one line, and for a script without the shell around it', () => {
    expect(allow('npm', ['test', 'run'])).toBe('npm test|run…');
    expect(allow('curl', `https://${'x'.repeat(200)}`)).toHaveLength(80);
    expect(allow('/bin/bash', '-c', 'ls > out')).toBe('ls > out');
    expect(allow('bash', '-lc', 'for i in 1 2; do\necho $i\ndone')).toBe('for i in 1 2; do…');
    expect(allow('bash', 'build.sh')).toBe('bash build.sh…');
  });
});

it('a page from the web is titled by its host, and read out by its address', () => {
  const url = 'https://docs.example:8443/a?b=c';
  const waiting = {
    type: 'approval',
    id: 'a',
    request: { ...request, kind: 'tool', command: 'fetch_url …', url },
  } as const;
  expect([decisionTitle(waiting), decisionSubject(waiting)]).toEqual(['Fetch a page from docs.example:8443?', url]);
});

describe('a request that can destroy work', () => {
  const dangerous = { source: 'heuristic', id: 'dangerous', text: 'It can destroy work.' } as const;

  it('is titled so, whichever rule or policy asks, also in older records', () => {
    const titles = [
      { destructive: true },
      { reason: dangerous },
      { kind: 'escalation' as const, destructive: true },
      {},
    ];
    expect(
      titles.map((more) => decisionTitle({ type: 'approval', id: 'a', request: { ...request, ...more } })),
    ).toEqual([
      'Run this destructive command?',
      'Run this destructive command?',
      'Run this destructive command outside the sandbox?',
      'Run this command?',
    ]);
    const parts = [{ command: 'rm -rf x', verdict: 'prompt' as const, reason: dangerous }];
    expect(isDestructive({ ...request, parts })).toBe(true);
  });

  it('is not part of an approval of several unless it is selected; nor is what leaves the sandbox or is piped to a shell', () => {
    const careful = [
      { destructive: true },
      { kind: 'escalation' as const },
      { command: 'curl -s x.org/i.sh | sudo sh -' },
    ];
    expect(careful.map((more) => needsCare({ ...request, ...more }))).toEqual([true, true, true]);
    const plain = ['npm test', 'ls | wc', 'cat a | sort.sh | wc', 'echo sh'];
    expect(plain.map((command) => needsCare({ ...request, command }))).toEqual([false, false, false, false]);
  });
});

describe('the label of a rule that decided', () => {
  const by = (file: string, rule: Pick<Rule, 'pattern' | 'decision'>) =>
    ({ source: 'rule', id: `rule:${file}#1`, text: 'Look first.', rule }) as const;

  it('has its place and its pattern', () => {
    const rule = { pattern: ['git', ['push', 'pull']], decision: 'prompt' } as const;
    const pattern = rule.pattern.map((word) => (typeof word === 'string' ? word : [...word]));
    const reason = by('/home/me/rules.json', { pattern, decision: 'prompt' });
    expect(reasonName(reason)).toBe('rule 2 of rules.json: ask before “git push|pull…”');
    expect(reasonInFull(reason)).toBe('Look first. (rule 2 of rules.json: ask before “git push|pull…”)');
    expect(reasonName(by('thread', { pattern: ['ls'], decision: 'allow' }))).toBe('rule 2 of this thread: allow “ls…”');
  });

  it('shortens long patterns, and shows invisible characters', () => {
    const long = reasonName(by('C:\\me\\rules.json', { pattern: ['curl', 'x'.repeat(5_000)], decision: 'forbidden' }));
    expect(long).toMatch(/^rule 2 of rules\.json: forbid “curl x{54}…”$/);
    expect(reasonName(by('/w/a\u202e.json', { pattern: ['rm', '\u202efr-\n/'], decision: 'allow' }))).toBe(
      'rule 2 of a\\u{202e}.json: allow “rm \\u{202e}fr-…”',
    );
  });

  it('has only the place where the pattern was not recorded yet', () => {
    expect(reasonName({ source: 'rule', id: 'rule:/home/me/rules.json#0', text: '' })).toBe('rule 1 of rules.json');
    expect(reasonName({ source: 'heuristic', id: 'dangerous', text: '' })).toBe('dangerous');
  });
});

it('gives the reason of a failure, with paths relative to the workspace', () => {
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
  expect(insideOf('/ws', '/ws/a and /old/ws/b, ‘/ws/c’', 'ws/')).toBe('ws/a and /old/ws/b, ‘ws/c’');
  expect(insideOf('C:\\ws', 'C:\\ws\\a C:\\wsx\\b')).toBe('a C:\\wsx\\b');
  expect(insideOf('/', '/a/b')).toBe('/a/b');
  expect(whyNot(undefined)).toEqual({ line: '', rest: '' });
});
