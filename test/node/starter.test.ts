import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Exec, ExecExit, ExecRequest } from '../../src/core/ports.ts';
import { createExec } from '../../src/node/exec.ts';
import { pipedProcess } from '../../src/node/process/pipedProcess.ts';
import { Starter } from '../../src/node/process/starter.ts';
import { isAlive, pidIn } from '../support/processes.ts';
import { runningRecords } from '../support/processRecords.ts';
import { readyStarter, starterProgram, untilReady } from '../support/readyStarter.ts';
import { bundled } from '../support/runTypeScript.ts';
import { noSandbox, Playground } from '../support/sandboxed.ts';
import { tempFolder } from '../support/tempFolder.ts';

const isLinux = process.platform === 'linux';
const LATE = { timeout: 20_000 };

function request(script: string, more: Partial<ExecRequest> = {}): ExecRequest {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  return { argv: ['/bin/sh', '-c', script], cwd: '/', env, stdin: 'none', confinement: { type: 'none' }, ...more };
}

async function run(exec: Exec, script: string, more: Partial<ExecRequest> = {}): Promise<ExecExit & { out: string }> {
  const child = await exec.spawn(request(script, more));
  let out = '';
  child.onOutput(({ bytes }) => (out += Buffer.from(bytes).toString()));
  return { ...(await child.exited), out };
}

/** The pid of the process that starts the commands. */
const parentOf = async (exec: Exec) => Number((await run(exec, 'echo $PPID')).out);

const openDescriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** A process with a starter and a command, and the pids of these two. */
async function startOwner(home: string) {
  const args = [await bundled('starterOwner.ts'), home, await starterProgram()];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { pids: JSON.parse(String(line)) as [number, number], kill: () => child.kill('SIGKILL') };
}

test.runIf(isLinux)(
  'a process that has the pid of an ended command by now is neither interrupted nor killed',
  async () => {
    const other = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'ignore' });
    const gone = once(other, 'exit');
    const pid = other.pid ?? 0;
    const commandWith = (isReplaced: boolean) => {
      const nothing = { stdin: null, stdout: null, stderr: null, exitCode: null, signalCode: null };
      const child = Object.assign(new EventEmitter(), { ...nothing, pid, isReplaced: () => isReplaced });
      return { child, process: pipedProcess(child, { stdin: 'none' }, 'MARK=none', 'linux') };
    };
    const ended = commandWith(true);
    ended.process.write('\u0003');
    const killed = ended.process.kill(0);
    ended.child.emit('exit', 0, null);
    ended.child.emit('close');
    await killed;
    expect([isAlive(pid), other.signalCode]).toEqual([true, null]);
    void commandWith(false).process.kill(0);
    expect((await gone)[1]).toBe('SIGKILL');
  },
);

