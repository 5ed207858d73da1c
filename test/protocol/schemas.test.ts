/** The contract of docs/cli.md with clients and readers, example by example. */
import { describe, expect, it } from 'vitest';
import { protocolSchema } from '../../scripts/protocolSchema.ts';
import { eventMsgSchema, eventSchema } from '../../src/protocol/event.ts';
import { turnItemSchema } from '../../src/protocol/item.ts';
import { opSchema, submissionLineSchema } from '../../src/protocol/op.ts';
import { approvalDecisionSchema, rulesFileSchema, sandboxPolicyInputSchema } from '../../src/protocol/policy.ts';

const text = [{ type: 'text', text: 'hi' }];

describe('ops', () => {
  it.each([
    { type: 'user_turn', input: text },
    {
      type: 'user_turn',
      input: [
        { type: 'image', imageUrl: 'data:image/png;base64,AA==' },
        { type: 'local_image', path: 'a.png' },
        { type: 'mention', name: 'a', path: '/w/a.ts' },
      ],
      overrides: { model: 'm', effort: 'low', summary: 'none', cwd: '/w', policy: 'never' },
      outputSchema: { type: 'object' },
    },
    { type: 'steer', input: text },
    { type: 'hold_queued', id: 's1', held: true },
    { type: 'edit_queued', id: 's1', input: text },
    { type: 'edit_queued', id: 's1', input: null },
    { type: 'interrupt' },
    { type: 'override_turn_context', effort: null },
    { type: 'approval', approvalIds: ['a1', 'a2'], decision: 'approved' },
    { type: 'user_input_answer', questionId: 'q', answers: { one: ['yes'] } },
    { type: 'user_input_answer', questionId: 'q', answers: null },
    { type: 'elicitation_answer', questionId: 'q', action: 'accept', content: { a: 1 } },
    {
      type: 'dynamic_tool_response',
      callId: 'c',
      contentItems: [
        { type: 'input_text', text: 'x' },
        { type: 'input_image', imageUrl: 'data:,' },
      ],
      success: true,
    },
    { type: 'register_tools', tools: [{ name: 'weather', description: 'd', inputSchema: { type: 'object' } }] },
    { type: 'process_input', processId: 'p', chars: 'y\n' },
    { type: 'process_resize', processId: 'p', columns: 80, rows: 24 },
    { type: 'kill_process', processId: 'p' },
    { type: 'remember', keys: ['["patch","/w/a"]'], rules: [{ pattern: ['npm', 'test'], decision: 'allow' }] },
    { type: 'retry' },
    { type: 'compact' },
    { type: 'compact', continueTurn: true },
    { type: 'undo_compaction', itemId: 'i' },
    { type: 'review', target: { type: 'uncommitted' }, changes: 'diff --git a/a b/a' },
    { type: 'mark_finding', itemId: 'i', findingId: '1', state: 'dismissed' },
    { type: 'undo', turnId: 't' },
    { type: 'redo' },
    { type: 'rollback', toItemId: 'i', files: true, conversation: false },
    { type: 'purge_output', itemId: 'i' },
    { type: 'set_title', title: 'Mine' },
    { type: 'shutdown' },
  ])('%j is understood', (op) => {
    expect(submissionLineSchema.parse({ op })).toEqual({ op });
    expect(submissionLineSchema.parse({ id: 'x', op })).toEqual({ id: 'x', op });
  });

  it('are all listed above', () => {
    expect(opSchema.options.map((option) => option.shape.type.value).toSorted()).toEqual(
      [
        ...[
          'approval',
          'compact',
          'undo_compaction',
          'review',
          'mark_finding',
          'dynamic_tool_response',
          'edit_queued',
          'elicitation_answer',
          'hold_queued',
          'interrupt',
        ],
        ...[
          'kill_process',
          'override_turn_context',
          'process_input',
          'process_resize',
          'purge_output',
          'redo',
          'register_tools',
          'remember',
          'retry',
          'rollback',
        ],
        ...['set_title', 'shutdown', 'steer', 'undo', 'user_input_answer', 'user_turn'],
      ].toSorted(),
    );
  });

  it.each([
    [{ op: { type: 'user_turn', input: text, model: 'm' } }, 'op', 'model'],
    [{ op: { type: 'user_turn', input: text, overrides: { polcy: 'never' } } }, 'op.overrides', 'polcy'],
    [{ op: { type: 'user_turn', input: [] } }, 'op.input', ''],
    [{ op: { type: 'user_turn', input: [{ type: 'text' }] } }, 'op.input.0.text', ''],
    [{ op: { type: 'approval', approvalIds: ['a'], decision: 'maybe' } }, 'op.decision', ''],
    [{ op: { type: 'interupt' } }, 'op.type', ''],
    [{ ID: 'x', op: { type: 'interrupt' } }, '', 'ID'],
  ])('%j is refused where it is wrong', (line, path, word) => {
    const result = submissionLineSchema.safeParse(line);
    const [issue] = result.error?.issues ?? [];
    expect(issue?.path.join('.')).toBe(path);
    expect(issue?.message).toContain(word);
  });

  it.each([
    ['approved', 'approved'],
    ['approved_for_thread', 'approved_for_thread'],
    ['denied', { denied: {} }],
    [{ denied: {} }, { denied: {} }],
    [{ denied: { message: 'use tabs' } }, { denied: { message: 'use tabs' } }],
    ['abort', 'abort'],
    [
      { approved_rule: { rule: { pattern: ['git', ['status', 'log']] }, scope: 'user' } },
      { approved_rule: { rule: { pattern: ['git', ['status', 'log']], decision: 'allow' }, scope: 'user' } },
    ],
  ])('the decision %j means %j', (given, meant) => {
    expect(approvalDecisionSchema.parse(given)).toEqual(meant);
  });

  it.each([
    [[{ path: 'a.ts', leftOut: 'file' }], true],
    [[{ path: 'a.ts', leftOut: [0, 2] }], true],
    [[{ path: 'a.ts', text: '' }], true],
    [[], false],
    [[{ path: 'a.ts' }], false],
    [[{ path: 'a.ts', leftOut: [] }], false],
    [[{ path: 'a.ts', leftOut: [-1] }], false],
    [[{ path: 'a.ts', leftOut: [0.5] }], false],
    [[{ path: 'a.ts', leftOut: [0], text: '' }], false],
  ])('a patch can be reviewed with %j: %s', (files, isReview) => {
    expect(approvalDecisionSchema.safeParse({ approved_reviewed: { files } }).success).toBe(isReview);
  });

  it.each([
    ['read-only', { type: 'read-only', networkAccess: false }],
    [
      'workspace-write',
      {
        type: 'workspace-write',
        writableRoots: [],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
    ],
    ['danger-full-access', { type: 'danger-full-access' }],
    [
      { type: 'external-sandbox', networkAccess: true },
      { type: 'external-sandbox', networkAccess: true },
    ],
  ])('the sandbox policy %j means %j', (given, meant) => {
    expect(sandboxPolicyInputSchema.parse(given)).toEqual(meant);
  });
});

describe('events', () => {
  const started =
    '{"v":1,"seq":1,"at":"2026-11-21T00:00:00.000Z","threadId":"…","turnId":null,"submissionId":null,"msg":{"type":"thread_started","cwd":"/w","model":"m","approvalPolicy":"on-request","sandbox":"workspace-write","box":"bubblewrap","rolloutPath":"…"}}';

  it('are the lines of the page', () => {
    expect(JSON.stringify(eventSchema.parse(JSON.parse(started)))).toBe(started);
  });

  it.each([
    { type: 'item_delta', itemId: 'i', kind: 'output', text: 'x', stream: 'stderr' },
    {
      type: 'token_count',
      last: { input: 1, cachedInput: 0, output: 1, reasoning: 0, total: 2 },
      total: { input: 1, cachedInput: 0, output: 1, reasoning: 0, total: 2 },
      contextWindow: null,
      estimated: true,
    },
    { type: 'turn_diff', unifiedDiff: '--- a/x\n+++ b/x\n' },
    {
      type: 'approval_requested',
      approvalId: 'a',
      itemId: 'i',
      callId: 'c',
      kind: 'escalation',
      command: 'ls',
      cwd: '/w',
      reason: { source: 'hint', id: 'x', text: 'Because.' },
      justification: 'May I?',
      choices: ['approved', 'denied', 'abort'],
    },
    { type: 'approval_resolved', approvalId: 'a', decision: { denied: {} }, by: 'non_interactive' },
    { type: 'stream_error', kind: 'rate_limited', message: 'm', attempt: 1, of: 6, retryInMs: 200 },
    { type: 'error', kind: 'auth', message: 'm', detail: 'd', action: 'set_api_key' },
    { type: 'turn_completed', lastMessage: null },
    { type: 'turn_aborted', reason: 'replaced' },
  ])('%j is one', (msg) => {
    expect(eventMsgSchema.parse(msg)).toEqual(msg);
  });

  it('may have unknown fields', () => {
    expect(eventMsgSchema.parse({ type: 'warning', message: 'm', later: 1 })).toEqual({
      type: 'warning',
      message: 'm',
    });
  });
});

describe('items', () => {
  const base = { id: 'i', status: 'completed' };
  it.each([
    { ...base, type: 'user_message', content: text },
    { ...base, type: 'agent_message', text: 'hi' },
    { ...base, type: 'reasoning', summary: ['s'], raw: 'r' },
    { ...base, type: 'plan', explanation: 'e', steps: [{ step: 's', status: 'pending' }] },
    {
      ...base,
      type: 'command_execution',
      callId: 'c',
      command: 'ls',
      argv: ['ls'],
      cwd: '/w',
      box: 'seatbelt',
      exitCode: null,
      durationMs: 1,
      processId: 'p',
      output: '',
    },
    {
      ...base,
      type: 'file_change',
      callId: 'c',
      changes: [{ path: 'a', kind: 'update', movedTo: 'b', added: 1, removed: 0, decision: 'partial' }],
      diff: 'd',
    },
    {
      ...base,
      type: 'mcp_tool_call',
      callId: 'c',
      server: 's',
      tool: 't',
      arguments: {},
      error: 'no',
      durationMs: 1,
    },
    {
      ...base,
      type: 'dynamic_tool_call',
      callId: 'c',
      tool: 't',
      arguments: {},
      contentItems: [],
      success: null,
    },
    { ...base, type: 'web_search', query: 'q' },
    { ...base, type: 'image_view', path: '/w/a.png' },
    { ...base, type: 'file_lookup', callId: 'c', action: 'list', path: 'src' },
    { ...base, type: 'code_navigation', callId: 'c', op: 'symbols', path: 'a.ts', found: 3, text: 't' },
    { ...base, type: 'web_fetch', callId: 'c', url: 'https://a.example/', httpStatus: 200, text: 't' },
    { ...base, type: 'hook_run', event: 'Stop', command: 'c', source: 's', effect: 'none', durationMs: 1 },
    { ...base, type: 'user_question', callId: 'c', questions: [], answers: { q: ['a'] } },
    { ...base, type: 'sub_agent', agentId: 'a', role: 'r', agentState: 'running' },
    { ...base, type: 'code_review', target: { type: 'branch', branch: 'main' }, agentId: 'a', findings: [], text: '' },
    { ...base, type: 'compaction', beforeTokens: 2, afterTokens: 1, summary: 's' },
  ])('$type is one', (item) => {
    expect(turnItemSchema.parse(item)).toEqual(item);
  });
});

describe('rules.json', () => {
  it('is the example of the page', () => {
    const example = {
      version: 1,
      rules: [
        {
          pattern: ['git', ['status', 'log']],
          decision: 'prompt',
          justification: 'because',
          match: ['git status'],
          not_match: [['git', 'push']],
        },
      ],
    };
    expect(rulesFileSchema.parse(example)).toEqual(example);
  });
});

describe('protocol.schema.json', () => {
  const { schemas } = JSON.parse(JSON.stringify(protocolSchema())) as {
    schemas: Record<string, { anyOf?: unknown[]; oneOf?: unknown[]; required?: string[]; properties?: object }>;
  };

  it('has a schema for everything that the command line reads or writes', () => {
    expect(Object.keys(schemas).toSorted()).toEqual([
      'Event',
      'ResponseItem',
      'RulesFile',
      'SubmissionLine',
      'TurnItem',
    ]);
  });

  it('lists the fields of each event, and every kind of event, item and op', () => {
    expect(schemas.Event?.required?.toSorted()).toEqual(
      ['at', 'msg', 'seq', 'submissionId', 'threadId', 'turnId', 'v'].toSorted(),
    );
    const names = (schema: unknown) =>
      new Set([...JSON.stringify(schema).matchAll(/"const":"([a-z_]+)"/g)].map(([, name]) => name));
    for (const option of eventMsgSchema.options) expect(names(schemas.Event)).toContain(option.shape.type.value);
    for (const option of turnItemSchema.options) expect(names(schemas.TurnItem)).toContain(option.shape.type.value);
    for (const option of opSchema.options) expect(names(schemas.SubmissionLine)).toContain(option.shape.type.value);
  });
});
