import { describe, expect, test } from 'vitest';
import { deniedBy } from '../../../src/core/sandbox/denied.ts';
import { gitWarning, liveHooks, programKeys } from '../../../src/core/sandbox/gitMetadata.ts';
import { processorTime } from '../../support/processorTime.ts';

describe('looks denied', () => {
  test.each([
    [1, 'touch: cannot touch /etc/x: Read-only file system', true],
    [1, 'PERMISSION DENIED', true],
    [2, 'ls: cannot open: Operation not permitted', true],
    [127, 'bash: sandbox-tool: command not found', true],
    [1, 'assertion failed', false],
    [2, 'usage: x', false],
    [127, 'bash: x: command not found', false],
    [159, '', true],
    [0, 'Permission denied', false],
  ])('exit %d with "%s": %j', (exitCode, output, denied) => {
    expect(deniedBy({ box: 'bubblewrap', network: true, exitCode, output }) !== undefined).toBe(denied);
  });

  test('only in a sandbox', () => {
    for (const box of ['none', 'external'] as const) {
      expect(deniedBy({ box, network: false, exitCode: 1, output: 'Permission denied' })).toBeUndefined();
    }
  });

  test.each([
    [6, 'curl: (6) Could not resolve host: example.com'],
    [128, "fatal: unable to access 'https://x/': Could not resolve host: x"],
    [4, "wget: unable to resolve host address 'example.com'"],
    [1, 'npm error syscall getaddrinfo\nnpm error errno EAI_AGAIN'],
    [1, 'Error: connect ENETUNREACH 10.0.0.1:443'],
    [1, 'socket.gaierror: [Errno -3] Temporary failure in name resolution'],
    [100, "Err:1 http://deb.debian.org stable InRelease\n  Temporary failure resolving 'deb.debian.org'"],
    [2, 'ping: connect: Network is unreachable'],
    [1, 'dial tcp: lookup proxy.golang.org: no such host'],
    [101, 'failed to lookup address information: Try again'],
    [1, 'Exception in thread "main" java.net.UnknownHostException: example.com'],
  ])('nobody was reached, exit %d: %s', (exitCode, output) => {
    const sandboxed = { box: 'bubblewrap', exitCode, output } as const;
    expect(deniedBy({ ...sandboxed, network: false })).toMatch(/ \(there is no network in the sandbox\)$/);
    // With a network these are failures of the network.
    expect(deniedBy({ ...sandboxed, network: true })).toBeUndefined();
    expect(deniedBy({ ...sandboxed, network: false, exitCode: 0 })).toBeUndefined();
  });

  test.each([
    'connect ECONNREFUSED 127.0.0.1:5432',
    'curl: (22) The requested URL returned error: 404',
    'could not resolve dependency: peer react@18',
    "Cannot resolve module './network'",
  ])('is no word of the box: %s', (output) => {
    expect(deniedBy({ box: 'bubblewrap', network: false, exitCode: 1, output })).toBeUndefined();
  });

  test('quotes the line with the message, shortened', () => {
    const output = `compiling\n  ${'x'.repeat(300)} permission denied\ndone`;
    expect(deniedBy({ box: 'seatbelt', network: false, exitCode: 1, output })).toBe(`${'x'.repeat(200)}…`);
  });
});

describe('a git configuration', () => {
  test.each([
    ['[core]\n\tfsmonitor = ./run', ['core.fsmonitor']],
    ['[core]\n\tfsmonitor', ['core.fsmonitor']],
    ['[core]\n\tfsmonitor = false\n\tpager = cat', []],
    ['[CORE] hooksPath=x', ['core.hookspath']],
    ['[core] # a comment\n ; another\n sshCommand = "a b" # why', ['core.sshcommand']],
    ['[filter "lfs"]\n clean = git-lfs\n smudge = git-lfs', ['filter.lfs.clean', 'filter.lfs.smudge']],
    ['[diff "a.b"]\n textconv = x', ['diff.a.b.textconv']],
    ['[include]\n path = ../x\n[includeIf "gitdir:~/x"]\n path = y', ['include.path', 'includeif.gitdir:~/x.path']],
    ['[credential "https://x"]\n helper = !x', ['credential.https://x.helper']],
    ['[core]\n fsmoni\\\ntor = x', ['core.fsmonitor']],
    ['[user]\n name = x\n[remote "origin"]\n url = https://x\n fetch = +refs/*', []],
    ['[core "x"]\n fsmonitor = x', []],
    ['garbage ][ = \n\0', []],
    ['[core]\n# \\\nfsmonitor = x', ['core.fsmonitor']],
    ['[core]\nx = y ; z \\\nfsmonitor = x', ['core.fsmonitor']],
    ['[core]\nx = y\\\\\nfsmonitor = x', ['core.fsmonitor']],
    ['[core]\n#\0\\\nfsmonitor = x', ['core.fsmonitor']],
    ['[a][core]\nfsmonitor = x', ['core.fsmonitor']],
    ['[a] [core] fsmonitor = x', ['core.fsmonitor']],
    ['[filter "a\\"]b"]\nclean = x', ['filter.a"]b.clean']],
    ['[core]\nx = "a\\\nfsmonitor = x"', []],
    ['[core]\nfsmonitor = "\\no"', ['core.fsmonitor']],
    ['[core]\nfsmonitor = "fa"lse # really', []],
    ['[hook "x"]\ncommand = y\n[tar "z"]\ncommand = y', ['hook.x.command', 'tar.z.command']],
  ])('%j names %j', (text, keys) => {
    expect(programKeys(text)).toEqual(keys);
  });

  test('is read quickly, however long and unusual it is', () => {
    const bait = ['a="\\\n', '[a "', 'x=\\x', '"\\\n', '[', 'a\\\n'].map((one) => one.repeat(1e6 / one.length));
    const taken = processorTime(() => {
      for (const text of bait) programKeys(`${text}\n[core]\nhooksPath = x`);
    });
    expect(taken).toBeLessThan(5_000);
  });

  test('samples of hooks run no program', () => {
    expect(liveHooks(['pre-commit.sample', 'README', '.gitignore', 'pre-push'])).toEqual(['pre-push']);
  });

  test('a warning names the programs that would run; there is none when none would', () => {
    expect(gitWarning('/w/x/.git', { keys: [], hooks: [] })).toBeUndefined();
    expect(gitWarning('/w/x/.git', { keys: ['a', 'b', 'c', 'd', 'e', 'f'], hooks: ['pre-push'] })).toContain(
      '/w/x/.git, and its configuration sets a, b, c, d, e and 1 more and it has the hooks pre-push:',
    );
  });
});
