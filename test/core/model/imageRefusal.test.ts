/** Messages of real servers; imageRefusal.ts and the comments beside them name the sources. */
import { expect, it } from 'vitest';
import type { ModelFault } from '../../../src/core/model/client.ts';
import { httpFault, inStreamFault, malformedFault } from '../../../src/core/model/faults.ts';
import { refusesImage } from '../../../src/core/model/imageRefusal.ts';

const http = (status: number, message: string, more: object = {}) =>
  httpFault(status, new Headers(), { error: { message, ...more } }, new Date(0));

it.each<[string, ModelFault]>([
  // OpenAI; github.com/OpenHands/OpenHands/issues/7700, openai/openai-node/issues/1030, marketing-factory/ai-filemetadata/issues/20
  [
    'OpenAI, role',
    http(
      400,
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    ),
  ],
  ['OpenAI, data', http(400, 'The image data you provided does not represent a valid image.')],
  ['OpenAI, type', http(400, "You uploaded an unsupported image. … formats: ['png', 'jpeg', 'gif', 'webp'].")],
  ['OpenAI, model', http(400, 'Invalid content type. image_url is only supported by certain models.')],
  ['OpenAI, in a stream', inStreamFault({ error: { code: 'image_parse_error', message: 'Cannot parse.' } })],
  ['OpenAI, in a stream', inStreamFault({ error: { code: 'invalid_base64_image', message: 'No.' } })],
  // github.com/anthropics/claude-code/issues/2519
  ['Anthropic', http(400, 'Could not process image', { type: 'invalid_request_error' })],
  [
    'Anthropic, in a stream',
    inStreamFault({ error: { type: 'invalid_request_error', message: 'Could not process image' } }),
  ],
  // github.com/google-gemini/gemini-cli/issues/27244
  ['Gemini', http(400, 'Provided image is not valid.', { code: 400 })],
  // github.com/jxxghp/MoviePilot/issues/5863
  [
    'DeepSeek',
    http(
      400,
      'Failed to deserialize the JSON body into the target type: messages[137]: unknown variant `image_url`, expected `text`',
    ),
  ],
  // github.com/ollama/ollama/issues/17301, danny-avila/LibreChat/issues/2494
  ['Ollama', http(400, 'this model does not support image input')],
  [
    'Ollama, long ago',
    http(400, 'json: cannot unmarshal array into Go struct field Message.messages.content of type string'),
  ],
  // github.com/ggml-org/llama.cpp/issues/12947
  ['llama.cpp', http(500, 'Failed to parse messages: Unsupported content part type: "image_url"')],
  ['OpenRouter', http(404, 'No endpoints found that support image input')],
  ['vLLM', http(400, 'At most 0 image(s) may be provided in one prompt.')],
  [
    'Groq',
    http(
      400,
      "'messages.3' : for 'role:user' the following must be satisfied[('messages.3.content' : value must be a string)]",
    ),
  ],
  ['Mistral', http(400, "Unexpected role 'user' after role 'tool'")],
  // github.com/vybestack/llxprt-code/issues/3693
  ['Zhipu', http(400, '[1210][图片输入格式/解析错误]')],
  ['a gateway', http(413, 'image exceeds 5 MB maximum')],
])('%s refuses the image', (_server, fault) => {
  expect(refusesImage(fault)).toBe(true);
});

it.each<[string, ModelFault]>([
  ['another field', http(400, "Unsupported parameter: 'reasoning.effort'")],
  ['no key', http(401, 'image input needs a key')],
  ['too many requests', http(429, 'Rate limit reached for images')],
  ['no capacity', http(503, 'The image model is overloaded')],
  ['an end without a reason', inStreamFault({ error: { code: 'server_error', message: 'image worker died' } })],
  ['words that are no event', malformedFault('{"text":"an image of')],
])('%s is no refusal of an image', (_fault, fault) => {
  expect(refusesImage(fault)).toBe(false);
});
