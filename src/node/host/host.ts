import { homedir, tmpdir, userInfo } from 'node:os';
import type { Host } from '../../core/ports.ts';

export function describeHost(environment: NodeJS.ProcessEnv = process.env): Host {
  const platform = process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux';
  return {
    platform,
    homeDirectory: homedir(),
    tempDirectory: tmpdir(),
    shell: shellOf(platform, environment),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    environment,
  };
}

function shellOf(platform: Host['platform'], environment: NodeJS.ProcessEnv): string {
  if (platform === 'win32') return environment.ComSpec ?? 'cmd.exe';
  return environment.SHELL || loginShell() || '/bin/sh';
}

/** The user database may lack an entry for the user, e.g. in a container. */
function loginShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}
