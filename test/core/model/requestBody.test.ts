import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import { expect, it } from 'vitest';
import { RequestWriter } from '../../../src/core/model/requestBody.ts';

it('a request body has fields in their order, and only fields and values of the openai package', () => {
  const responses = new RequestWriter<ResponseCreateParamsStreaming>(new Set(['store']));
  responses.add('model', 'm');
  responses.addJson('input', '[]');
  if (responses.takes('store')) responses.add('store', false);
  if (responses.takes('prompt_cache_key')) responses.add('prompt_cache_key', 'k');
  const chat = new RequestWriter<ChatCompletionCreateParamsStreaming>(new Set());
  // Never called: the compiler must refuse each of them.
  const mistakes = [
    // @ts-expect-error A field of the other wire.
    () => responses.add('messages', []),
    // @ts-expect-error A value that the field cannot have.
    () => responses.add('tool_choice', 'sometimes'),
    // @ts-expect-error A field of the other wire.
    () => chat.add('instructions', ''),
    // @ts-expect-error A stream option that does not exist.
    () => chat.add('stream_options', { usage: true }),
  ];
  expect(mistakes).toHaveLength(4);
  expect(responses.body()).toEqual({
    text: '{"model":"m","input":[],"prompt_cache_key":"k"}',
    sent: ['prompt_cache_key'],
  });
});
