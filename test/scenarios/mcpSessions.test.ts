/** Sessions and streams of MCP servers over HTTP that end at a bad moment. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { mcpScenario, statusOf } from '../support/mcpServers.ts';
import { calls, says } from '../support/modelServer.ts';
import { startRawMcpServer } from '../support/rawMcpServer.ts';

const settings = (url: string) => ({ notes: { url, protocol: 'legacy', toolTimeoutMs: 60_000 } });

describe('an MCP server over HTTP', () => {
  test('that has forgotten the session gets the same call in a new one', async () => {
    await using server = await startRawMcpServer();
    await using made = await mcpScenario(settings(server.url), {
      model: [[calls('mcp__notes__echo'), calls('mcp__notes__echo')], [says('Done.')]],
    });
    server.sessions.clear();
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['still here', 'still here']);
    expect(server.requests.filter((method) => method === 'initialize')).toHaveLength(2);
    expect(made.mcp.servers.get('notes')?.status.type).toBe('ready');
  });

  test('that has forgotten the session for good ends the call', async () => {
    await using server = await startRawMcpServer();
    await using made = await mcpScenario(settings(server.url), {
      model: [[calls('mcp__notes__echo')], [says('Done.')]],
    });
    server.sessions.clear();
    server.sessions.add = () => server.sessions;
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual([
      expect.stringMatching(/^tool call error: The MCP server notes is not running\. It answered with HTTP 404\./),
    ]);
  });

  test('that ends its stream without an answer fails the call at once, unless the stream can be resumed', async () => {
    await using server = await startRawMcpServer();
    const tools = ['cut', 'end', 'lost', 'resume', 'echo'];
    await using made = await mcpScenario(settings(server.url), {
      model: [tools.map((tool) => calls(`mcp__notes__${tool}`)), [says('Done.')]],
    });
    await made.chat.send('go');
    const failed = 'tool call error: It closed the connection before it had answered.';
    expect(made.chat.outputs()).toEqual([failed, failed, failed, 'resumed', 'still here']);
  });

  test('that only accepts a request fails the call at once, and stays in use', async () => {
    await using server = await startRawMcpServer();
    const tools = ['accept', 'nothing', 'echo'];
    await using made = await mcpScenario(settings(server.url), {
      model: [tools.map((tool) => calls(`mcp__notes__${tool}`)), [says('Done.')]],
    });
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual([
      'tool call error: It answered the request with HTTP 202 and no message.',
      'tool call error: It answered the request with HTTP 204 and no message.',
      'still here',
    ]);
    expect(server.requests.filter((method) => method === 'initialize')).toHaveLength(1);
  });

  test('that answers in JSON without a response to the request fails the call at once, and stays in use', async () => {
    await using server = await startRawMcpServer();
    const tools = ['empty', 'other', 'unread', 'echo'];
    await using made = await mcpScenario(settings(server.url), {
      model: [tools.map((tool) => calls(`mcp__notes__${tool}`)), [says('Done.')]],
    });
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual([
      'tool call error: Its answer has no response to the request.',
      'tool call error: Its answer has no response to the request.',
      'tool call error: It failed: Parse error',
      'still here',
    ]);
  });

  test.each(['legacy', 'auto'])(
    'that only accepts the first request fails its start at once (%s)',
    async (protocol) => {
      const accepts = http.createServer((_, response) => void response.writeHead(202).end());
      await new Promise<void>((resolve) => {
        accepts.listen(0, '127.0.0.1', resolve);
      });
      const url = `http://127.0.0.1:${(accepts.address() as AddressInfo).port}/mcp`;
      await using made = await mcpScenario({ notes: { url, protocol, startupTimeoutMs: 60_000 } }, { model: [] });
      await statusOf(made.mcp, 'failed');
      expect(JSON.stringify(made.mcp.servers.get('notes')?.status)).toContain('HTTP 202 and no message');
      accepts.close();
      accepts.closeAllConnections();
    },
  );

  test('gets the end of its session', async () => {
    await using server = await startRawMcpServer();
    await using made = await mcpScenario(settings(server.url), { model: [] });
    await made.mcp.servers.get('notes')?.stop();
    await statusOf(made.mcp, 'stopped');
    expect(server.requests.at(-1)).toBe('DELETE');
    expect(server.sessions.size).toBe(0);
  });
});
