/** The environment variables of a command in the sandbox that may reach some hosts. */
import path from 'node:path';
import type { SandboxLimits } from '../ports.ts';
import { isWithin } from './within.ts';

/**
 * The port of the proxy in the network of a sandbox on Linux, which holds nothing else. Above the ports that systems give to
 * outgoing connections, and registered for no service.
 */
export const HOST_PROXY_PORT = 61_080;

/** The command's own servers are reached directly. */
const DIRECT = 'localhost,127.0.0.1,::1';

/**
 * The variables that lead programs to the proxy: those that curl, git, pip, cargo, go and most libraries read, those of
 * npm's configuration, and that of node's `fetch`.
 */
export function proxyVariables(port: number): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return {
    ...Object.fromEntries([...names, 'npm_config_proxy', 'npm_config_https_proxy'].map((name) => [name, proxy])),
    NO_PROXY: DIRECT,
    no_proxy: DIRECT,
    npm_config_noproxy: DIRECT,
    NODE_USE_ENV_PROXY: '1',
  };
}

/**
 * Gives npm a cache in the temporary folder of the thread, because it fails where it cannot write its cache. Returns
 * nothing where the command can write the usual one, has another one in its environment, or has no temporary folder.
 */
export function npmCache(
  { writableRoots, temporary: { folder, seenAt } }: Pick<SandboxLimits, 'writableRoots' | 'temporary'>,
  { HOME = '/', npm_config_cache: other }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isWritable = writableRoots.some((root) => isWithin(path.join(HOME, '.npm'), root.path));
  if (isWritable || other !== undefined || seenAt.length === 0) return {};
  return { npm_config_cache: path.join(folder, 'npm') };
}
