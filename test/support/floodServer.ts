/** A real HTTP server that sends an endless or far too large response, as fast as the client reads. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

export interface Flood {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the body in pieces. Each piece is sent when the client has read the one before it. */
  readonly body: () => Iterable<string | Buffer> | AsyncIterable<string | Buffer>;
  readonly gzip?: boolean;
}

export interface FloodServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** The number of bytes of bodies that were written to sockets, over all requests. */
  readonly sent: number;
  readonly requests: number;
}

export async function startFloodServer(flood: Flood): Promise<FloodServer> {
  let sent = 0;
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests++;
    request.resume().on('end', () => {
      const encoding = flood.gzip ? { 'content-encoding': 'gzip' } : {};
      response.writeHead(flood.status ?? 200, { 'content-type': 'text/event-stream', ...encoding, ...flood.headers });
      const source = Readable.from(flood.body(), { objectMode: true });
      const body = flood.gzip ? source.pipe(createGzip({ level: 1 })) : source;
      body.on('data', (piece: string | Buffer) => {
        sent += piece.length;
      });
      // These tests intend that the client closes the connection during the response.
      response.on('close', () => source.destroy());
      response.on('error', () => {});
      body.pipe(response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get sent() {
      return sent;
    },
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
