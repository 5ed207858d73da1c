import { describe, expect, test } from 'vitest';
import {
  type McpConnection,
  type McpConnector,
  type McpDefinition,
  McpFault,
} from '../../../src/core/mcp/connection.ts';
import { McpServer, type McpServerDeps } from '../../../src/core/mcp/mcpServer.ts';
import { McpServers } from '../../../src/core/mcp/mcpServers.ts';
import { parseMcpServers } from '../../../src/protocol/mcp.ts';

const definition = (hash = 'h'): McpDefinition => {
  const settings = parseMcpServers({ notes: { command: 'notes' } }).servers.get('notes');
  if (!settings) throw new Error('There is no server.');
  return { name: 'notes', settings, hash };
};

/** Connections whose starts fail where `starts` says so, and a clock whose pauses end when the test says so. */
function machine(starts: readonly ('works' | 'fails')[] = []) {
  const did: string[] = [];
  const ends: ((fault: McpFault) => void)[] = [];
  const waits: { readonly milliseconds: number; readonly action: () => void }[] = [];
  let closing = Promise.resolve();
  const connector: McpConnector = {
    async connect() {
      const number = did.filter((line) => line.startsWith('open')).length + 1;
      did.push(`open ${number}`);
      if (starts[number - 1] === 'fails') throw new McpFault('start', 'It cannot be started.');
      let end = (_fault: McpFault) => {};
      const closed = new Promise<McpFault>((resolve) => {
        end = resolve;
      });
      ends.push(end);
      return connectionOf(closed, async () => {
        did.push(`closing ${number}`);
        await closing;
        did.push(`closed ${number}`);
        end(new McpFault('closed', 'It was stopped.'));
      });
    },
  };
  const clock: McpServerDeps['clock'] = {
    now: () => new Date(0),
    monotonic: () => 0,
    sleep: async () => {},
    after(milliseconds, action) {
      const wait = { milliseconds, action };
      waits.push(wait);
      return () => void waits.splice(waits.indexOf(wait), waits.includes(wait) ? 1 : 0);
    },
  };
  const deps: McpServerDeps = {
    connector,
    clock,
    roots: () => [],
    random: () => 0.5,
    onError: (error) => {
      throw error;
    },
  };
  return {
    deps,
    did,
    /** The connection that was made last ends by itself. */
    end: (reason: string) => ends.at(-1)?.(new McpFault('closed', reason)),
    /** Connections that are closed from now on end only when the returned function is called. */
    holdClosing() {
      let goOn = () => {};
      closing = new Promise((resolve) => {
        goOn = resolve;
      });
      return goOn;
    },
    /** Ends the pause that runs; returns its milliseconds. */
    pause() {
      const wait = waits.pop();
      wait?.action();
      return wait?.milliseconds;
    },
  };
}

function connectionOf(closed: Promise<McpFault>, close: () => Promise<void>): McpConnection {
  const info = { name: 'notes', version: '1', instructions: '', protocolVersion: '2025-11-25' };
  const refused = () => Promise.reject(new McpFault('refused', 'It does nothing.'));
  return {
    info: { ...info, hasTools: false, hasResources: false, hasPrompts: false, hasCompletions: false },
    listTools: async () => [],
    callTool: refused,
    listResources: refused,
    listResourceTemplates: refused,
    readResource: refused,
    listPrompts: refused,
    complete: refused,
    getPrompt: refused,
    closed,
    close,
  };
}

/** Resolves when the server has this status, which must come. */
function reaches(server: McpServer, status: McpServer['status']['type']): Promise<void> {
  return new Promise((resolve) => {
    if (server.status.type === status) return resolve();
    const listening = server.onChange(() => {
      if (server.status.type !== status) return;
      listening.dispose();
      resolve();
    });
  });
}

describe('an MCP server that ends', () => {
  test('is started again although restarts fail, after longer and longer pauses, then left as it is', async () => {
    const starts = ['works', 'fails', 'fails', 'works', 'fails', 'fails', 'fails'] as const;
    const { deps, end, pause } = machine(starts);
    const server = new McpServer(definition(), deps);
    await server.start();
    const pauses: (number | undefined)[] = [];
    for (const status of ['failed', 'failed', 'ready', 'failed', 'failed'] as const) {
      if (server.status.type === 'ready') {
        const failed = reaches(server, 'failed');
        end('It ended.');
        await failed;
      }
      pauses.push(pause());
      await server.settled;
      expect(server.status.type).toBe(status);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(pause()).toBeUndefined();
    expect(server.status).toEqual({
      type: 'failed',
      message: 'It cannot be started. It was restarted 5 times and is left as it is.',
    });
  });

  test('is not started again when its first start fails', async () => {
    const { deps, pause } = machine(['fails']);
    const server = new McpServer(definition(), deps);
    await server.start();
    expect(server.status).toEqual({ type: 'failed', message: 'It cannot be started.' });
    expect(pause()).toBeUndefined();
  });

  test('is closed before it is started again, also where only a request said that it has ended', async () => {
    const { deps, did, end, pause, holdClosing } = machine();
    const server = new McpServer(definition(), deps);
    await server.start();
    const goOn = holdClosing();
    const failed = reaches(server, 'failed');
    end('It cannot be reached.');
    await failed;
    pause();
    expect(server.status.type).toBe('starting');
    expect(did).toEqual(['open 1', 'closing 1']);
    goOn();
    await server.settled;
    expect(did).toEqual(['open 1', 'closing 1', 'closed 1', 'open 2']);
  });
});

test('a server with a changed definition is started when the one before has ended', async () => {
  const { deps, did, holdClosing } = machine();
  const servers = new McpServers(deps);
  const { signal } = new AbortController();
  servers.configure({ definitions: [definition()] });
  await servers.settled(() => true, signal);
  const goOn = holdClosing();
  servers.configure({ definitions: [definition('other')] });
  expect(servers.get('notes')?.status.type).toBe('starting');
  goOn();
  await servers.settled(() => true, signal);
  expect(did).toEqual(['open 1', 'closing 1', 'closed 1', 'open 2']);
  await servers.close();
  expect(did.slice(4)).toEqual(['closing 2', 'closed 2']);
});

test('a storm of changed lists costs one more request, and the newest list counts', async () => {
  const { deps } = machine();
  const asked: ((...names: readonly string[]) => void)[] = [];
  let changed = () => {};
  const connector: McpConnector = {
    async connect(_definition, handlers) {
      changed = () => handlers.changed('tools');
      const made = connectionOf(new Promise(() => {}), async () => {});
      return {
        ...made,
        info: { ...made.info, hasTools: true },
        listTools: () =>
          new Promise((resolve) => {
            asked.push((...names) => resolve(names.map((name) => ({ name, inputSchema: {}, raw: {} }))));
          }),
      };
    },
  };
  const server = new McpServer(definition(), { ...deps, connector });
  const started = server.start();
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.('first');
  await started;
  const names = () => (server.status.type === 'ready' ? server.status.tools.map(({ name }) => name) : []);
  for (let times = 0; times < 100; times++) changed();
  asked[1]?.('second');
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.('third');
  await expect.poll(names).toEqual(['third']);
  expect(asked).toHaveLength(3);
  changed();
  asked[3]?.('fourth');
  await expect.poll(names).toEqual(['fourth']);
});
