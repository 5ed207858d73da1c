import { readlinkSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import type { Host } from '../../core/ports.ts';

/** Reads the facts about this machine and user once; `localDay` follows the clock. */
export function describeHost(environment: NodeJS.ProcessEnv = process.env): Host {
  const platform = process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux';
  return {
    platform,
    homeDirectory: homedir(),
    shell: shellOf(platform, environment),
    timeZone: timeZone(),
    localDay,
    environment,
  };
}

/**
 * The name of the zone that the machine's local time links to, else that of ICU: loading ICU takes about 15 ms of the
 * first request.
 */
function timeZone(): string {
  const linked = process.env.TZ === undefined ? linkedTimeZone() : undefined;
  return linked ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function linkedTimeZone(): string | undefined {
  try {
    const name = /\/zoneinfo\/(?:posix\/|right\/)?([\w+-]+(?:\/[\w+-]+)*)$/.exec(readlinkSync('/etc/localtime'))?.[1];
    return name === 'Etc/UTC' ? 'UTC' : name;
  } catch {
    return undefined;
  }
}

/** Local time of a process is that of its time zone. */
function localDay(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
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
