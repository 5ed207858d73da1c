import type { Fetch } from '../../core/ports.ts';
import { webFetch } from './webFetch.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';

/** The fetch with a limit on the bytes that a server may send at once: a whole body, or one event of a stream. */
export function boundedFetch(fetch: Fetch): typeof globalThis.fetch {
  const send = webFetch(fetch);
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    let bytes = 0;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        // An empty line ends an event.
        bytes = isStream && hasEmptyLine(chunk) ? 0 : bytes + chunk.length;
        if (bytes > MAX_MESSAGE_BYTES)
          controller.error(new RangeError(`It sent more than ${MAX_MESSAGE_BYTES} bytes.`));
        else controller.enqueue(chunk);
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(counting), { status, headers });
  };
}

function hasEmptyLine(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return text.includes('\n\n') || text.includes('\r\n\r\n');
}
