/**
 * Detects that a server refused a request because of an image, by the messages of known servers:
 *
 * - OpenAI: “The image data you provided does not represent a valid image …”, “You uploaded an unsupported image …”,
 *   “Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user' …”, and in a stream the codes
 *   `invalid_image`, `image_parse_error`, `unsupported_image_media_type` and similar ones
 * - Anthropic: “Could not process image”; Gemini: “Provided image is not valid.”, “Unable to process input image”
 * - DeepSeek: “unknown variant `image_url`, expected `text`”; Volcengine: “… the image format is not supported …”
 * - Zhipu: “图片输入格式/解析错误”
 * - Ollama: “this model does not support image input”; OpenRouter (404): “No endpoints found that support image input”
 * - llama.cpp (500): “image input is not supported … mmproj”, “Unsupported content part type: "image_url"”
 * - vLLM: “At most 0 image(s) may be provided in one prompt.”, “… is not a multimodal model”
 * - servers without content parts: “content must be a string”, “cannot unmarshal array into Go struct field …content”
 * - Mistral: “Unexpected role 'user' after role 'tool'”, the place of images of tool outputs
 */
import type { ErrorKind } from '../../protocol/policy.ts';
import type { ModelFault } from './client.ts';

/** The Chinese words mean picture and image. */
const MENTIONS_IMAGE = /image|multi-?modal|\bvision\b|mmproj|\u56fe\u7247|\u56fe\u50cf/i;
const TAKES_TEXT_ONLY =
  /content\b.{0,40}\bmust be a string|expected a string|cannot unmarshal array into .*content|role\W+user\W+after role\W+tool/i;

/** Kinds that mean that the request itself is wrong. */
const KINDS: ReadonlySet<ErrorKind> = new Set([
  'invalid_request',
  'bad_response',
  'config',
  'model_not_found',
  'context_exceeded',
  'content_filter',
]);
const STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 415, 422, 500, 501]);

/** An error inside a stream begins with its code. */
const IN_STREAM_CODE = /^(?:\w*image\w*|invalid_request\w*|invalid_value|bad_?request\w*|4\d\d|50[01])(?::|$)/i;

/** Call only for requests that contain an image. */
export function refusesImage({ kind, status, detail = '' }: ModelFault): boolean {
  if (!KINDS.has(kind)) return false;
  const isAboutRequest = status === undefined ? IN_STREAM_CODE.test(detail) : STATUSES.has(status);
  return isAboutRequest && (MENTIONS_IMAGE.test(detail) || TAKES_TEXT_ONLY.test(detail));
}
