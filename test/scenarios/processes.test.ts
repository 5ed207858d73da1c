import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProcessState } from '../../src/protocol/thread.ts';
import { type Answer, calls, hangs, ModelServer, says, type Step } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { overWhen } from '../support/overWhen.ts';
import { commandLines, isAlive, pidIn } from '../support/processes.ts';
import { runningRecords } from '../support/processRecords.ts';
import { rounds } from '../support/rounds.ts';
import { startCli } from '../support/runCli.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** Timeout for tests with other processes, on a busy machine. */
const PATIENT = { timeout: 20_000 };
/** Output size. Kept whole it would exceed the limit of the heap, which is 160 MB. */
const MEGABYTES = rounds(200, 1024);
const start = (options: ScenarioOptions) => startScenario({ sandbox: 'danger-full-access', ...options });
const exec = (cmd: string, more: object = {}): Step => calls('exec_command', { cmd, yield_time_ms: 250, ...more });

function sessionIn(text: string): number {
  return Number(/^Process running with session ID (\d+)$/m.exec(text)?.[1]);
}

/** Types into the process of the first output, or reads its output. */
function writes(chars = '', more: object = {}): Answer {
  return ({ input }) => {
    const texts = input.filter((item) => String(item.type).endsWith('_output')).map((item) => String(item.output));
    return [
      calls('write_stdin', { session_id: sessionIn(texts.find((text) => sessionIn(text) > 0) ?? ''), chars, ...more }),
    ];
  };
}

function onlyProcess(chat: Scenario): ProcessState {
  expect(chat.state.processes).toHaveLength(1);
  return chat.state.processes[0] as ProcessState;
}

/** The output of all processes so far. */
function outputOf(chat: Scenario): string {
  const inTurns = chat.said('item_delta').filter(({ kind }) => kind === 'output');
  return [...inTurns, ...chat.said('process_output')].map(({ text }) => text).join('');
}

