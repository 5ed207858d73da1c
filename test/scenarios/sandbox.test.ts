import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepSandboxes } from '../../src/node/sandbox/sweep.ts';
import { createLocks } from '../../src/node/storage/locks.ts';
import { PRIVATE_PLACES } from '../../src/protocol/privatePlaces.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { runCli, startCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

describe.skipIf(noSandbox)('tiller sandbox', () => {
  it('runs a command in its folder with our streams and its own exit code', async () => {
    using folder = tempFolder();
    const run = await runCli(['sandbox', '--', 'bash', '-c', 'cat > said; echo out; echo err >&2; exit 7'], {
      home: folder.path,
      stdin: 'words\n',
    });
    expect(run).toEqual({ code: 7, stdout: 'out\n', stderr: 'err\n' });
    expect(readFileSync(folder.at('said'), 'utf8')).toBe('words\n');
    expect(readdirSync(folder.path).toSorted()).toEqual(['said', 'tiller']);
    expect(readdirSync(folder.at('tiller', 'tmp'))).toEqual([]);
  });

  it('keeps its temporary folder for days, also when another Tiller starts meanwhile', async () => {
    using folder = tempFolder();
    const command = ['bash', '-c', 'echo kept > "$TMPDIR/x"; echo up; read; cat "$TMPDIR/x"'];
    const run = await startCli(['sandbox', '--', ...command], { home: folder.path });
    await expect.poll(() => run.output.stdout, { timeout: 20_000 }).toBe('up\n');
    const home = folder.at('tiller');
    await sweepSandboxes(home, createLocks(home, 'vscode'), Date.now() + 30 * 86_400_000);
    run.stdin.end('go on\n');
    expect(await run.ended).toEqual({ code: 0, stdout: 'up\nkept\n', stderr: '' });
    expect([readdirSync(path.join(home, 'tmp')), readdirSync(path.join(home, 'locks'))]).toEqual([[], []]);
  });

  it.each([
    [['no-such-program'], 127],
    [['/etc/passwd'], 126],
    [['bash', '-c', 'kill -9 $$'], 137],
    [['bash', '-c', 'kill -15 $$'], 143],
  ])('%j ends with %d', async (command, code) => {
    using folder = tempFolder();
    expect(await runCli(['sandbox', '--', ...command], { home: folder.path })).toMatchObject({ code });
  });

  it.each([
    ['--cd', '/'],
    ['--writable', '/'],
    ['--writable', '/dev/..'],
  ])('does not take all of the machine for a workspace, and says so: %s %s', async (flag, given) => {
    using folder = tempFolder();
    const run = await runCli(['sandbox', flag, given, '--', 'touch', 'made'], { home: folder.path });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('The whole file system cannot be a writable folder');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('runs in any folder under read-only', async () => {
    using folder = tempFolder();
    const run = await runCli(['sandbox', '--mode', 'read-only', '--cd', '/', '--', 'pwd'], { home: folder.path });
    expect(run).toEqual({ code: 0, stdout: '/\n', stderr: '' });
  });

  it('refuses a writable folder that is named by a replaceable link', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('real'));
    symlinkSync(folder.at('real'), folder.at('link'));
    const run = await runCli(['sandbox', '--writable', folder.at('link'), '--', 'true'], { home: folder.path });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`is reached by the link ${folder.at('link')}, which commands can replace`);
  });

  it('writes nowhere under read-only, and otherwise also in the named folders', async () => {
    using folder = tempFolder();
    using other = tempFolder();
    using tmp = tempFolder();
    const script = `echo a > a; echo b > ${other.at('b')}; echo c > /tmp/c; cat /tmp/c`;
    const readOnly = await runCli(['sandbox', '--mode', 'read-only', '--', 'bash', '-c', script], {
      home: folder.path,
    });
    expect(readOnly.stdout).toBe('c\n');
    const flags = ['--writable', other.path, '--tmp', tmp.path];
    await runCli(['sandbox', ...flags, '--', 'bash', '-c', script], { home: folder.path });
    expect([readdirSync(folder.path).toSorted(), readdirSync(other.path)]).toEqual([['a', 'tiller'], ['b']]);
    expect(readFileSync(tmp.at('c'), 'utf8')).toBe('c\n');
  });

  it.each(['folders', 'files'])(
    'reads no key, keyring, browser or history of the user, whether they are %s',
    async (what) => {
      using me = tempFolder(homedir());
      using folder = tempFolder();
      for (const place of PRIVATE_PLACES) {
        const at = place.replace('~', me.path);
        const file = what === 'folders' ? path.join(at, 'secret') : at;
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, 'hunter2\n');
      }
      writeFileSync(me.at('.profile'), 'not hunter2\n');
      const command = ['sandbox', '--', 'grep', '-rs', 'hunter2', me.path];
      const run = await runCli(command, { home: folder.path, env: { HOME: me.path } });
      expect(run.stdout).toBe(`${me.at('.profile')}:not hunter2\n`);
    },
  );
});

describe.skipIf(noSandbox)('tiller exec in a folder without .git and .vscode', () => {
  it('has them there while a command runs, and not after it', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([
      [calls('exec_command', { cmd: 'ls -A > seen; mkdir .vscode/x; touch .git/x' })],
      [says('Done.')],
    ]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl];
    expect((await runCli(['exec', ...flags, 'go'], { home: folder.path })).code).toBe(0);
    expect(readFileSync(folder.at('seen'), 'utf8')).toBe('.git\n.vscode\nseen\ntiller\n');
    await expect.poll(() => readdirSync(folder.path)).toEqual(['seen', 'tiller']);
  });

  it('is unchanged when Tiller is killed in the middle of a command', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[calls('exec_command', { cmd: 'touch begun; sleep 60' })]]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl];
    const child = await startCli(['exec', ...flags, 'go'], { home: folder.path });
    child.stdin.end();
    const names = () => readdirSync(folder.path).toSorted();
    await expect.poll(names, { timeout: 20_000 }).toEqual(['.git', '.vscode', 'begun', 'tiller']);
    child.kill('SIGKILL');
    await child.ended;
    await expect.poll(names, { timeout: 20_000 }).toEqual(['begun', 'tiller']);
    await expect.poll(() => readdirSync(folder.at('tiller/box/mounts'))).toEqual([]);
    expect(readdirSync(folder.at('tiller/processes'))).toEqual([]);
  });
});
