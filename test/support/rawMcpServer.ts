/** An MCP server over HTTP without a library, in this process, which can lose sessions and connections. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Message = Readonly<Record<string, unknown>>;

/**
 * The tools of the server. `echo` returns its text. `cut` ends the connection and `end` the stream, both without an
 * answer. `resume` ends the stream after the id of an event, and answers when the stream is resumed. `lost` cannot be
 * resumed. `accept` and `nothing` answer without a body.
 */
const TOOLS = ['echo', 'cut', 'end', 'resume', 'lost', 'accept', 'nothing'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
}));

export async function startRawMcpServer() {
  const sessions = new Set<string>();
  const resumable = new Map<string, Message>();
  const requests: string[] = [];
  let ids = 0;
  const serve = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const body = await text(request);
    const message = body === '' ? {} : (JSON.parse(body) as { id?: unknown; method?: string; params?: Message });
    const session = request.headers['mcp-session-id'];
    const { id, method = '' } = message;
    requests.push(
      method === 'tools/call' ? `${method} ${String(message.params?.['name'])}` : method || `${request.method}`,
    );
    const ends = (status: number) => void response.writeHead(status).end();
    const answers = (result: Message, headers: http.OutgoingHttpHeaders = {}) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    const says = (words: string) => ({ content: [{ type: 'text', text: words }] });
    if (method === 'initialize') {
      const made = `session-${++ids}`;
      sessions.add(made);
      const serverInfo = { name: 'raw', version: '1' };
      return answers(
        { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
        { 'mcp-session-id': made },
      );
    }
    if (typeof session !== 'string' || !sessions.has(session)) return ends(404);
    if (request.method === 'DELETE') return ends(sessions.delete(session) ? 200 : 404);
    if (request.method === 'GET') {
      const answer = resumable.get(String(request.headers['last-event-id']));
      if (answer === undefined) return ends(405);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end(`data: ${JSON.stringify(answer)}\n\n`);
    }
    if (method === 'tools/list') return answers({ tools: TOOLS });
    if (method !== 'tools/call') return ends(202);
    const tool = message.params?.['name'];
    if (tool === 'echo') return answers(says('still here'));
    if (tool === 'accept') return ends(202);
    if (tool === 'nothing') return ends(204);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (tool === 'cut') return void response.write(': one moment\n\n', () => response.destroy());
    if (tool === 'end') return void response.end();
    const event = `event-${++ids}`;
    if (tool === 'resume') resumable.set(event, { jsonrpc: '2.0', id, result: says('resumed') });
    response.end(`id: ${event}\nretry: 1\ndata: \n\n`);
  };
  const server = http.createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    /**
     * The methods of all requests; for calls of tools with the tool's name, for requests without a message the HTTP
     * method.
     */
    requests,
    sessions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
