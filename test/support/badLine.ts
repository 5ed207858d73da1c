/**
 * Simulates faults between a server and a client: a real HTTP relay on loopback that forwards the request and damages
 * the response. It works for any server, with or without a script (the demo model).
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Spoiling =
  /** No fault. */
  | { readonly type: 'none' }
  /** The socket is closed after this number of bytes of the body. */
  | { readonly type: 'cuts'; readonly after: number }
  /** The body ends after this number of bytes, without an error. */
  | { readonly type: 'ends'; readonly after: number }
  /** After this number of bytes nothing more is sent, and the connection stays open. */
  | { readonly type: 'hangs'; readonly after: number }
  /** An invalid event is inserted after this number of bytes, which must be the end of an event. */
  | { readonly type: 'garbles'; readonly after: number }
  /** The request is not forwarded. */
  | { readonly type: 'fails'; readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export interface BadLine extends AsyncDisposable {
  readonly baseUrl: string;
  spoiling: Spoiling;
  /** The body of the last response, as far as the server sent it. */
  readonly lastBody: Buffer;
}

export async function startBadLine(target: string): Promise<BadLine> {
  let lastBody: Buffer = Buffer.alloc(0);
  const server = http.createServer((request, response) => {
    const { spoiling } = line;
    if (spoiling.type === 'fails') {
      response.writeHead(spoiling.status, { 'content-type': 'application/json', ...spoiling.headers });
      response.end(JSON.stringify({ error: { message: 'The line is bad.' } }));
      return;
    }
    const { pathname } = new URL(target);
    const url = new URL((request.url ?? '/').replace('/v1', pathname), target);
    const onward = http.request(url, { method: request.method, headers: request.headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        lastBody = Buffer.concat(chunks);
        const { 'content-length': _length, ...headers } = answer.headers;
        response.writeHead(answer.statusCode ?? 0, headers);
        spoil(lastBody, spoiling, response);
      });
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const line: BadLine = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    spoiling: { type: 'none' },
    get lastBody() {
      return lastBody;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return line;
}

function spoil(body: Buffer, spoiling: Exclude<Spoiling, { type: 'fails' }>, response: http.ServerResponse): void {
  if (spoiling.type === 'none') {
    response.end(body);
    return;
  }
  const { after } = spoiling;
  // The headers must be sent before the socket is closed.
  response.write(body.subarray(0, after), () => {
    switch (spoiling.type) {
      case 'cuts':
        response.socket?.destroy();
        break;
      case 'ends':
        response.end();
        break;
      case 'garbles':
        response.end(Buffer.concat([Buffer.from('data: {"half": \n\n'), body.subarray(after)]));
        break;
      case 'hangs':
        break;
    }
  });
  if (after === 0) response.flushHeaders();
}
