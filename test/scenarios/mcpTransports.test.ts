/** MCP servers of both eras of the protocol, over stdio and HTTP. */
import { describe, expect, test } from 'vitest';
import { DEATHS, everything, everythingHttp, mcpScenario, modern, modernHttp } from '../support/mcpServers.ts';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';

const LONG = 60_000;

describe.skipIf(noSandbox)('the reference server', { timeout: LONG }, () => {
  test('answers calls over stdio, in the sandbox', async () => {
    await using made = await mcpScenario(
      { everything: everything() },
      {
        policy: 'never',
        model: [
          [calls('mcp__everything__echo', { message: 'hello' }), calls('mcp__everything__get-sum', { a: 2, b: 3 })],
          [says('Done.')],
        ],
      },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['Echo: hello', 'The sum of 2 and 3 is 5.']);
    const offered = made.chat.server.requests[0]?.toolNames ?? [];
    expect(offered).toContain('mcp__everything__echo');
    expect(offered).not.toContain('mcp__everything__simulate-research-query');
    const log = made.mcp.servers.get('everything')?.log.text;
    expect(log).toContain('The tool simulate-research-query is left out');
  });
});

describe.skipIf(noSandbox)('a server of both eras', { timeout: LONG }, () => {
  test.each([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ])('is spoken to with protocol %s as %s', async (protocol, version) => {
    await using made = await mcpScenario(
      { modern: modern({ protocol }) },
      { model: [[calls('mcp__modern__add', { a: 2, b: 3 })], [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['5']);
    const { status } = made.mcp.servers.get('modern') ?? {};
    expect(status?.type === 'ready' && status.connection.info.protocolVersion).toBe(version);
  });
});

describe('a server behind HTTP', { timeout: LONG }, () => {
  const patient = { startupTimeoutMs: 60_000 };

  test.each([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ])('of both eras is spoken to with protocol %s as %s', async (protocol, version) => {
    await using web = await modernHttp();
    await using made = await mcpScenario(
      { web: { url: web.url, protocol, ...patient } },
      { model: [[calls('mcp__web__add', { a: 2, b: 3 })], [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['5']);
    const { status } = made.mcp.servers.get('web') ?? {};
    expect(status?.type === 'ready' && status.connection.info.protocolVersion).toBe(version);
  });

  test('the reference server, is called without an entry about its era', async () => {
    await using web = await everythingHttp();
    await using made = await mcpScenario(
      { web: { url: web.url, ...patient } },
      { policy: 'never', model: [[calls('mcp__web__echo', { message: 'hi' })], [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['Echo: hi']);
  });

  test('gets its bearer token and headers; without them it needs an authorization', async () => {
    await using web = await modernHttp(['--token', 'open-sesame']);
    await using made = await mcpScenario(
      { good: { url: web.url, bearer: 'open-sesame', ...patient }, bad: { url: web.url, ...patient } },
      { model: [[calls('mcp__good__add', { a: 1, b: 1 })], [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['2']);
    expect(made.mcp.servers.get('bad')?.status).toMatchObject({
      type: 'needs_auth',
      message: 'It demands an authorization.',
    });
  });

  test('ends: calls fail with the reason, and the turn goes on', async () => {
    await using web = await modernHttp();
    await using made = await mcpScenario(
      { web: { url: web.url, ...patient } },
      { model: [[calls('mcp__web__add', { a: 1, b: 1 })], [says('Done.')]] },
    );
    web.kill();
    await web.ended;
    const ended = await made.chat.send('go');
    expect(ended.type).toBe('turn_completed');
    expect(made.chat.outputs()[0]).toMatch(/^tool call error: It cannot be reached: /);
  });

  test.each(DEATHS)('is killed at %s %j: the turn goes on', async (method, more) => {
    await using web = await modernHttp(['--die-at', method, ...more]);
    await using made = await mcpScenario(
      { web: { url: web.url, protocol: 'legacy', ...patient } },
      { model: [[calls('mcp__web__add', { a: 1, b: 1 })], [says('Done.')]] },
    );
    const isCalled = method === 'tools/call';
    expect(made.mcp.servers.get('web')?.status.type).toBe(isCalled ? 'ready' : 'failed');
    const ended = await made.chat.send('go');
    await web.ended;
    expect(ended.type).toBe('turn_completed');
    expect(made.chat.outputs()[0]).toMatch(isCalled ? /^tool call error: / : /^unsupported call/i);
  });

  test('is another program: it is not ready, and says so', async () => {
    await using made = await mcpScenario({ web: { url: 'http://127.0.0.1:9/mcp' } }, { model: [[says('Hi.')]] });
    await made.chat.send('go');
    expect(made.mcp.servers.get('web')?.unavailable).toMatch(
      /^The MCP server web is not running\. It cannot be reached: /,
    );
  });
});
