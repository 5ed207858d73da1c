import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST_PROXY_PORT } from '../../../src/core/sandbox/proxyVariables.ts';
import { noSandbox } from '../../support/sandboxed.ts';
import { builtCli } from '../../support/runCli.ts';
import { type TempFolder, tempFolder } from '../../support/tempFolder.ts';
import { ESCAPES } from './escapes.ts';

const isRoot = process.getuid?.() === 0;
/** Users who are not root and have no passwd entry. */
const SOMEBODY = 1001;
let sockets = 0;
const REPOSITORY = ['.git', 'sub/repo/.git', 'sub/other/.git', 'bare.git', 'store'];
const SECRETS = {
  API_KEY: 'hush',
  MY_TOKEN: 'hush',
  LD_PRELOAD: '',
  BASH_ENV: '/dev/null',
  NODE_OPTIONS: '--no-warnings',
};

const servers: Server[] = [];
let witness: ChildProcess;

beforeAll(async () => {
  witness = spawn('sleep', ['600'], { env: {} });
  writeFileSync('/tmp/tiller-escape-witness', '');
});
afterAll(() => {
  witness.kill('SIGKILL');
  for (const server of servers) server.close();
});

/** A workspace with every protected file, and neighbours that must not be reached. */
async function playground(user: number) {
  // Not below /tmp, which the sandbox replaces anyway.
  const folder = tempFolder(isRoot ? '/home' : homedir());
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(folder.at(name)), { recursive: true });
    writeFileSync(folder.at(name), text);
  };
  for (const repository of REPOSITORY) {
    write(`workspace/${repository}/HEAD`, 'ref: refs/heads/main\n');
    write(`workspace/${repository}/config`, '[core]\n\trepositoryformatversion = 0\n');
    for (const name of ['hooks', 'objects', 'refs']) {
      mkdirSync(folder.at('workspace', repository, name), { recursive: true });
    }
  }
  write('workspace/tree/.git', `gitdir: ${folder.at('workspace/store')}\n`);
  write('workspace/sub/.vscode/settings.json', '{"a":1}');
  write('workspace/.agents/rules', 'rules\n');
  write('outside/file', 'mine\n');
  write('.ssh/id', 'words\n');
  write('.bashrc', '');
  write('tiller/settings.json', '{"userInstructions":"words"}');
  symlinkSync(folder.at('outside'), folder.at('workspace/linked'));
  const port = await listen({ port: 0, host: '127.0.0.1' });
  await listen({ path: folder.at('outside/socket') });
  const abstract = `tiller-escape-${process.pid}-${++sockets}`;
  await listen({ path: `\0${abstract}` });
  chmodSync(folder.at('outside/socket'), 0o777);
  give(folder.path, user);
  return { folder, port, abstract };
}

async function listen(where: { port?: number; host?: string; path?: string }): Promise<number> {
  const server = createServer((socket) => socket.end());
  servers.push(server);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function give(folder: string, user: number): void {
  if (!isRoot) return;
  chmodSync(folder, 0o755);
  chownSync(folder, user, user);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(path.join(entry.parentPath, entry.name), user, user);
  }
}

/** Every file that must be unchanged, and every name that must not exist. */
function guarded(folder: TempFolder): Record<string, string> {
  const names = readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder.path, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith('tiller/') || name === 'tiller/settings.json' || name === 'tiller/rules.json')
    // A folder with a repository in it may be renamed; the content of the repository stays read-only.
    .filter((name) => !/^workspace\/sub\/(other|gone)\//.test(name))
    .filter((name) => /^[^/]+$|^(?!workspace\/)|\/\.(git|vscode|agents)(\/|$)|\/(bare\.git|store)\//.test(name));
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(folder.at(name), 'utf8')]));
}

async function sandboxed(...args: Parameters<typeof startSandboxed>) {
  const { ended } = await startSandboxed(...args);
  return ended;
}