function residentBytes(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

describe('a command that ends within its wait', () => {
  it('returns the lines that Codex returns, and leaves nothing behind', async () => {
    await using chat = await start({ model: [[exec('echo hi; exit 3')], [says('Three.')]] });
    await chat.send('go');
    expect(chat.outputs()[0]).toMatch(
      /^Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\nProcess exited with code 3\nOriginal token count: 1\nOutput:\nhi\n$/,
    );
    expect(chat.items('command_execution')[0]).toMatchObject({ status: 'failed', exitCode: 3, output: 'hi\n' });
    expect(chat.state.processes).toEqual([]);
    expect(readdirSync(chat.home.path, { recursive: true })).not.toContain('logs/commands');
  });

  it('with a time limit is killed when it is over', async () => {
    await using chat = await start({
      model: [[exec('echo on; sleep 60', { timeout_ms: 300, yield_time_ms: 9_000 })], [says('I see.')]],
    });
    await chat.send('go');
    expect(chat.outputs()[0]).toMatch(
      /Process exited with code 124\n.*\nOutput:\ncommand timed out after 300 milliseconds and was killed\non\n$/s,
    );
  });

  it('is shown byte for byte, except that NULs are visible and invalid UTF-8 is marked', async () => {
    await using chat = await start({ model: [[exec(String.raw`printf 'a\0b\377\303\244'`)], [says('Odd.')]] });
    await chat.send('go');
    expect(chat.outputs()[0]?.endsWith('Output:\na␀b\uFFFDä')).toBe(true);
  });

  it('runs under every tool name that models know', async () => {
    const names = ['shell', 'container.exec', 'local_shell', 'shell_command', 'unified_exec'];
    await using chat = await start({
      model: [
        names.map((name) => calls(name, name === 'unified_exec' ? { cmd: 'echo hi' } : { command: ['echo', 'hi'] })),
        [says('Five.')],
      ],
    });
    await chat.send('go');
    expect(chat.outputs().map((output) => output.split('Output:\n')[1])).toEqual(names.map(() => 'hi\n'));
    expect(chat.outputs()[0]).toMatch(/^Exit code: 0\nWall time: \d+\.\d seconds\nOutput:\nhi\n$/);
  });
});

describe('a command that does not end within its wait', () => {
  it('continues in the background, can be read, and no output is returned twice', async () => {
    await using chat = await start({
      // The time at which the machine was started does not count.
      deps: ({ clock }) => ({ clock: { ...clock, monotonic: () => 1_000_000 + clock.monotonic() } }),
      model: [
        [exec('echo one; while [ ! -f go ]; do sleep 0.02; done; echo two; exit 5')],
        writes('', { yield_time_ms: 20_000 }),
        writes(),
        [says('It ended.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.next('process_started');
    await expect.poll(() => chat.items('command_execution').length, PATIENT).toBe(1);
    chat.write('go', '');
    await ended;
    const [first, second, third] = chat.outputs();
    const session = sessionIn(first ?? '');
    expect(session).toBeGreaterThanOrEqual(1_000);
    expect(first).toMatch(/Output:\none\n$/);
    expect(second).toMatch(
      /^Chunk ID: \w{6}\nWall time: \d{1,2}\.\d{4} seconds\nProcess exited with code 5\nOriginal token count: 1\nOutput:\ntwo\n$/,
    );
    expect(third).toBe(`There is no process with session ID ${session}: it never was, or you were told how it ended.`);
    const item = chat.items('command_execution')[0];
    expect(item).toMatchObject({ status: 'completed', exitCode: null, processId: String(session), output: 'one\n' });
    // The log is written beside the turn.
    const log = () => (existsSync(item?.logPath ?? '') ? readFileSync(item?.logPath ?? '', 'utf8') : null);
    await expect.poll(log, PATIENT).toBe('one\ntwo\n');
    expect(statSync(item?.logPath ?? '').mode & 0o777).toBe(0o600);
    expect(onlyProcess(chat)).toMatchObject({ output: 'two\n', status: { type: 'exited', exitCode: 5 } });
    expect(chat.items('process_interaction')).toMatchObject([{ processId: String(session), chars: '' }]);
  });

  it('survives the turn and an interrupt, and is killed with the thread, including children in their own session', async () => {
    const chat = await start({
      model: [
        [exec('setsid sh -c "echo \\$\\$ > pid; exec sleep 60" & sleep 60')],
        [says('It runs.')],
        writes('', { yield_time_ms: 30_000 }),
        [says('Back.')],
      ],
    });
    await chat.send('start it');
    const pid = await pidIn(chat.folder.at('pid'));
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'wait for it' }] });
    await expect.poll(() => chat.state.turns.at(-1)?.items.at(-1)?.type, PATIENT).toBe('process_interaction');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect([isAlive(pid), onlyProcess(chat).status]).toEqual([true, { type: 'running' }]);
    await chat[Symbol.asyncDispose]();
    expect([isAlive(pid), onlyProcess(chat).status.type]).toEqual([false, 'exited']);
  });

  it('is killed by the user, and the model gets a note of it', async () => {
    await using chat = await start({
      model: [[exec('echo on; sleep 60')], [says('It runs.')], writes(), [says('Gone.')]],
    });
    await chat.send('start it');
    const { processId } = onlyProcess(chat);
    const exited = chat.next('process_exited');
    chat.submit({ type: 'kill_process', processId });
    expect(await exited).toEqual({ type: 'process_exited', processId, exitCode: 143 });
    await chat.send('and?');
    expect(chat.outputs()[1]).toMatch(/Process exited with code 143\n.*Output:\nThe user killed this command\.\n$/s);
    chat.submit({ type: 'kill_process', processId });
    expect((await chat.next('warning')).message).toBe(`There is no process ${processId} that runs.`);
  });

  it('is killed by the user while its call waits for it', async () => {
    await using chat = await start({
      model: [[exec('echo on; sleep 60', { yield_time_ms: 30_000 })], [says('Gone.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    const { processId } = await chat.next('process_started');
    chat.submit({ type: 'kill_process', processId });
    await ended;
    expect(chat.outputs()[0]).toContain('Process exited with code 143');
    expect(onlyProcess(chat).status).toEqual({ type: 'exited', exitCode: 143 });
  });

  it('ends with its window, and the resumed thread shows that', async () => {
    const chat = await start({ model: [[exec('echo $$ > pid; sleep 60')], [says('It runs.')]] });
    await chat.send('start it');
    const pid = await pidIn(chat.folder.at('pid'));
    await chat.session.suspend();
    await chat.server.close();
    expect(isAlive(pid)).toBe(false);
    await using again = await start({ resume: chat, model: [] });
    expect(onlyProcess(again).status).toEqual({ type: 'exited', exitCode: null });
  });
});

describe('typing', () => {
  it('is refused without a terminal, with advice; a lone Ctrl-C interrupts', async () => {
    await using chat = await start({
      model: [
        [exec('trap "echo stopped; exit 130" INT; while :; do sleep 0.02; done')],
        writes('hello\n'),
        writes('\u0003', { yield_time_ms: 20_000 }),
        [says('Stopped.')],
      ],
    });
    await chat.send('go');
    const [, refused, interrupted] = chat.outputs();
    expect(refused).toMatch(/has no terminal.*tty: true/);
    expect(interrupted).toMatch(/Process exited with code 130\n.*Output:\nstopped\n$/s);
  });

  it('reaches python in a terminal', async () => {
    await using chat: Scenario = await start({
      deps: overWhen(3_000, (wait) => outputOf(chat).split('>>> ').length > wait),
      model: [
        [exec('exec python3 -i -q', { tty: true, yield_time_ms: 3_000 })],
        writes('print(6*7)\n', { yield_time_ms: 3_000 }),
        writes('exit()\n', { yield_time_ms: 20_000 }),
        [says('42.')],
      ],
    });
    await chat.send('go');
    const [first, answer, end] = chat.outputs();
    expect(first).toContain('Process running with session ID');
    expect(answer).toMatch(/^42\r$/m);
    expect(end).toContain('Process exited with code 0');
  });

  it('is announced in the approval request for the command, and needs no approval of its own', async () => {
    await using chat = await startScenario({
      policy: 'untrusted',
      model: [
        [exec('read name; echo "hello $name"', { tty: true })],
        writes('you\n', { yield_time_ms: 20_000 }),
        [says('Hello.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    expect(await chat.next('approval_requested')).toMatchObject({ kind: 'command', tty: true });
    await chat.answer('approved');
    await ended;
    expect(chat.outputs()[1]).toContain('hello you');
    expect(chat.said('approval_requested')).toHaveLength(1);
  });

  it('is possible for the user, too', async () => {
    await using chat = await start({
      model: [[exec('read name; echo "hello $name"', { tty: true })], [says('It asks.')]],
    });
    await chat.send('go');
    const { processId } = onlyProcess(chat);
    const exited = chat.next('process_exited');
    chat.submit({ type: 'process_input', processId, chars: 'you\n' });
    expect((await exited).exitCode).toBe(0);
    expect(onlyProcess(chat)).toMatchObject({ tty: true, output: 'you\r\nhello you\r\n' });
  });

  it('uses the size of the terminal in which it is shown', async () => {
    const cmd = "trap 'stty size; exit' WINCH; stty size; while true; do sleep 0.05; done";
    await using chat = await start({ model: [[exec(cmd, { tty: true })], [says('It draws.')]] });
    await chat.send('go');
    const { processId } = onlyProcess(chat);
    const exited = chat.next('process_exited');
    chat.submit({ type: 'process_resize', processId, columns: 132, rows: 50 });
    expect((await exited).exitCode).toBe(0);
    expect(onlyProcess(chat).output).toBe('50 132\r\n');
    chat.submit({ type: 'process_resize', processId, columns: 80, rows: 24 });
    expect(chat.said('warning')).toEqual([]);
  });

  it('has no effect without a terminal, and the user gets a warning', async () => {
    await using chat = await start({ model: [[exec('sleep 60')], [says('It runs.')]] });
    await chat.send('go');
    const { processId } = onlyProcess(chat);
    const warning = chat.next('warning');
    chat.submit({ type: 'process_input', processId, chars: 'y\n' });
    expect((await warning).message).toBe(`Process ${processId} has no terminal: nothing but Ctrl-C reaches it.`);
    const exited = chat.next('process_exited');
    chat.submit({ type: 'process_input', processId, chars: '\u0003' });
    expect((await exited).exitCode).toBe(130);
  });
});

describe.skipIf(noSandbox !== false)(`in the sandbox${noSandbox ? `: ${noSandbox}` : ''}`, () => {
  const sandboxed = (options: ScenarioOptions) =>
    startScenario({ ...options, sandbox: 'workspace-write', box: 'real' });

  it('a terminal works, Ctrl-C interrupts, and no process can inject keys into it', async () => {
    const fakesKeys = 'python3 -c "import fcntl; fcntl.ioctl(0, 0x5412, b\'x\')" 2>&1 | tail -n 1';
    const prints = ['Operation not permitted', 'got you'];
    await using chat: Scenario = await sandboxed({
      deps: overWhen(3_000, (wait) => outputOf(chat).includes(prints[wait - 1] ?? '')),
      model: [
        [
          exec(
            `trap "echo caught; exit 4" INT; test -t 0 && ${fakesKeys}; read a; echo "got $a"; while :; do sleep 0.05; done`,
            { tty: true, yield_time_ms: 3_000 },
          ),
        ],
        writes('you\n', { yield_time_ms: 3_000 }),
        writes('\u0003', { yield_time_ms: 20_000 }),
        [says('Good.')],
      ],
    });
    await chat.send('go');
    const [first, second, third] = chat.outputs();
    expect(first).toContain('Operation not permitted');
    expect(second).toContain('got you');
    expect(third).toMatch(/Process exited with code 4\n.*caught/s);
    expect(chat.items('command_execution')[0]?.box).toBe('bubblewrap');
  });

  it('a background command is killed with all it started', async () => {
    await using chat = await sandboxed({
      model: [[exec('echo $PPID; setsid sleep 4242 & sleep 4242')], [says('It runs.')]],
    });
    await chat.send('go');
    await expect.poll(() => commandLines().filter((line) => line === 'sleep 4242').length, PATIENT).toBe(2);
    const { processId } = onlyProcess(chat);
    const exited = chat.next('process_exited');
    chat.submit({ type: 'kill_process', processId });
    await exited;
    await expect.poll(() => commandLines().filter((line) => line === 'sleep 4242'), PATIENT).toEqual([]);
  });

  it('kill -9 of the host leaves nothing running', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([
      [exec('setsid sleep 4343 & sleep 4343')],
      [says('Partial'), hangs()],
    ]);
    const child = await startCli(['exec', '--json', '--model', 'm', '--base-url', server.baseUrl, 'go'], {
      home: folder.path,
    });
    child.stdin.end();
    await expect.poll(() => commandLines().filter((line) => line === 'sleep 4343').length, PATIENT).toBe(2);
    child.kill('SIGKILL');
    await child.ended;
    await expect.poll(() => commandLines().filter((line) => line === 'sleep 4343'), PATIENT).toEqual([]);
  });
});

describe('much output', () => {
  it('reaches the panel in pieces of limited size', async () => {
    await using chat = await start({
      model: [
        [exec("head -c 30M /dev/zero | tr '\\0' x; echo; echo last", { yield_time_ms: 30_000 })],
        [says('Much.')],
      ],
    });
    await chat.send('go');
    const pieces = chat
      .said('item_delta')
      .filter(({ kind }) => kind === 'output')
      .map(({ text }) => text);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(40_000);
    expect(pieces.join('').slice(-40)).toMatch(/x\nlast\n$/);
    expect(chat.items('command_execution')[0]?.logPath).toMatch(/logs\/commands\/.*\.log$/);
  });

  it('of `yes` ends with its reader', async () => {
    await using chat = await start({ model: [[exec('yes | head -n 3')], [says('Three.')]] });
    await chat.send('go');
    expect(chat.outputs()[0]).toMatch(/Process exited with code 0\n.*Output:\ny\ny\ny\n$/s);
  });

  it('is not delayed by a daemon that has closed it', async () => {
    await using chat = await start({
      model: [
        [exec('setsid sh -c "exec sleep 3" >/dev/null 2>&1 </dev/null & echo started', { yield_time_ms: 30_000 })],
        [says('On.')],
      ],
    });
    await chat.send('go');
    expect(chat.outputs()[0]).toMatch(/Process exited with code 0\n.*Output:\nstarted\n$/s);
    expect(chat.items('command_execution')[0]?.durationMs).toBeLessThan(2_000);
  });
});

// In parallel: one of them only waits.
describe('a daemon that its command leaves behind', () => {
  const DAEMON = "setsid -f sh -c 'echo $$ > pid; exec sleep 300' < /dev/null > /dev/null 2>&1";
  const untilItRuns = 'until [ -s pid ]; do sleep 0.01; done';

  it('outside the sandbox runs on, is in no list, and survives the end of Tiller', async () => {
    await using chat = await start({
      model: [[exec(`${DAEMON}; ${untilItRuns}; echo ended`, { yield_time_ms: 20_000 })], [says('Done.')]],
    });
    await chat.send('go');
    const daemon = await pidIn(chat.folder.at('pid'));
    try {
      expect(chat.items('command_execution')).toMatchObject([{ exitCode: 0, output: 'ended\n' }]);
      expect(chat.state.processes).toEqual([]);
      await chat.session.dispose();
      // The next start reads the processes to end from the marks in these files.
      expect(runningRecords(chat.home.path)).toEqual([]);
      expect(isAlive(daemon)).toBe(true);
    } finally {
      process.kill(daemon, 'SIGKILL');
    }
  });

  it('outside the sandbox is killed with a command that has not ended', async () => {
    await using chat = await start({
      model: [[exec(`${DAEMON}; ${untilItRuns}; sleep 300`)], [says('Done.')]],
    });
    await chat.send('go');
    const daemon = await pidIn(chat.folder.at('pid'));
    chat.submit({ type: 'kill_process', processId: onlyProcess(chat).processId });
    await expect.poll(() => isAlive(daemon), PATIENT).toBe(false);
  });

  it.skipIf(noSandbox !== false)('in the sandbox ends with its command', async () => {
    // The number is one of the sandbox: the command line tells it from others.
    const seconds = 300 + process.pid;
    await using chat = await startScenario({
      box: 'real',
      model: [
        [exec(`${DAEMON.replace('300', String(seconds))}; ${untilItRuns}; echo ended`, { yield_time_ms: 20_000 })],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    expect(chat.items('command_execution')).toMatchObject([{ exitCode: 0, output: 'ended\n' }]);
    await expect.poll(() => commandLines().filter((line) => line === `sleep ${seconds}`), PATIENT).toEqual([]);
  });
});

describe.concurrent('many processes, and much output', () => {
  it('64 may run; the model is warned at 60, and beyond 64 the least recently used one is ended', async ({
    expect,
  }) => {
    const count = 66;
    const startAll = Array.from({ length: count }, (_, index) =>
      exec(`echo ${index}; exec sleep 120`, { yield_time_ms: 250 }),
    );
    await using chat = await start({ deps: overWhen(250, () => true), model: [startAll, [says('Many.')]] });
    await chat.send('go');
    const outputs = chat.outputs();
    expect(outputs[58]).not.toContain('processes are open');
    expect(outputs[59]).toContain('60 of at most 64 processes are open; end those that are not needed.');
    expect(outputs[64]).toContain(
      `Process ${sessionIn(outputs[0] ?? '')} (echo 0; exec sleep 120) was ended to make room`,
    );
    await expect
      .poll(() => chat.state.processes.filter(({ status }) => status.type === 'running').length, PATIENT)
      .toBe(64);
    expect(new Set(outputs.map(sessionIn)).size).toBe(count);
  }, 60_000);

  it(`${MEGABYTES} megabytes pass in flat memory; the model gets both ends, the log more`, async ({ expect }) => {
    using folder = tempFolder();
    const cmd = `echo first; head -c ${MEGABYTES}M /dev/zero | tr '\\0' x; echo; echo last`;
    await using server = await ModelServer.start([
      [exec(cmd, { yield_time_ms: 30_000 })],
      // A slow machine is still writing when the first call returns, a fast one has finished.
      ({ input }) => {
        const session = sessionIn(String(input.at(-1)?.output));
        return session > 0 ? [calls('write_stdin', { session_id: session, yield_time_ms: 300_000 })] : [says('Much.')];
      },
      [says('Much.')],
    ]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    // A heap limit: retained output ends the process, output that is not collected yet on a busy machine does not.
    const env = { NODE_OPTIONS: '--max-old-space-size=160' };
    const child = await startCli(['exec', ...flags, 'go'], { home: folder.path, env });
    child.stdin.end();
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, residentBytes(child.pid))), 50);
    expect((await child.ended).code).toBe(0);
    clearInterval(timer);
    const outputs = server.lastRequest.input.filter(({ type }) => type === 'function_call_output');
    const whole = outputs.map(({ output }) => String(output)).join('\n');
    expect(whole).toMatch(/Output:\nWarning: output was cut in the middle .*\n.*\n\nfirst\nx+…\d+ tokens truncated…x+/);
    expect(whole).toMatch(/x\nlast\n$/);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(450_000_000);
    const logs = folder.at('tiller', 'logs', 'commands');
    const log = readFileSync(path.join(logs, readdirSync(logs)[0] ?? ''), 'utf8');
    expect([log.startsWith('first\nx'), log.endsWith('x\nlast\n')]).toEqual([true, true]);
    expect(log.length).toBeLessThan(30_000_000);
  }, 240_000);
});
