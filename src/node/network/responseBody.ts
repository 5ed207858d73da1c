import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ownValue } from '../../protocol/ownValue.ts';

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** False where `decoded` leaves the bytes as they are because it does not know their encoding. */
export function isKnownEncoding(encoding: string | null): boolean {
  const name = encoding?.trim().toLowerCase() ?? '';
  return name === '' || name === 'identity' || ownValue(DECODERS, name) !== undefined;
}

/** The decompressed bytes; unchanged for an unknown encoding. */
export function decoded(incoming: IncomingMessage, encoding: string | null): Readable {
  const decoder = ownValue(DECODERS, encoding?.trim().toLowerCase() ?? '');
  // `pipeline` ends both streams together; the reader gets errors from the one it reads.
  return decoder === undefined ? incoming : pipeline(incoming, decoder(), () => {});
}

/**
 * A response's bytes as they arrive, no faster than they are read. Not by `Readable.toWeb`, which throws an uncatchable
 * error when the reader cancels while the connection breaks.
 */
export function bodyOf(incoming: Readable): ReadableStream<Uint8Array> {
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
