// The intended differences between our first Responses request and the reference's, as facts of requestFacts.mjs.
// Fields that are equal are not listed; a listed field that does not differ fails the oracle, too.

/** The differences by the name of the fact, each with both values and the reason. */
export const INTENDED = {
  instructions: {
    codex: undefined,
    ours: 'prose',
    why: 'As designed, base instructions are a field of their own; codex sends them as a developer message to this model.',
  },
  reasoning: {
    codex: { effort: 'medium' },
    ours: { effort: 'medium', summary: 'auto' },
    why: 'The panel shows summaries (seed: `auto`); codex takes "none" for this model from its catalogue.',
  },
  client_metadata: { codex: 'present', ours: undefined, why: 'Telemetry; we have none.' },
  'input: parts': {
    codex: [
      'developer input_text base instructions',
      'developer input_text skills',
      'developer input_text permissions',
      'developer input_text tools',
      'user input_text agents',
      'user input_text environment',
      'user input_text words',
    ],
    ours: [
      'developer input_text permissions',
      'user input_text agents',
      'user input_text environment',
      'user input_text words',
    ],
    why: 'Instructions as above; we ship no skills of our own and defer no tools.',
  },
  'input: parts of each item': {
    codex: [1, 3, 2, 1],
    ours: [1, 1, 1, 1],
    why: 'One message a fragment, so that each can be told again alone when it changes.',
  },
  'input: keys of an item': {
    codex: ['content', 'id', 'role', 'type'],
    ours: ['content', 'role', 'type'],
    why: 'As designed, ids are left out where nothing is stored.',
  },
  'input: environment approval_policy': { codex: undefined, ours: 'on-request', why: 'A field of the seeds.' },
  'input: environment sandbox_mode': { codex: undefined, ours: 'workspace-write', why: 'A field of the seeds.' },
  'input: environment network_access': { codex: undefined, ours: 'restricted', why: 'A field of the seeds.' },
  'input: environment writable_roots': { codex: undefined, ours: 'present', why: 'A field of the seeds.' },
  'input: environment filesystem': {
    codex: 'present',
    ours: undefined,
    why: 'Says what writable_roots and the permissions message say.',
  },
  'tools: order': {
    codex: [
      'exec_command',
      'write_stdin',
      'request_user_input',
      'apply_patch',
      'view_image',
      'get_goal',
      'create_goal',
      'update_goal',
      'tool_search',
      'web_search',
    ],
    ours: ['exec_command', 'write_stdin', 'apply_patch', 'update_plan'],
    why: 'update_plan is part of the design, goals and deferred tools are not. The others are not built yet: change this with them.',
  },
  'tools: exec_command, parameters': {
    codex: [
      'cmd: string',
      'justification: string',
      'login: boolean',
      'max_output_tokens: number',
      'prefix_rule: array',
      'sandbox_permissions: string',
      'shell: string',
      'tty: boolean',
      'workdir: string',
      'yield_time_ms: number',
    ],
    ours: [
      'cmd: string',
      'justification: string',
      'login: boolean',
      'max_output_tokens: number',
      'prefix_rule: array',
      'sandbox_permissions: string',
      'shell: string',
      'timeout_ms: number',
      'tty: boolean',
      'workdir: string',
      'yield_time_ms: number',
    ],
    why: 'A limit of time, for commands that are to end rather than to stay open.',
  },
};
