import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { PausableCommands } from '../../src/node/process/pausing.ts';
import { sandboxedLeaders } from '../../src/node/process/processRecord.ts';
import { listProcesses } from '../../src/node/process/processTable.ts';
import { noSandbox, Playground } from '../support/sandboxed.ts';
import { rounds } from '../support/rounds.ts';
import { bundled } from '../support/runTypeScript.ts';
import { tempFolder } from '../support/tempFolder.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) endGroup(pid);
});

/** Starts processes repeatedly, one of them outside its group, and each of them writes. */
const BUSY = `
setsid sh -c 'while :; do echo x >> far; done' &
for one in 1 2 3; do (while :; do sh -c 'echo x >> near'; done) & done
wait
`;

describe.skipIf(noSandbox !== false)('a command in the sandbox', () => {
  test('does nothing in a pause, whatever it was about to start, and goes on after it', {
    timeout: 60_000,
  }, async () => {
    using ground = new Playground();
    const commands = new PausableCommands();
    const command = await ground.start(['/bin/bash', '-c', BUSY]);
    commands.add(command);
    try {
      const written = () => ['far', 'near'].map((name) => sizeOf(ground.at(name)));
      await expect.poll(() => written().every((size) => size > 0), { timeout: 20_000 }).toBe(true);
      let held = 0;
      for (let round = 0; round < rounds(4, 10); round++) {
        const pause = await commands.pause();
        // On a machine with more work than processors, a process may not stop in time, and the pause says so.
        if (!pause.isHeld()) {
          pause.dispose();
          continue;
        }
        held++;
        const before = written();
        await sleep(30);
        expect(written()).toEqual(before);
        pause.dispose();
        expect(pause.isHeld()).toBe(false);
        await expect
          .poll(() => written().every((size, index) => size > (before[index] ?? 0)), { timeout: 20_000 })
          .toBe(true);
      }
      expect(held).toBeGreaterThan(0);
    } finally {
      await command.kill(0);
    }
  });

  test('stays stopped until the last of several pauses is over', { timeout: 60_000 }, async () => {
    using ground = new Playground();
    const commands = new PausableCommands();
    const command = await ground.start(['/bin/bash', '-c', BUSY]);
    commands.add(command);
    try {
      await expect.poll(() => sizeOf(ground.at('near')) > 0, { timeout: 20_000 }).toBe(true);
      const [one, other] = await Promise.all([commands.pause(), commands.pause()]);
      one.dispose();
      one.dispose();
      const before = sizeOf(ground.at('near'));
      await sleep(30);
      expect([other.isHeld(), sizeOf(ground.at('near'))]).toEqual([true, before]);
      other.dispose();
      await expect.poll(() => sizeOf(ground.at('near')) > before, { timeout: 20_000 }).toBe(true);
    } finally {
      await command.kill(0);
    }
  });

  test('is stopped by a pause that began before it', { timeout: 60_000 }, async () => {
    using ground = new Playground();
    const commands = new PausableCommands();
    const pause = await commands.pause();
    const command = await ground.start(['/bin/bash', '-c', BUSY]);
    try {
      commands.add(command);
      await expect.poll(() => pause.isHeld()).toBe(true);
      const before = sizeOf(ground.at('near'));
      await sleep(30);
      expect(sizeOf(ground.at('near'))).toBe(before);
      pause.dispose();
      await expect.poll(() => sizeOf(ground.at('near')) > before, { timeout: 20_000 }).toBe(true);
    } finally {
      await command.kill(0);
    }
  });

  test('of another window is stopped, too', { timeout: 60_000 }, async () => {
    using ground = new Playground();
    const command = await ground.start(['/bin/bash', '-c', BUSY]);
    try {
      await expect.poll(() => sizeOf(ground.at('near')) > 0, { timeout: 20_000 }).toBe(true);
      const leaders = await sandboxedLeaders(ground.home);
      expect(leaders).toEqual([command.pid]);
      const pause = await new PausableCommands().pause(leaders);
      const before = sizeOf(ground.at('near'));
      await sleep(30);
      expect([pause.isHeld(), sizeOf(ground.at('near'))]).toEqual([true, before]);
      pause.dispose();
      await expect.poll(() => sizeOf(ground.at('near')) > before, { timeout: 20_000 }).toBe(true);
    } finally {
      await command.kill(0);
    }
    expect(await sandboxedLeaders(ground.home)).toEqual([]);
  });

  test('that has a terminal is not reported as stopped by its shell', { timeout: 60_000 }, async () => {
    using ground = new Playground();
    const commands = new PausableCommands();
    const command = await ground.start(['/bin/bash', '--norc', '-i'], {
      tty: { columns: 80, rows: 24 },
      stdin: 'pipe',
    });
    let screen = '';
    command.onOutput(({ bytes }) => (screen += Buffer.from(bytes).toString()));
    commands.add(command);
    try {
      command.write('sh -c "echo be""gun; while [ ! -e over ]; do sleep 0.05; done"; echo "ended" $?\n');
      await expect.poll(() => screen, { timeout: 20_000 }).toContain('begun');
      for (let round = 0; round < 5; round++) {
        const pause = await commands.pause();
        expect(pause.isHeld()).toBe(true);
        pause.dispose();
        await sleep(20);
      }
      await ground.bash('touch over');
      await expect.poll(() => screen, { timeout: 20_000 }).toMatch(/^ended 0/m);
      expect(screen).not.toMatch(/stopped/i);
    } finally {
      await command.kill(0);
    }
  });
});

