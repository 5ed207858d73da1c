import { expect, it } from 'vitest';
import { shellArgv } from '../../../src/core/tools/shellArgv.ts';
import type { Host } from '../../../src/core/ports.ts';

const hostWith = (platform: Host['platform'], shell: string) => ({ platform, shell }) as Host;

it('a script runs in the shell of the user where it is one that is understood, and else in bash', () => {
  expect(shellArgv('ls', hostWith('linux', '/usr/bin/zsh'))).toEqual(['/usr/bin/zsh', '-c', 'ls']);
  expect(shellArgv('ls', hostWith('linux', '/usr/bin/fish'))).toEqual(['/bin/bash', '-c', 'ls']);
  expect(shellArgv('ls', hostWith('linux', '/bin/sh'), { login: true })).toEqual(['/bin/sh', '-lc', 'ls']);
});

it('a script runs in PowerShell on Windows, unless a shell is named', () => {
  const powershell = ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', 'ls'];
  expect(shellArgv('ls', hostWith('win32', ''))).toEqual(powershell);
  expect(shellArgv('ls', hostWith('win32', ''), { shell: 'bash' })).toEqual(['bash', '-c', 'ls']);
});
