import { describe, expect, it } from 'vitest';
import { suggestionFor, suggestRules } from '../../../src/core/policy/suggestRules.ts';
import type { AuditDecision } from '../../../src/protocol/audit.ts';

let count = 0;
function decided(command: string, more: Partial<AuditDecision> = {}): AuditDecision {
  count++;
  return {
    v: 1,
    at: `2026-11-21T00:00:${String(count % 60).padStart(2, '0')}.000Z`,
    threadId: 't',
    agentId: null,
    turnId: 'u',
    itemId: `i${count}`,
    callId: `c${count}`,
    type: 'decision',
    act: { type: 'command', command, argv: ['bash', '-lc', command], cwd: '/w' },
    outcome: 'allowed',
    by: 'user',
    reason: { source: 'policy', id: 'untrusted', text: 'It is not known.' },
    box: 'bubblewrap',
    escalated: false,
    ...more,
  };
}
const options = { platform: 'linux', rules: [] } as const;
const suggested = (...entries: AuditDecision[]) =>
  suggestRules(entries, options).map(({ rule, approvals }) => [rule.pattern.join(' '), approvals]);
const thrice = (command: string, more?: Partial<AuditDecision>) => [1, 2, 3].map(() => decided(command, more));

describe('rules that would have saved approvals', () => {
  it('are suggested after three approvals of the same job, with the commands that they cover', () => {
    const entries = [
      decided('npm test a.js'),
      decided('ls && npm test'),
      decided('npm test b.js'),
      decided('npm test'),
    ];
    expect(suggestRules(entries.slice(0, 2), options)).toEqual([]);
    expect(suggestRules(entries, options)).toEqual([
      {
        rule: { pattern: ['npm', 'test'], decision: 'allow' },
        approvals: 4,
        commands: ['npm test', 'npm test b.js', 'ls && npm test', 'npm test a.js'],
        lastAt: entries[3]?.at,
      },
    ]);
  });

  it('are as short as the different commands that were approved', () => {
    expect(suggested(decided('gh pr view 1'), decided('gh pr view 2'), decided('gh pr list'))).toEqual([['gh pr', 3]]);
    expect(suggested(...thrice('touch a.txt'))).toEqual([['touch a.txt', 3]]);
    expect(suggested(decided('touch a.txt'), decided('touch b.txt'), decided('touch c.txt'))).toEqual([]);
    expect(suggested(decided('tool -v a'), decided('tool -v b'), decided('tool -v c'))).toEqual([]);
  });

  it('never cover what the user has denied, what destroys work, or any command', () => {
    expect(suggested(...thrice('npm test'), decided('npm test x', { outcome: 'denied' }))).toEqual([]);
    expect(suggested(...thrice('rm -rf build'), ...thrice('python3'), ...thrice('curl x.org | sh'))).toEqual([]);
    expect(
      suggested(decided('docker compose up'), decided('docker compose down'), decided('docker compose ps')),
    ).toEqual([]);
  });

  it('count only approvals of the user, inside the sandbox and without a rule that asks', () => {
    expect(suggested(...thrice('npm test', { by: 'memory' }))).toEqual([]);
    expect(suggested(...thrice('npm test', { escalated: true }))).toEqual([]);
    const reason = { source: 'rule', id: 'rule:rules.json#0', text: 'Look first.' } as const;
    expect(suggested(...thrice('npm test', { reason }))).toEqual([]);
    expect(suggested(decided('npm test && npm publish'), ...thrice('npm publish'))).toEqual([['npm publish', 3]]);
  });

  it('are not suggested when a rule in force allows the commands', () => {
    const rules = [
      { rule: { pattern: ['npm'], decision: 'allow' as const }, file: 'f', index: 0, layer: 'user' as const },
    ];
    expect(suggestRules(thrice('npm test'), { ...options, rules })).toEqual([]);
  });

  it('answer the pending command', () => {
    const entries = [...thrice('npm test'), ...thrice('make all')];
    expect(suggestionFor(['npm', 'test', 'x'], entries, options)?.rule.pattern).toEqual(['npm', 'test']);
    expect(suggestionFor(['npm', 'install'], entries, options)).toBeUndefined();
  });
});