async function startSandboxed(user: number, folder: TempFolder, flags: readonly string[], script: string, env = {}) {
  const cli = await builtCli();
  if (isRoot) chmodSync(path.dirname(cli), 0o755);
  const leak = openSync(folder.at('outside/file'), 'a');
  const child = spawn(process.execPath, [cli, 'sandbox', ...flags, '--', 'bash', '-c', script], {
    cwd: folder.at('workspace'),
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder.path, ...env },
    // Descriptors that the parent process has open, far above the searched range.
    stdio: ['ignore', 'pipe', 'pipe', leak, ...Array<'ignore'>(26).fill('ignore'), leak],
    ...(isRoot ? { uid: user, gid: user } : {}),
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = new Promise<typeof output & { code: number | null }>((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { child, ended };
}

const USERS: readonly (readonly [name: string, user: number])[] = isRoot
  ? [
      ['root', 0],
      ['an ordinary user', SOMEBODY],
    ]
  : [['this user', process.getuid?.() ?? 0]];

describe.skipIf(noSandbox).each(USERS)('as %s', (_, user) => {
  // The second one has allowed hosts: the network of the sandbox is made by another one around it.
  test.each([
    ['workspace-write', []],
    ['read-only', ['--allow-host', 'allowed.invalid']],
  ])('nothing gets out of %s %j', { timeout: 120_000 }, async (mode, hosts) => {
    const { folder, port, abstract } = await playground(user);
    using place = folder;
    const before = guarded(place);
    const tries = ESCAPES.filter(({ writing }) => !writing || mode === 'workspace-write');
    const driver = tries.map(
      ({ name, script }) =>
        `(timeout 5 bash -c ${quoted(script)}) >/dev/null 2>&1 </dev/null; echo "$? "${quoted(name)}; cd "$WS"`,
    );
    driver.push(`echo > /dev/tcp/127.0.0.1/${HOST_PROXY_PORT} && echo "the proxy"`);
    const { stdout, stderr } = await sandboxed(user, place, ['--mode', mode, ...hosts], driver.join('\n'), {
      ...SECRETS,
      WS: place.at('workspace'),
      OUT: place.at('outside'),
      SECRET: place.at('.ssh/id'),
      SOCK: place.at('outside/socket'),
      ABSTRACT: abstract,
      PORT: String(port),
      HOST_PID: String(witness.pid),
      TILLER_HOME: place.at('tiller'),
    });
    const ends = stdout.trimEnd().split('\n');
    const isReached = ends.at(-1) === 'the proxy' && ends.pop() !== undefined;
    expect({ stderr, isReached, tried: ends.length }).toEqual({
      stderr,
      isReached: hosts.length > 0,
      tried: tries.length,
    });
    expect(ends.filter((end) => end.startsWith('0 '))).toEqual([]);
    expect(guarded(place)).toEqual(before);
    expect(witness.exitCode).toBeNull();
  });

  test('no descriptor is inherited', async () => {
    const { folder } = await playground(user);
    using place = folder;
    const { stdout } = await sandboxed(user, place, [], 'for fd in /proc/self/fd/*; do readlink $fd; done');
    expect(stdout).not.toContain('outside/file');
    const written = await sandboxed(user, place, [], 'echo x >&3; echo x >&30; true');
    expect(written.stderr).toContain('Bad file descriptor');
    expect(readFileSync(place.at('outside/file'), 'utf8')).toBe('mine\n');
  });

  test('a writable folder inside another cannot be moved, nor the folders around it', async () => {
    const { folder } = await playground(user);
    using place = folder;
    const script = `cd "$WS"
      mv sub aside; mv sub/inner aside; mv sub/inner/deep aside; rmdir sub/inner/deep; ln -sfnT /etc sub/inner/deep
      mkdir -p new/inner/deep/.git/hooks new/inner/deep/.vscode
      mv -T --exchange new sub; mv -T new sub; cp -rT new sub
      echo x > sub/inner/deep/.vscode/tasks.json; echo x > sub/inner/deep/.git/config
      echo x > sub/inner/deep/mine && echo x > sub/inner/mine && echo wrote`;
    mkdirSync(place.at('workspace/sub/inner/deep'), { recursive: true });
    give(place.path, user);
    const flags = ['--writable', place.at('workspace/sub/inner/deep')];
    const { stdout } = await sandboxed(user, place, flags, script, { WS: place.at('workspace') });
    expect(stdout).toBe('wrote\n');
    expect(readdirSync(place.at('workspace/sub/inner/deep'))).toEqual(['mine']);
  });

  test('a protected name is moved away, also when its folder has no permissions', async () => {
    const { folder } = await playground(user);
    using place = folder;
    const script =
      'mkdir -p .claude/inner; echo {} > .claude/settings.json; chmod 000 .claude/inner; chmod 555 .claude';
    const { stderr } = await sandboxed(user, place, [], script, { TILLER_HOME: place.at('tiller') });
    expect(stderr).toContain('moved it out of the workspace');
    expect(readdirSync(place.at('workspace'))).not.toContain('.claude');
  });

  test('a new repository is reported, also in a folder that cannot be listed', async () => {
    const { folder } = await playground(user);
    using place = folder;
    const script = 'mkdir -p closed/.git/hooks; touch closed/.git/hooks/pre-commit; chmod 311 closed';
    const { stderr } = await sandboxed(user, place, [], script, { TILLER_HOME: place.at('tiller') });
    expect(stderr).toContain(`${place.at('workspace/closed/.git')}, and it has the hooks pre-commit`);
  });

  test('nothing is left when the host is killed in the middle of a command with allowed hosts', async () => {
    const { folder } = await playground(user);
    using place = folder;
    const names = () => readdirSync(place.at('workspace'));
    const before = names();
    const env = { TILLER_HOME: place.at('tiller') };
    const flags = ['--allow-host', 'allowed.invalid'];
    const { child, ended } = await startSandboxed(user, place, flags, `sleep 60.25; : ${place.path}`, env);
    const processes = () => processesWith(place.path).length;
    await expect.poll(() => processesWith('sleep\x0060.25').length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(names()).toEqual([...before, '.vscode'].toSorted());
    child.kill('SIGKILL');
    await ended;
    await expect.poll(names, { timeout: 20_000 }).toEqual(before);
    await expect.poll(processes, { timeout: 20_000 }).toBe(0);
    expect(readdirSync(place.at('tiller/box')).filter((name) => name.startsWith('gate-'))).toEqual([]);
  });

  test('ordinary shell commands work', { timeout: 120_000 }, async () => {
    const { folder } = await playground(user);
    using place = folder;
    const works: Record<string, string> = {
      files: 'mkdir a && echo x > a/b && mv a/b c && ln -s c d && cat d && rm -r a',
      '/tmp': 'f=$(mktemp) && echo x > $f && grep -q x $f',
      '/dev/shm': 'echo x > /dev/shm/x',
      pipes: '[ "$(seq 3 | sort -r | head -1)" = 3 ]',
      'process substitution': 'diff <(echo 1) <(echo 1)',
      'background jobs': 'sleep 0.1 & wait $!',
      node: `${quoted(process.execPath)} -e "require('child_process').fork('/dev/null').on('exit', process.exit)"`,
      "a server of one's own": `${quoted(process.execPath)} -e "const s=require('net').createServer(c=>c.end('hi')).listen(0,()=>require('net').connect(s.address().port).on('data',()=>process.exit(0)))"`,
      python:
        '! command -v /usr/bin/python3 || /usr/bin/python3 -c "import subprocess,tempfile;subprocess.check_call([\'true\']);tempfile.TemporaryFile()"',
      git: '! command -v git || (mkdir g && cd g && git init -q && git status >/dev/null)',
      'git status': "! command -v git || git -c safe.directory='*' status --short >/dev/null",
      make: '! command -v make || (printf "all:\\n\\ttrue\\n" > Makefile && make -s)',
      gcc: '! command -v gcc || (echo "int main(){return 0;}" > m.c && gcc m.c -o m && ./m)',
      strace: '! command -v strace || strace -o /dev/null true',
    };
    const driver = Object.entries(works).map(
      ([name, script]) =>
        `(bash -c ${quoted(script)}) >/tmp/said 2>&1 </dev/null; echo "$? "${quoted(name)} $(tail -1 /tmp/said)`,
    );
    const { stdout } = await sandboxed(user, place, [], driver.join('\n'));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .filter((end) => !end.startsWith('0 ')),
    ).toEqual([]);
  });
});

/** Running processes with this text in their command line. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