describe.skipIf(process.platform === 'win32')('a paused command', () => {
  test('continues when the process that paused it is killed', { timeout: 60_000 }, async () => {
    using folder = tempFolder();
    const command = startShell('while :; do echo x >> ticks; sleep 0.01; done', folder.path);
    const holder = spawn(process.execPath, [await bundled('pausingProcess.ts'), String(command.pid)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(holder.stdout, 'data')) as [Buffer];
    expect(said.toString()).toBe('held\n');
    expect(stateOf(command.pid)).toBe('T');
    holder.kill('SIGKILL');
    await expect.poll(() => stateOf(command.pid), { timeout: 20_000 }).not.toBe('T');
  });

  test('continues after the longest time, and the pause reports that', { timeout: 60_000 }, async () => {
    using folder = tempFolder();
    const command = startShell('while :; do sleep 0.01; done', folder.path);
    const commands = new PausableCommands({ longestMs: 200 });
    commands.add({ pid: command.pid, exited: once(command, 'exit') });
    const pause = await commands.pause();
    await expect.poll(() => pause.isHeld(), { timeout: 20_000 }).toBe(false);
    await expect.poll(() => stateOf(command.pid), { timeout: 20_000 }).not.toBe('T');
    pause.dispose();
  });

  test('stays stopped where it was stopped before', { timeout: 60_000 }, async () => {
    using folder = tempFolder();
    const command = startShell('kill -STOP $$', folder.path);
    await expect.poll(() => stateOf(command.pid), { timeout: 20_000 }).toBe('T');
    const commands = new PausableCommands();
    commands.add({ pid: command.pid, exited: once(command, 'exit') });
    const pause = await commands.pause();
    expect(pause.isHeld()).toBe(true);
    pause.dispose();
    await sleep(50);
    expect(stateOf(command.pid)).toBe('T');
  });

  test('that has ended is not signalled', async () => {
    const command = startShell('exit 0', '/');
    const commands = new PausableCommands();
    commands.add({ pid: command.pid, exited: once(command, 'exit') });
    await once(command, 'close');
    const pause = await commands.pause();
    expect(pause.isHeld()).toBe(true);
    pause.dispose();
  });
});

function startShell(script: string, cwd: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script], { cwd, detached: true, stdio: 'ignore' });
  started.push(child);
  return child;
}

function stateOf(pid: number | undefined): string | undefined {
  return listProcesses(process.platform)
    .find((row) => row.pid === pid)
    ?.state.slice(0, 1);
}

function sizeOf(file: string): number {
  return existsSync(file) ? readFileSync(file).length : 0;
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
