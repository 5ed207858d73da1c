/** The confinement of a server that Tiller starts, and its environment. */
import { existsSync } from 'node:fs';
import type { ExecRequest, Host } from '../../core/ports.ts';
import { confine, unreadablePaths } from '../../core/sandbox/confinement.ts';
import { hostLimits } from '../../core/policy/hosts.ts';
import type { SandboxSupport } from '../../core/sandbox/resolveSandbox.ts';
import { temporaryFolder } from '../../core/sandbox/temporary.ts';
import { commandEnvironment } from '../../core/tools/environment.ts';
import type { SecretRedactor } from '../../core/util/secretRedactor.ts';
import { McpFault } from '../../core/mcp/connection.ts';
import type { McpStdioServer } from '../../protocol/mcp.ts';
import { sandboxPolicySchema } from '../../protocol/policy.ts';
import { windowsCommand } from './windowsCommand.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentSettings } from '../../protocol/settings.ts';

export interface LaunchPlace {
  readonly host: Host;
  /** TILLER_HOME. */
  readonly home: string;
  readonly keys: SecretRedactor;
  readonly support: () => SandboxSupport;
  /** Open folders, in which files with secrets are closed to servers. */
  readonly roots: () => readonly string[];
  /** Paths that sandboxed programs must not read, as the setting lists them. */
  readonly unreadable: () => readonly string[];
  /** True when the whole of Tiller runs in a sandbox of another program. */
  readonly isInSandbox: () => boolean;
}

/** Variables that programs need to start; all others are set by the definition (codex-behaviour.md §9). */
const CORE_ENVIRONMENT: EnvironmentSettings = { ...DEFAULT_ENVIRONMENT, inherit: 'core' };

/** @throws McpFault where the server has to be sandboxed and cannot be */
export function launchRequest(name: string, server: McpStdioServer, place: LaunchPlace): ExecRequest {
  const { host, keys } = place;
  const cwd = server.cwd ?? host.homeDirectory;
  const env = { ...commandEnvironment(host.environment, CORE_ENVIRONMENT, keys), ...server.env };
  const argv = [server.command, ...server.args] as const;
  return {
    ...(host.platform === 'win32' ? windowsCommand(argv, { cwd, env }, existsSync) : { argv }),
    cwd,
    env,
    stdin: 'pipe',
    confinement: confinementOf(name, server, cwd, place),
  };
}

function confinementOf(
  name: string,
  { sandbox }: McpStdioServer,
  cwd: string,
  place: LaunchPlace,
): ExecRequest['confinement'] {
  const { host, home, support, unreadable, isInSandbox } = place;
  if (sandbox === 'off' || isInSandbox()) return { type: 'none' };
  const found = support();
  if (found.type === 'fails') {
    throw new McpFault(
      'start',
      `It was not started, because it needs a sandbox and there is none: ${found.cause} With "sandbox": "off" it runs without one.`,
    );
  }
  const { writableRoots: roots, network, allowedHosts = [] } = sandbox;
  const policy = sandboxPolicySchema.parse({ type: 'workspace-write', writableRoots: roots, networkAccess: network });
  const confinement = confine(found.box, policy, {
    cwd,
    platform: host.platform,
    tmpdirVariable: host.environment.TMPDIR,
    temporaryFolder: temporaryFolder({ id: `mcp-${name}`, home }),
    unreadable: unreadablePaths(unreadable(), host.homeDirectory, home),
    unreadableGlobs: unreadable(),
    readable: place.roots(),
    hosts: hostLimits(allowedHosts, []),
  });
  if (confinement.type === 'none') return confinement;
  // The working directory is not writable unless it is listed.
  const writableRoots = confinement.limits.writableRoots.filter((root) => roots.includes(root.path));
  return { type: 'sandbox', limits: { ...confinement.limits, writableRoots } };
}

/** Returns advice for the user about a server that fails in its sandbox; empty without a sandbox. */
export function sandboxHint(server: McpStdioServer, { isInSandbox }: Pick<LaunchPlace, 'isInSandbox'>): string {
  if (server.sandbox === 'off' || isInSandbox()) return '';
  const { network, writableRoots, allowedHosts = [] } = server.sandbox;
  const roots =
    writableRoots.length === 0 ? 'a temporary folder only' : `${writableRoots.join(', ')} and a temporary folder`;
  const hosts = allowedHosts.length === 0 ? 'has no network' : `reaches only ${allowedHosts.join(', ')}`;
  return ` It runs in the sandbox: it can write in ${roots}${network ? '' : `, and ${hosts}`} ("sandbox" of its entry).`;
}