describe.runIf(isLinux)('the starter', () => {
  test('starts commands as soon as it is ready, and before that this process does', async () => {
    using home = tempFolder();
    const starter = new Starter(home.path, await starterProgram());
    const exec = createExec({ starter });
    expect(await parentOf(exec)).toBe(process.pid);
    await untilReady(starter);
    expect(await parentOf(exec)).not.toBe(process.pid);
    starter.dispose();
  });

  test('gives a command the text for its standard input, and then its end', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const exec = createExec({ starter });
    const text = '{"tool_name":"Bash"}'.repeat(10_000);
    expect(await run(exec, 'cat | wc -c', { stdin: { text } })).toMatchObject({ code: 0, out: `${text.length}\n` });
    starter.dispose();
  });

  test('has nothing of a command in its arguments or its environment', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const exec = createExec({ starter });
    const secret = 'sk-very-secret';
    const child = await exec.spawn(request('sleep 60', { env: { PATH: '/usr/bin:/bin', KEY: secret } }));
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
    const shown = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${parent}/${name}`, 'utf8')).join();
    expect(parent).not.toBe(process.pid);
    expect(shown).not.toContain(secret);
    await child.kill(0);
    starter.dispose();
  });

  test('starts 64 commands at once, each with its own output, and leaves no descriptor open', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const exec = createExec({ starter, home: home.path });
    const parent = await parentOf(exec);
    const before = openDescriptors(parent);
    const numbers = Array.from({ length: 64 }, (_, index) => index);
    const found = await Promise.all(numbers.map((one) => run(exec, `echo ${one}; exit ${one}`)));
    const refused = exec.spawn({ ...request(''), argv: ['no-such-program'], stdin: 'pipe' });
    await expect(refused).rejects.toThrow('The program no-such-program was not found.');
    expect(found).toEqual(numbers.map((code) => ({ code, signal: null, out: `${code}\n` })));
    // Descriptors of the command before may have been open when they were counted; other tests run in this process.
    await expect.poll(() => openDescriptors(parent), LATE).toBeLessThanOrEqual(before);
    starter.dispose();
  });

  test('closes a connection without a valid key, and takes none for a stream of a command', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const [name = ''] = readdirSync(home.at('box'));
    const stranger = connect(home.at('box', name));
    stranger.write('00000000-0000-0000-0000-000000000000and more');
    await once(stranger.resume(), 'close');
    expect((await run(createExec({ starter }), 'echo fine')).out).toBe('fine\n');
    starter.dispose();
  });

  test('that is killed takes its commands with it; later ones are started by this process, then by a new one', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const exec = createExec({ starter, home: home.path });
    const parent = await parentOf(exec);
    const child = await exec.spawn(request('sleep 60'));
    process.kill(parent, 'SIGKILL');
    expect(await child.exited).toEqual({ code: 137, signal: 'SIGKILL' });
    // Its parent is gone, so the system reports its end without it having been removed yet.
    await expect.poll(() => isAlive(child.pid ?? 0)).toBe(false);
    expect(runningRecords(home.path)).toEqual([]);
    expect(await parentOf(exec)).toBe(process.pid);
    await untilReady(starter);
    expect(await parentOf(exec)).not.toBe(process.pid);
    starter.dispose();
  });

  test('that is killed before it has read a command has it started by this process, once', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const exec = createExec({ starter });
    const parent = await parentOf(exec);
    process.kill(parent, 'SIGSTOP');
    const runs = ['a', 'b', 'c'].map((name) => run(exec, `echo ${name} >> ${home.at('ran')}; echo ${name}`));
    process.kill(parent, 'SIGKILL');
    expect((await Promise.all(runs)).map(({ out }) => out)).toEqual(['a\n', 'b\n', 'c\n']);
    expect(readFileSync(home.at('ran'), 'utf8').split('\n').sort()).toEqual(['', 'a', 'b', 'c']);
    starter.dispose();
  });

  test('that cannot run is given up, and this process starts the commands', async () => {
    using home = tempFolder();
    writeFileSync(home.at('broken.cjs'), 'process.exit(3)');
    const starter = new Starter(home.path, home.at('broken.cjs'));
    const exec = createExec({ starter });
    for (let i = 0; i < 5; i++) expect(await parentOf(exec)).toBe(process.pid);
    await expect.poll(() => readdirSync(home.at('box')), LATE).toEqual([]);
    starter.dispose();
  });

  test('ends when its owner is killed, with the sockets of both and without the commands', async () => {
    using home = tempFolder();
    const owner = await startOwner(home.path);
    const [starter, command] = owner.pids;
    owner.kill();
    await expect.poll(() => isAlive(starter), LATE).toBe(false);
    await expect.poll(() => readdirSync(home.at('box')), LATE).toEqual([]);
    expect(isAlive(command)).toBe(true);
    process.kill(command, 'SIGKILL');
  });

  test('ends when it is disposed of, and removes its socket', async () => {
    using home = tempFolder();
    const starter = await readyStarter(home.path);
    const exec = createExec({ starter });
    const parent = await parentOf(exec);
    starter.dispose();
    await expect.poll(() => isAlive(parent), LATE).toBe(false);
    expect(readdirSync(home.at('box'))).toEqual([]);
    expect(await parentOf(exec)).toBe(process.pid);
  });
});

describe.skipIf(noSandbox !== false)('a sandboxed command of the starter', () => {
  test('has its filter and no descriptor but its streams, and leaves none open', async () => {
    using ground = new Playground();
    const starter = await readyStarter(ground.home);
    const exec = createExec({ home: ground.home, sandboxes: ground.sandboxes, starter });
    const parent = await parentOf(exec);
    const before = openDescriptors(parent);
    const { out } = await run(
      exec,
      '',
      ground.request(['/bin/sh', '-c', 'ls /proc/self/fd; grep Seccomp: /proc/self/status']),
    );
    // The last one is of the listing itself.
    expect(out).toMatch(/^0\n1\n2\n3\nSeccomp:\t2\n$/);
    await expect.poll(() => openDescriptors(parent), LATE).toBe(before);
    starter.dispose();
  });

  test('leaves a protected name behind, which is put into quarantine', async () => {
    using ground = new Playground();
    const starter = await readyStarter(ground.home);
    const exec = createExec({ home: ground.home, sandboxes: ground.sandboxes, starter });
    const child = await exec.spawn(ground.request(['/bin/sh', '-c', 'mkdir .tiller']));
    const { findings = [] } = await child.exited;
    expect(findings.map(({ kind }) => kind)).toEqual(['quarantined']);
    starter.dispose();
  });

  test('ends with the starter', async () => {
    using ground = new Playground();
    const starter = await readyStarter(ground.home);
    const exec = createExec({ home: ground.home, sandboxes: ground.sandboxes, starter });
    const parent = await parentOf(exec);
    const child = await exec.spawn(ground.request(['/bin/sh', '-c', 'echo $$ > pid; sleep 60']));
    await pidIn(ground.at('pid'));
    process.kill(parent, 'SIGKILL');
    expect((await child.exited).signal).toBe('SIGKILL');
    expect(isAlive(child.pid ?? 0)).toBe(false);
    starter.dispose();
  });
});
