import path from 'node:path';
import type { Host } from '../ports.ts';

const UNDERSTOOD = new Set(['bash', 'zsh', 'sh', 'dash']);

/**
 * The program and arguments that run a script. A login shell only on request: Tiller already has the user's
 * environment, and start-up files are slow, print text and are sometimes broken.
 */
export function shellArgv(
  script: string,
  host: Host,
  options: { readonly shell?: string | undefined; readonly login?: boolean | undefined } = {},
): [string, ...string[]] {
  if (host.platform === 'win32' && options.shell === undefined) {
    return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', script];
  }
  const shell = options.shell ?? (UNDERSTOOD.has(path.basename(host.shell)) ? host.shell : '/bin/bash');
  return [shell, options.login ? '-lc' : '-c', script];
}
