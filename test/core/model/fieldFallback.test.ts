import { expect, test } from 'vitest';
import { ModelFault } from '../../../src/core/model/client.ts';
import { refusedBy, type Dispensable, RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import { calls, fails, ModelServer, says } from '../../support/modelServer.ts';
import { clientFor, collectResponse, prompt, userSays } from './harness.ts';

const EVERYTHING: readonly Dispensable[] = [
  'include',
  'store',
  'reasoning',
  'reasoning.effort',
  'reasoning.summary',
  'text.verbosity',
  'text.format',
  'prompt_cache_key',
  'parallel_tool_calls',
  'tool_choice',
  'stream_options',
  'developer_role',
  'custom_tools',
  'web_search',
  'local_shell',
];

test.each<[string, Dispensable | undefined]>([
  ["HTTP 400: Unknown parameter: 'include'.", 'include'],
  ['HTTP 400: Unrecognized request argument supplied: prompt_cache_key', 'prompt_cache_key'],
  ['HTTP 422: [{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]', 'store'],
  ["HTTP 400: Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning.effort'],
  [
    'HTTP 400: Your organization must be verified to generate reasoning summaries. (reasoning.summary)',
    'reasoning.summary',
  ],
  ["HTTP 400: Unsupported parameter: 'reasoning'", 'reasoning'],
  ['HTTP 400: unsupported tool type custom', 'custom_tools'],
  [
    "HTTP 400: Invalid value: 'custom'. Supported values are: 'function' and 'web_search'. (tools[1].type)",
    'custom_tools',
  ],
  ["HTTP 400: Invalid value: 'web_search'. Supported values are: 'function' and 'custom'.", 'web_search'],
  ["HTTP 400: tools[1].type must be 'function'", 'custom_tools'],
  [`HTTP 400: [{'loc': ('body', 'tools', 0, 'type'), 'msg': "Input should be 'function'"}]`, 'custom_tools'],
  ["HTTP 400: Invalid value: 'local_shell'. Supported values are: 'function'. (tools[0].type)", 'local_shell'],
  ['HTTP 400: stream_options is not supported', 'stream_options'],
  ["HTTP 400: Unexpected role 'developer'", 'developer_role'],
  ["HTTP 400: 'verbosity' is not supported with this model (text.verbosity)", 'text.verbosity'],
  ['HTTP 400: response_format json_schema is not supported', 'text.format'],
  ['HTTP 400: the request must include a model', undefined],
  ['HTTP 400: Invalid image: we could not store it', undefined],
  ['HTTP 400: prompt_cache_key was fine, we are just tired', undefined],
])('“%s” refuses %s', (detail, refused) => {
  const fault = new ModelFault('invalid_request', 'No.', { retryable: false, status: 400, detail });
  expect(refusedBy(fault, EVERYTHING)).toBe(refused);
  expect(refusedBy(fault, [])).toBeUndefined();
});

const CUSTOM = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
} as const;

test('a refused field is dropped once, reported once, and remembered for the provider', async () => {
  const refuse = (message: string) => [fails(400, { message })];
  const server = await ModelServer.start([
    refuse("Unknown parameter: 'include'."),
    refuse("Invalid value: 'custom'. Supported values are: 'function'."),
    [calls('apply_patch', { input: '***' })],
    [says('Done.')],
  ]);
  const refused = new RefusedFields();
  const provider = { id: 'acme', baseUrl: server.baseUrl, dialect: 'openai' } as const;
  const first = await collectResponse(clientFor(provider, { refused }), prompt({ tools: [CUSTOM] }));
  expect(first.events.filter((event) => event.type === 'warning')).toEqual([
    { type: 'warning', message: '“acme” does not take “include”; it is left out from now on.' },
    { type: 'warning', message: '“acme” does not support free-text tools; they are offered as functions from now on.' },
  ]);
  expect(first.items).toMatchObject([{ type: 'custom_tool_call', input: '***' }]);

  // Another client of the same provider: nothing is refused again.
  const call_id = 'call_1';
  const input = [
    userSays('Hello'),
    ...first.items,
    { type: 'custom_tool_call_output', call_id, output: 'ok' } as const,
  ];
  const second = await collectResponse(clientFor(provider, { refused }), prompt({ tools: [CUSTOM], input }));
  expect(second.events.some((event) => event.type === 'warning')).toBe(false);
  expect(server.requests.map(({ body }) => 'include' in body)).toEqual([true, false, false, false]);
  expect(server.lastRequest.input.slice(1)).toEqual([
    { type: 'function_call', call_id, name: 'apply_patch', arguments: '{"input":"***"}' },
    { type: 'function_call_output', call_id, output: 'ok' },
  ]);
  await server.close();
});

test('a 400 for any other reason is final', async () => {
  const server = await ModelServer.start([[fails(400, { message: "Invalid value for 'model'" })]]);
  const { fault } = await collectResponse(clientFor({ baseUrl: server.baseUrl, dialect: 'openai' }));
  expect(fault).toMatchObject({ kind: 'invalid_request', retryable: false });
  await server.close();
});
