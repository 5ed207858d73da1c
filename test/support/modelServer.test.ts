import { expect, test } from 'vitest';
import { ModelServer, pairingBreaches, says } from './modelServer.ts';
import { rawElements, rawValue } from './modelRequest.ts';

test('elements have exactly the characters that were sent', () => {
  const json = '{ "a": "x]}\\"", "input" : [ {"t":"[1,2]"} , 3,"s" , [ ] ], "tools": [] }';
  expect(rawElements(rawValue(json, 'input'))).toEqual(['{"t":"[1,2]"}', '3', '"s"', '[ ]']);
  expect(rawValue(json, 'tools')).toBe('[]');
  expect(rawValue(json, 'none')).toBeUndefined();
});

test('calls and outputs must be pairs', () => {
  const call = { type: 'function_call', call_id: 'a' };
  const output = { type: 'function_call_output', call_id: 'a' };
  const of = (...input: Record<string, unknown>[]) => pairingBreaches({ wire: 'responses', input });
  expect(of(call, output)).toEqual([]);
  expect(of(call)).toEqual(['the call a has no output']);
  expect(of(output)).toEqual(['an output for a answers no open call']);
  expect(of(call, output, output)).toEqual(['an output for a answers no open call']);
  expect(of(call, call, output)).toEqual(['two calls share the id a']);

  const chat = (...input: Record<string, unknown>[]) => pairingBreaches({ wire: 'chat', input });
  const asks = { role: 'assistant', tool_calls: [{ id: 'a' }] };
  const answers = { role: 'tool', tool_call_id: 'a' };
  expect(chat(asks, answers, { role: 'user' })).toEqual([]);
  expect(chat(asks, { role: 'user' }, answers)).toEqual([
    'the call a has no output before the next message',
    'a tool message for a answers no open call',
  ]);
});

test('reasoning must be followed by an item of the model', () => {
  const of = (...input: Record<string, unknown>[]) => pairingBreaches({ wire: 'responses', input });
  const thought = { type: 'reasoning', id: 'r' };
  expect(of(thought, { type: 'message', role: 'assistant' }, { type: 'message', role: 'user' })).toEqual([]);
  expect(of(thought, { type: 'message', role: 'user' })).toEqual(['the reasoning r stands alone before a message']);
});

test('a response can be sent at once', async () => {
  const server = await ModelServer.start([[says('one'), says('two')]], { atOnce: true });
  const response = await fetch(`${server.baseUrl}/responses`, { method: 'POST', body: '{"input":[]}' });
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toContain('response.completed');
  await server.close();
});

test('an unexpected request fails the test', async () => {
  const server = await ModelServer.start([[says('a')]]);
  const post = () => fetch(`${server.baseUrl}/responses`, { method: 'POST', body: '{"input":[]}' });
  expect(await (await post()).text()).toContain('response.completed');
  expect((await post()).status).toBe(400);
  await expect(server.close()).rejects.toThrow('the script has no answer for request 2');
});
