import type { IncomingMessage } from 'node:http';
import { ReadableStream } from 'node:stream/web';

/**
 * A response's bytes as they arrive, no faster than they are read. Written out, because `Readable.toWeb` throws where
 * nobody can catch it when the reader leaves while the connection breaks.
 */
export function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let isOpen = true;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const finish = (end: () => void) => {
          if (isOpen) end();
          isOpen = false;
        };
        incoming.on('data', (chunk: Buffer) => {
          if (!isOpen) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once('end', () => finish(() => controller.close()));
        incoming.on('error', (error) => finish(() => controller.error(error)));
        incoming.once('close', () =>
          finish(() => controller.error(new Error('The connection was closed before the response was complete.'))),
        );
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        isOpen = false;
        incoming.destroy();
      },
    },
    { highWaterMark: 16 },
  );
}
