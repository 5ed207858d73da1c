import type { TurnItem, TurnItemOf, TurnItemType } from '../../src/protocol/item.ts';

/** One item of each kind, in progress, with all optional texts. A new kind does not compile without an entry. */
export const SAMPLE_ITEMS: { readonly [Type in TurnItemType]: TurnItemOf<Type> } = {
  user_message: { ...base('user_message'), content: [{ type: 'text', text: 'said by the user' }] },
  agent_message: { ...base('agent_message'), text: 'said by the model' },
  reasoning: { ...base('reasoning'), summary: ['first', 'second'], raw: 'raw thought' },
  plan: { ...base('plan'), explanation: 'why so', steps: [{ step: 'look', status: 'pending' }] },
  command_execution: {
    ...base('command_execution'),
    callId: 'call',
    command: 'ls',
    argv: ['ls'],
    cwd: '/w',
    box: 'none',
    exitCode: null,
    durationMs: 0,
    output: 'a.txt',
  },
  process_interaction: {
    ...base('process_interaction'),
    callId: 'call',
    processId: 'p',
    command: 'npm run dev',
    chars: 'q',
  },
  file_change: {
    ...base('file_change'),
    callId: 'call',
    changes: [{ path: 'a.txt', kind: 'update', movedTo: 'b.txt', added: 1, removed: 1 }],
    diff: '@@',
    patch: '*** Begin',
  },
  mcp_tool_call: {
    ...base('mcp_tool_call'),
    callId: 'call',
    server: 'docs',
    tool: 'find',
    arguments: { q: 'rain' },
    durationMs: 0,
  },
  dynamic_tool_call: {
    ...base('dynamic_tool_call'),
    callId: 'call',
    tool: 'open',
    arguments: { q: 'rain' },
    contentItems: [],
    success: null,
  },
  web_search: { ...base('web_search'), query: 'weather' },
  image_view: { ...base('image_view'), path: 'a.png', width: 2, height: 1 },
  file_lookup: { ...base('file_lookup'), callId: 'call', action: 'search', path: 'src', pattern: 'rain' },
  code_navigation: { ...base('code_navigation'), callId: 'call', op: 'references', symbol: 'rain', found: 2 },
  web_fetch: { ...base('web_fetch'), callId: 'call', url: 'https://a.example/b', text: 'rain' },
  hook_run: {
    ...base('hook_run'),
    event: 'PreToolUse',
    command: './check.sh',
    source: 'tiller.hooks',
    effect: 'blocked',
    text: 'no rain',
    durationMs: 3,
  },
  user_question: {
    ...base('user_question'),
    callId: 'call',
    questions: [{ id: 'q', header: 'Rain', question: 'Which rain?', options: [{ label: 'Soft', description: 'few' }] }],
    answers: { q: ['Soft'] },
  },
  sub_agent: { ...base('sub_agent'), agentId: 'a', role: 'scout', agentState: 'running', lastMessage: 'found' },
  code_review: {
    ...base('code_review'),
    target: { type: 'uncommitted' },
    agentId: 'a',
    findings: [{ id: '1', title: 'Rain', body: 'It rains.', path: 'a.txt', state: 'open' }],
    text: 'so wet',
  },
  compaction: { ...base('compaction'), beforeTokens: 2, afterTokens: 1, summary: 'so far' },
};

/** `SAMPLE_ITEMS`, and items whose texts are still empty. */
export const sampleItems: readonly TurnItem[] = [
  ...Object.values(SAMPLE_ITEMS),
  { ...base('reasoning'), summary: [] },
  { ...base('file_change'), callId: 'call', changes: [], diff: '' },
];

function base<Type extends TurnItemType>(type: Type) {
  return { id: `item-${type}`, type, status: 'in_progress' } as const;
}
