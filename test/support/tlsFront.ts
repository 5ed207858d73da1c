/**
 * An HTTPS server in front of an HTTP server, and a proxy that opens tunnels: for tests of certificates and proxies.
 */
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';

export interface Front extends AsyncDisposable {
  readonly port: number;
  /** The addresses to which it was asked to connect; empty for an HTTPS server. */
  readonly asked: readonly string[];
}

/** Starts an HTTPS server with this key and certificate. It forwards all bytes to the server at this address. */
export async function startTlsFront(baseUrl: string, pem: string): Promise<Front> {
  const { port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  const server = tls.createServer({ key: pem, cert: pem }, (socket) => {
    join(socket, net.connect(Number(port), '127.0.0.1'), sockets);
  });
  // A client that refuses the certificate causes this error.
  server.on('tlsClientError', () => {});
  return listening(server, sockets, []);
}

/** Starts an HTTPS proxy. Each tunnel leads to this port, whatever its host name; other requests are refused. */
export async function startTunnelProxy(target: number): Promise<Front> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, socket: Socket) => {
    asked.push(request.url ?? '');
    const onward = net.connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      join(socket, onward, sockets);
    });
    onward.on('error', () => socket.destroy());
  });
  return listening(server, sockets, asked);
}

function join(left: Socket, right: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const) {
    sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}

async function listening(server: net.Server, sockets: ReadonlySet<Socket>, asked: readonly string[]): Promise<Front> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      if (server instanceof http.Server) server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
