/** The record of a command, and the processes that it ends after a kill. Linux only. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { recordCommand, sweepProcesses } from '../../src/node/process/processRecord.ts';
import { createExec } from '../../src/node/exec.ts';
import { isAlive } from '../support/processes.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { runningRecords } from '../support/processRecords.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

const DEAD = { pid: 2 ** 22 + 1, bootId: null, startTime: null };

function command(mark: string): ChildProcess & { readonly pid: number } {
  const [name = '', value] = mark.split('=');
  return spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, [name]: value },
  }) as never;
}

/** Bubblewrap below a process of its own, held by an option of its own between the start of its child and the child's work. */
async function startingBubblewrap(mark: string) {
  const options = ['--die-with-parent', '--unshare-user', '--unshare-pid', '--info-fd', '3', '--userns-block-fd', '4'];
  const argv = [...options, '--ro-bind', '/', '/', 'sleep', '60'];
  const [name = '', value] = mark.split('=');
  const script = `
    const env = { PATH: process.env.PATH, ${JSON.stringify(name)}: ${JSON.stringify(value)} };
    const stdio = ['ignore', 'ignore', 'inherit', 'pipe', 4];
    console.log(require('node:child_process').spawn('bwrap', ${JSON.stringify(argv)}, { env, stdio }).pid);
    setInterval(() => {}, 1000);`;
  // The other end of what bubblewrap waits for stays open here: bubblewrap goes on when it is closed.
  const tiller = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'] });
  const line = await new Promise((resolve) => tiller.stdout?.once('data', resolve));
  const pid = Number(String(line));
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return {
    pid,
    child: async () => {
      await expect.poll(children, { timeout: 20_000 }).not.toBe('');
      return Number(children());
    },
    killTiller: () => tiller.kill('SIGKILL'),
  };
}

/** Leaves a record as if the Tiller that wrote it had been killed. */
function orphan(home: TempFolder): void {
  for (const name of readdirSync(home.at('processes'))) {
    const file = path.join(home.at('processes'), name);
    const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [JSON.stringify({ ...JSON.parse(first), owner: DEAD }), ...rest].join('\n'));
  }
}

describe.skipIf(process.platform !== 'linux')('a command of a killed process', () => {
  test('is found by its mark when the kill came before its pid was recorded', async () => {
    using home = tempFolder();
    const mark = `TILLER_PROCESS_MARK=${randomUUID()}`;
    recordCommand(home.path, mark);
    const [marked, other] = [command(mark), command(`TILLER_PROCESS_MARK=${randomUUID()}`)];
    orphan(home);
    await sweepProcesses(home.path);
    expect([isAlive(marked.pid), isAlive(other.pid)]).toEqual([false, true]);
    expect(readdirSync(home.at('processes'))).toEqual([]);
    other.kill('SIGKILL');
  });

  // Bubblewrap ends with Tiller. Its child, which waits until its user namespace is ready, does not yet.
  test.skipIf(noSandbox)('is ended although the kill came while bubblewrap was starting', async () => {
    using home = tempFolder();
    const mark = `TILLER_PROCESS_MARK=${randomUUID()}`;
    const record = recordCommand(home.path, mark);
    const bubblewrap = await startingBubblewrap(mark);
    record.started(bubblewrap.pid);
    const child = await bubblewrap.child();
    bubblewrap.killTiller();
    await expect.poll(() => isAlive(bubblewrap.pid)).toBe(false);
    expect(isAlive(child)).toBe(true);
    orphan(home);
    await sweepProcesses(home.path);
    // The signal was sent; on a busy machine the process ends a little later.
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  test('is left alone when its pid belongs to another process by now', async () => {
    using home = tempFolder();
    const mark = `TILLER_PROCESS_MARK=${randomUUID()}`;
    const other = command(`TILLER_PROCESS_MARK=${randomUUID()}`);
    recordCommand(home.path, mark).started(other.pid);
    orphan(home);
    const [name = ''] = readdirSync(home.at('processes'));
    const file = path.join(home.at('processes'), name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/("startTime":)"\d+"/, '$1"1"'));
    await sweepProcesses(home.path);
    expect(isAlive(other.pid)).toBe(true);
    expect(readdirSync(home.at('processes'))).toEqual([]);
    other.kill('SIGKILL');
  });

  test('is not recorded any more when it has ended, or could not be started', async () => {
    using home = tempFolder();
    const exec = createExec({ home: home.path });
    const request = { cwd: home.path, env: {}, stdin: 'none', confinement: { type: 'none' } } as const;
    const child = await exec.spawn({ ...request, argv: ['/bin/sleep', '60'] });
    expect(runningRecords(home.path)).toHaveLength(1);
    await child.kill(0);
    expect(runningRecords(home.path)).toEqual([]);
    await expect(exec.spawn({ ...request, argv: ['/nowhere'] })).rejects.toThrow('was not found');
    expect(runningRecords(home.path)).toEqual([]);
  });

  test('is found although its record is in the file of one that ended before', async () => {
    using home = tempFolder();
    const marks = Array.from({ length: 3 }, () => `TILLER_PROCESS_MARK=${randomUUID()}`);
    const [ended, running, later] = marks.map((mark) => ({
      child: command(mark),
      record: recordCommand(home.path, mark),
    }));
    for (const one of [ended, running]) one?.record.started(one.child.pid);
    ended?.record.ended();
    later?.record.ended();
    const mark = `TILLER_PROCESS_MARK=${randomUUID()}`;
    const child = command(mark);
    recordCommand(home.path, mark).started(child.pid);
    expect(readdirSync(home.at('processes'))).toHaveLength(3);
    orphan(home);
    await sweepProcesses(home.path);
    const alive = [ended, running, later].map((one) => isAlive(one?.child.pid ?? 0));
    expect([...alive, isAlive(child.pid)]).toEqual([true, false, true, false]);
    expect(readdirSync(home.at('processes'))).toEqual([]);
    for (const one of [ended, later]) one?.child.kill('SIGKILL');
  });

  test('is recorded in a new file when the folder was removed', () => {
    using home = tempFolder();
    recordCommand(home.path, 'TILLER_PROCESS_MARK=1').ended();
    rmSync(home.at('processes'), { recursive: true });
    recordCommand(home.path, 'TILLER_PROCESS_MARK=2');
    expect(readdirSync(home.at('processes'))).toEqual(['2.json']);
  });

  // In a process of its own: the failure would be a loop inside a synchronous call.
  test('runs without a record, and at once, where the system cannot create a folder', async () => {
    using folder = tempFolder();
    const program = folder.at('program.cjs');
    await build({
      stdin: {
        contents: `
          import { recordCommand } from './src/node/process/processRecord.ts';
          const record = recordCommand('/proc/tiller', 'TILLER_PROCESS_MARK=1');
          record.started(process.pid);
          record.ended();
          console.log('returned');`,
        resolveDir: path.join(import.meta.dirname, '../..'),
      },
      outfile: program,
      bundle: true,
      platform: 'node',
    });
    const run = promisify(execFile)(process.execPath, [program], { timeout: 20_000, killSignal: 'SIGKILL' });
    await expect(run).resolves.toMatchObject({ stdout: 'returned\n' });
  });
});
