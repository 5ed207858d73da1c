import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventSchema } from '../../src/protocol/event.ts';
import { everything, modernHttp, scripted } from '../support/mcpServers.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

/** In milliseconds: other processes are started, and the product is built once. */
const LONG = { timeout: 120_000 };

function configure(folder: TempFolder, mcpServers: Readonly<Record<string, unknown>>): void {
  mkdirSync(folder.at('tiller'), { recursive: true });
  writeFileSync(folder.at('tiller', 'settings.json'), JSON.stringify({ mcpServers }));
}

describe.skipIf(noSandbox)('tiller exec with MCP servers', LONG, () => {
  test('waits for them, calls their tools, and says which are not ready', async () => {
    using folder = tempFolder();
    await using modern = await modernHttp();
    await using model = await ModelServer.start([
      [calls('mcp__everything__echo', { message: 'hello' }), calls('mcp__web__add', { a: 1, b: 2 })],
      [says('Made it.')],
    ]);
    configure(folder, {
      everything: everything(),
      web: { url: modern.url, startupTimeoutMs: 60_000 },
      broken: scripted(['--exit']),
      missing: { command: 'tiller-has-no-such-server', sandbox: 'off' },
      nowhere: scripted([], { cwd: folder.at('nowhere') }),
      off: scripted([], { enabled: false }),
    });
    const args = ['exec', '--json', '--approval-policy', 'never', '--model', 'm', '--base-url', model.baseUrl, 'go'];
    const run = await runCli(args, { home: folder.path });
    expect(run.code).toBe(0);
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => eventSchema.parse(JSON.parse(line)).msg);
    expect(
      events.flatMap((msg) => (msg.type === 'item_completed' && msg.item.type === 'mcp_tool_call' ? [msg.item] : [])),
    ).toMatchObject([
      { server: 'everything', tool: 'echo', result: [{ type: 'input_text', text: 'Echo: hello' }] },
      { server: 'web', tool: 'add', result: [{ type: 'input_text', text: '3' }] },
    ]);
    expect(run.stderr).toContain('The MCP server broken is not running. It ended with exit code 3.');
    expect(run.stderr).toContain(
      'The MCP server missing is not running. The program tiller-has-no-such-server was not found.\n',
    );
    expect(run.stderr).toContain(
      `The MCP server nowhere is not running. Its working directory ${folder.at('nowhere')} does not exist. `,
    );
    expect(run.stderr).not.toContain('The MCP server off');
    expect(model.requests[0]?.toolNames).toContain('mcp__web__add');
  });

  test('denies a tool that needs approval, because no user is there', async () => {
    using folder = tempFolder();
    await using model = await ModelServer.start([[calls('mcp__notes__write', { path: 'x' })], [says('No.')]]);
    configure(folder, { notes: scripted() });
    const run = await runCli(['exec', '--model', 'm', '--base-url', model.baseUrl, 'go'], { home: folder.path });
    expect(run).toMatchObject({ code: 0, stdout: 'No.\n' });
    expect(JSON.stringify(model.lastRequest.input)).toContain('Denied (non_interactive)');
  });
});

describe('a wrong entry of mcpServers', LONG, () => {
  test.each([
    [{ a: {} }, 'tiller: setting "mcpServers.a": has neither a command nor a url'],
    [
      { a: { command: 'x', url: 'https://x.test' } },
      'tiller: setting "mcpServers.a": has a command and a url: a server has one of them',
    ],
    [
      { 'a b': { command: 'x' } },
      'tiller: setting "mcpServers.a b": the name of a server has only letters, digits, - and _',
    ],
    [{ a: { command: 'x', comand: 1 } }, 'tiller: setting "mcpServers.a": has no setting "comand"'],
    [{ a: { command: 'x', toolTimeoutMs: 0 } }, /^tiller: setting "mcpServers\.a": toolTimeoutMs: /],
    [
      { a: { type: 'sse', url: 'https://x.test/sse' } },
      /^tiller: setting "mcpServers\.a": the transport "sse" is not supported any more; use /,
    ],
  ])('%j ends exec with 2 and names it', async (servers, message) => {
    using folder = tempFolder();
    configure(folder, servers);
    const run = await runCli(['exec', '--demo', 'go'], { home: folder.path });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    const [line = ''] = run.stderr.split('\n');
    if (typeof message === 'string') expect(line).toBe(message);
    else expect(line).toMatch(message);
  });
});
