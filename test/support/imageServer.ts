/**
 * A model server that refuses requests for their images as real ones do. The messages are those of OpenAI for a tool
 * message (github.com/OpenHands/OpenHands/issues/7700, openai/openai-node/issues/1030) and of data that cannot be decoded
 * (github.com/acoyfellow/my-ax/issues/89); Responses has no rule about roles.
 */
import { fails, type ModelRequest, type ModelScript, type Step } from './modelServer.ts';

export interface ImageServerOptions {
  /** Returns true for an image that the server cannot decode, in addition to data that does not begin like an image. */
  readonly refuses?: (bytes: Buffer) => boolean;
}

/** Returns a script that gives the responses in order and skips refused requests, which `refusals` counts. */
export function imageServer(
  answers: readonly (readonly Step[])[],
  { refuses = () => false }: ImageServerOptions = {},
): { readonly script: ModelScript; refusals: number } {
  let next = 0;
  const server = {
    refusals: 0,
    script: (request: ModelRequest): readonly Step[] => {
      const refusal = refusalOf(request, refuses);
      if (refusal === undefined) return answers[next++] ?? fails418;
      server.refusals += 1;
      return [fails(400, { message: refusal, type: 'invalid_request_error' })];
    },
  };
  return server;
}

const fails418: readonly Step[] = [fails(418, { message: 'The script is over.' })];

function refusalOf(request: ModelRequest, refuses: (bytes: Buffer) => boolean): string | undefined {
  for (const [index, element] of request.input.entries()) {
    const urls = imagesIn(element);
    if (urls.length > 0 && request.wire === 'chat' && element['role'] !== 'user') {
      return `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${String(element['role'])}' contains an image URL.`;
    }
    for (const url of urls) {
      if (!url.startsWith('data:')) continue;
      const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
      const start = bytes.toString('latin1', 0, 8);
      const known = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'GIF8', 'RIFF'].some((magic) => start.startsWith(magic));
      if (!known || refuses(bytes)) {
        return "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].";
      }
    }
  }
  return undefined;
}

/** Returns the URLs of all images in an element of a request, on any wire. */
export function imagesIn(element: unknown): readonly string[] {
  if (Array.isArray(element)) return element.flatMap(imagesIn);
  if (typeof element !== 'object' || element === null) return [];
  const { type, image_url: image } = element as { type?: unknown; image_url?: unknown };
  if (type === 'input_image') return [String(image)];
  if (type === 'image') {
    const { source } = element as { source: { url?: string; media_type?: string; data?: string } };
    return [source.url ?? `data:${source.media_type};base64,${source.data}`];
  }
  if (type === 'image_url') return [String((image as { url: unknown }).url)];
  return Object.values(element).flatMap(imagesIn);
}
