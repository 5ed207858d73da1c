/** MCP servers for tests: real processes and real HTTP, in a scenario or for `tiller exec`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { McpSecrets } from '../../src/core/mcp/authorization.ts';
import type { McpDefinition } from '../../src/core/mcp/connection.ts';
import type { Ports } from '../../src/core/ports.ts';
import { createMcp, type Mcp, resolveAll } from '../../src/node/mcp/createMcpServers.ts';
import { sandboxSupport } from '../../src/node/sandbox/support.ts';
import { parseMcpServers } from '../../src/protocol/mcp.ts';
import { parseSettings } from '../../src/protocol/settings.ts';
import { type Scenario, type ScenarioOptions, startScenario } from './startScenario.ts';

/**
 * The working directory of servers. The sandbox hides `/tmp` except this folder, and the repository may be in `/tmp`.
 */
const cwd = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The program of the scripted server, given on the command line because the sandbox may hide its file. It is encoded,
 * because arguments may contain the names of variables.
 */
const SCRIPTED = `await import('data:text/javascript;base64,${readFileSync(
  new URL('../fixtures/mcp/scripted.mjs', import.meta.url),
).toString('base64')}')`;
const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** Returns the settings of the scripted server. Its file describes the arguments. */
export function scripted(args: readonly string[] = [], more: Readonly<Record<string, unknown>> = {}) {
  return {
    command: process.execPath,
    args: ['--input-type=module', '-e', SCRIPTED, 'scripted', ...args],
    startupTimeoutMs: 60_000,
    toolTimeoutMs: 60_000,
    ...more,
  };
}

/** The requests at which the scripted server can end (`--die-at`); it can also end in the middle of its response. */
export const DEATHS: readonly (readonly [method: string, more: readonly string[]])[] = [
  ['initialize', []],
  ['tools/list', []],
  ['tools/call', []],
  ['initialize', ['--half']],
  ['tools/list', ['--half']],
  ['tools/call', ['--half']],
];

/** Returns the settings of the reference server of the MCP project. */
export function everything(more: Readonly<Record<string, unknown>> = {}) {
  return { command: process.execPath, args: [EVERYTHING, 'stdio'], cwd, startupTimeoutMs: 60_000, ...more };
}

/** Returns the server definitions that the setting `mcpServers` gives in a folder. */
export function definitionsOf(servers: Readonly<Record<string, unknown>>, folder: string): readonly McpDefinition[] {
  const { servers: entries, problems } = parseMcpServers(servers);
  if (problems[0]) throw new Error(problems[0].problem);
  return resolveAll(entries, { folder, homeDirectory: homedir(), environment: process.env }).definitions;
}

export interface McpScenario {
  readonly chat: Scenario;
  readonly mcp: Mcp;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a scenario with MCP servers, all of which are ready or have failed when it begins. `servers`: the setting
 * `mcpServers`.
 */
export async function mcpScenario(
  servers: Readonly<Record<string, unknown>>,
  {
    secrets,
    clientMetadataUrl,
    ...options
  }: ScenarioOptions & { readonly secrets?: McpSecrets; readonly clientMetadataUrl?: string },
): Promise<McpScenario> {
  let mcp: Mcp | undefined;
  const settings = parseSettings(clientMetadataUrl === undefined ? {} : { 'mcp.clientMetadataUrl': clientMetadataUrl });
  if (settings.type === 'invalid') throw new Error(settings.message);
  const start = (ports: Ports) => {
    const [folder = ''] = ports.workspace.roots;
    mcp = createMcp({
      ports,
      version: '0.0.0-test',
      roots: () => ports.workspace.roots,
      settings: () => settings.settings,
      support: sandboxSupport,
      ...(secrets && { secrets }),
    });
    mcp.servers.configure({ definitions: definitionsOf(servers, folder) });
  };
  const chat = await startScenario({
    ...options,
    deps: (ports) => {
      const deps = options.deps?.(ports) ?? {};
      start({ ...ports, ...deps });
      return deps;
    },
    // A getter, because the host is created after the ports.
    host: {
      ...options.host,
      get toolProviders() {
        return mcp === undefined ? [] : [mcp.tools()];
      },
    },
  });
  if (mcp === undefined) throw new Error('The scenario has no ports.');
  const made: Mcp = mcp;
  await made.servers.settled(() => true, new AbortController().signal);
  return {
    chat,
    mcp: made,
    async [Symbol.asyncDispose]() {
      await chat[Symbol.asyncDispose]();
      await made.servers.close();
    },
  };
}

/** Resolves when the server `notes` offers a tool with this name. */
export function toolsOf(mcp: Mcp, tool: string): Promise<void> {
  return changed(mcp, () => mcp.servers.get('notes')?.tool(tool) !== undefined);
}

/** Resolves when the server `notes` has this status. */
export function statusOf(mcp: Mcp, status: string): Promise<void> {
  return changed(mcp, () => mcp.servers.get('notes')?.status.type === status);
}

function changed({ servers }: Mcp, isReached: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isReached()) return resolve();
    const listening = servers.onChange(() => {
      if (!isReached()) return;
      listening.dispose();
      resolve();
    });
  });
}

const MODERN = fileURLToPath(new URL('../fixtures/mcp/modern.mjs', import.meta.url));

/** Returns the settings of the server that uses the SDK's server package, over stdio. */
export function modern(more: Readonly<Record<string, unknown>> = {}) {
  return { command: process.execPath, args: [MODERN], cwd, startupTimeoutMs: 60_000, ...more };
}

/** Starts the same server over HTTP, in a separate process. Its file describes `args`. */
export async function modernHttp(args: readonly string[] = []) {
  return served([MODERN, '--http', ...args], (line) => (line.startsWith('http') ? line : undefined));
}

/** Starts the reference server over streamable HTTP. */
export async function everythingHttp() {
  const port = await freePort();
  return served(
    [EVERYTHING, 'streamableHttp'],
    (line) => (/listening|running/i.test(line) ? `http://127.0.0.1:${port}/mcp` : undefined),
    {
      PORT: String(port),
    },
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Starts a program that prints the address at which it listens. */
async function served(
  argv: readonly string[],
  addressIn: (line: string) => string | undefined,
  env: NodeJS.ProcessEnv = {},
) {
  const child = spawn(process.execPath, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const address = addressIn(line);
        if (address !== undefined) resolve(address);
      });
    }
    child.once('exit', () => reject(new Error('The server ended.')));
  });
  return {
    url,
    ended,
    kill: () => void child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
