/** The pages "Rules and Approvals" and "Audit Log" outside VS Code, with everything that they can show. */
import type { AuditHostMessage, AuditLine } from '../../../src/protocol/auditWire.ts';
import type { Uses } from '../../../src/protocol/rules.ts';
import type { RulesHostMessage } from '../../../src/protocol/rulesWire.ts';

export interface PageScene {
  readonly page: 'rules' | 'audit';
  readonly messages: readonly (RulesHostMessage | AuditHostMessage)[];
  /** Test ids clicked, in order, to get there. */
  readonly clicks?: readonly string[];
}

const AT = '2026-01-15T12:00:00.000Z';
const NEVER: Uses = { count: 0, lastUsedAt: null };
const TWICE: Uses = { count: 2, lastUsedAt: AT };

const RULES: RulesHostMessage = {
  type: 'rules',
  texts: {},
  state: {
    workspaceName: 'shop',
    workspaceFolder: '/w/shop',
    hasThread: true,
    trusted: true,
    overview: {
      rules: [
        {
          id: 'user#0',
          layer: 'user',
          rule: { pattern: ['git', ['status', 'diff']], decision: 'allow', bypassSandbox: true, readsSecrets: true },
          file: '/home/mira/.local/share/tiller/rules.json',
          index: 0,
          uses: TWICE,
        },
        {
          id: 'workspace#0',
          layer: 'workspace',
          rule: { pattern: ['npm', 'publish'], decision: 'prompt', justification: 'A release needs a second look.' },
          file: '/home/mira/.local/share/tiller/workspace-rules.json',
          index: 0,
          uses: NEVER,
        },
        {
          id: 'file#0',
          layer: 'workspace_file',
          rule: { pattern: ['make', 'deploy'], decision: 'forbidden', justification: 'The pipeline deploys.' },
          file: '/w/shop/.tiller/rules.json',
          index: 0,
          uses: NEVER,
        },
      ],
      approvals: [
        { key: 'a', kind: 'command', text: 'node --test', cwd: '/w/shop/packages/cart', uses: TWICE },
        { key: 'b', kind: 'patch', text: '/w/shop/src/cart.js', cwd: null, uses: NEVER },
        { key: 'c', kind: 'fetch', text: 'https://docs.rs', cwd: null, uses: TWICE },
      ],
      proposals: [
        {
          hash: 'h1',
          rule: { pattern: ['make', 'check'], decision: 'allow', justification: 'Only looks.' },
          file: '/w/shop/.tiller/rules.json',
          state: 'new',
        },
        {
          hash: 'h2',
          rule: { pattern: ['make', 'clean'], decision: 'allow' },
          file: '/w/shop/.tiller/rules.json',
          state: 'refused',
        },
      ],
      problems: [{ file: '/w/shop/.tiller/rules.json', message: 'rules.0.pattern: must have at least one word' }],
    },
  },
};

const line = (more: Partial<AuditLine>): AuditLine => ({
  at: AT,
  threadId: 't1',
  threadTitle: 'Fix the total',
  agentId: null,
  kind: 'command',
  what: 'npm test',
  cwd: null,
  outcome: 'allowed',
  by: 'user',
  reason: { source: 'policy', id: 'untrusted', text: 'The policy asks about every command.' },
  word: null,
  reviewer: null,
  box: 'bubblewrap',
  escalated: false,
  end: { status: 'completed', exit: 0, durationMs: 1200 },
  ...more,
});

const rule = { pattern: ['git', 'status'], decision: 'allow' } as const;

const AUDIT: AuditHostMessage = {
  type: 'audit',
  texts: {},
  hasMore: true,
  lines: [
    line({}),
    line({ by: 'reviewer', reviewer: { model: 'gpt-5-mini', text: 'It runs the tests that you asked for.' } }),
    line({ outcome: 'denied', word: 'Not that one.', end: null }),
    line({
      by: 'rule',
      what: 'git status',
      cwd: 'packages/cart',
      reason: {
        source: 'rule',
        id: 'rules.json#0',
        text: 'allow git status',
        rule: { ...rule, pattern: [...rule.pattern] },
      },
    }),
    line({ outcome: 'forbidden', by: 'policy', what: 'rm -rf /', end: null }),
    line({
      threadTitle: null,
      agentId: 'a1',
      escalated: true,
      box: 'none',
      end: { status: 'failed', exit: 1, durationMs: 5 },
    }),
    line({ kind: 'patch', what: 'src/cart.js', cwd: null }),
  ],
};

export const PAGES: Readonly<Record<string, PageScene>> = {
  rules: { page: 'rules', messages: [RULES] },
  'rules-form': { page: 'rules', messages: [RULES], clicks: ['rules-add'] },
  'rules-empty': {
    page: 'rules',
    messages: [
      {
        ...RULES,
        state: {
          ...RULES.state,
          trusted: false,
          overview: { rules: [], approvals: [], proposals: [], problems: [] },
        },
      },
    ],
  },
  audit: { page: 'audit', messages: [AUDIT] },
  'audit-empty': { page: 'audit', messages: [{ ...AUDIT, lines: [], hasMore: false }] },
};
