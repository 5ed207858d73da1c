/** Commands that only read share a sandbox when they start together; each is a command of its own all the same. */
import { readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ExecProcess, ExecRequest, SandboxLimits } from '../../../src/core/ports.ts';
import { forReading } from '../../../src/core/sandbox/confinement.ts';
import { createExec } from '../../../src/node/exec.ts';
import { findTrue } from '../../../src/node/host/ownPrograms.ts';
import { PausableCommands, pausableCommands } from '../../../src/node/process/pausing.ts';
import { listProcesses } from '../../../src/node/process/processTable.ts';
import { type SandboxToStart, type SharableRequest, spawnShared } from '../../../src/node/process/sharedCommands.ts';
import { NotShared } from '../../../src/node/process/sharedStart.ts';
import { type Starter, StarterEnded, UncertainStart } from '../../../src/node/process/starter.ts';
import { Sandboxes } from '../../../src/node/sandbox/launch.ts';
import { readyStarter } from '../../support/readyStarter.ts';
import { runningRecords } from '../../support/processRecords.ts';
import { noSandbox, Playground } from '../../support/sandboxed.ts';

const starters = new Map<Playground, Starter>();
let isByStarter = false;

afterEach(() => {
  for (const starter of starters.values()) starter.dispose();
  starters.clear();
});

async function execIn(place: Playground, sandboxes = place.sandboxes) {
  if (isByStarter && !starters.has(place)) starters.set(place, await readyStarter(place.home));
  return createExec({ home: place.home, sandboxes, starter: starters.get(place) });
}

/** Starts scripts in one turn of the event loop. */
async function startTogether(place: Playground, scripts: readonly string[], more: Partial<ExecRequest> = {}) {
  const exec = await execIn(place);
  const confinement = forReading({ type: 'sandbox', limits: place.limits });
  return Promise.all(
    scripts.map((script) =>
      exec.spawn(place.request(['/bin/bash', '-c', script], { confinement, onlyReads: true, ...more })),
    ),
  );
}

async function endOf(child: ExecProcess) {
  const printed = { stdout: '', stderr: '' };
  child.onOutput(({ stream, bytes }) => {
    printed[stream] += Buffer.from(bytes).toString();
  });
  const { code } = await child.exited;
  return { code, ...printed };
}

async function runTogether(place: Playground, scripts: readonly string[], more: Partial<ExecRequest> = {}) {
  return Promise.all((await startTogether(place, scripts, more)).map(endOf));
}

/** Resolves when the command has printed something. */
function printed(child: ExecProcess | undefined): Promise<string> {
  return new Promise((resolve) => child?.onOutput(({ bytes }) => resolve(Buffer.from(bytes).toString())));
}

const isLiving = (pid: number | undefined) => listProcesses('linux').some((row) => row.pid === pid);
/** Outside of the sandbox. */
function bubblewrapOf(place: Playground): number {
  const [record = ''] = runningRecords(place.home);
  return Number(/"leader":{"pid":(\d+)/.exec(record)?.[1]);
}

const parentOf = ({ pid }: ExecProcess) => listProcesses('linux').find((row) => row.pid === pid)?.parent;

class Trigger {
  pull = () => {};
  readonly pulled = new Promise<void>((resolve) => {
    this.pull = resolve;
  });
}

/** The parent of a command alone is the first process inside, that of one with others the script that starts them. */
const PARENT = 'echo $PPID';
const [ALONE, SHARED] = ['1\n', '2\n'];
const NAMESPACES = 'readlink /proc/self/ns/{pid,mnt,net,ipc}';

describe.skipIf(noSandbox).each(['this process', 'the starter'])(
  'commands that only read, together started by %s',
  (by) => {
    beforeAll(() => {
      isByStarter = by === 'the starter';
    });

    test('have one sandbox, and each its own output and exit code', async () => {
      using place = new Playground();
      const scripts = [`${NAMESPACES}; echo wrong >&2; exit 3`, NAMESPACES, 'kill -TERM $$', 'exec /no/such/program'];
      const [one, two, three, four] = await runTogether(place, scripts);
      expect(two).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pid:\S+\nmnt:\S+\nnet:\S+\nipc:\S+\n$/) });
      expect(one).toEqual({ code: 3, stdout: two?.stdout, stderr: 'wrong\n' });
      expect(three).toEqual({ code: 143, stdout: '', stderr: '' });
      expect(four).toMatchObject({ code: 127, stderr: expect.stringContaining('/no/such/program') });
      await expect.poll(() => runningRecords(place.home)).toEqual([]);
    });

    test('get the environment, descriptors, folder and signals of a command alone, and no input', async () => {
      using place = new Playground();
      const facts = [
        'env -0 -u TILLER_PROCESS_MARK -u SHLVL -u _ | sort -z | tr "\\0" "\\n"',
        'ls /proc/self/fd; pwd; umask; cat; grep -E "^(Sig(Blk|Ign|Cgt)|Cap|Seccomp|NoNewPrivs|Uid)" /proc/self/status',
      ].join('; ');
      const [alone] = await runTogether(place, [facts]);
      expect(alone?.stdout).toContain('Seccomp:\t2');
      const together = await runTogether(place, [facts, facts, facts]);
      expect(together).toEqual([alone, alone, alone]);
    });

    test.each<Readonly<Record<string, string>>>([{}, { SHLVL: '3', OLDPWD: '/', POSIXLY_CORRECT: '1', VALUE: 'a\nb' }])(
      'get the environment %o as it is, without a shell of their own, too',
      async (more) => {
        using place = new Playground({ env: more });
        const exec = await execIn(place);
        const request = place.request(['/usr/bin/env', '-0'], {
          confinement: forReading({ type: 'sandbox', limits: place.limits }),
          onlyReads: true,
        });
        const namesOf = (text: string) =>
          text
            .split('\0')
            .filter((one) => !one.startsWith('TILLER_PROCESS_MARK='))
            .toSorted();
        const alone = namesOf((await endOf(await exec.spawn(request))).stdout);
        expect(alone).toEqual(expect.arrayContaining(Object.entries(more).map((entry) => entry.join('='))));
        const ends = await Promise.all((await Promise.all([exec.spawn(request), exec.spawn(request)])).map(endOf));
        expect(ends.map(({ stdout }) => namesOf(stdout))).toEqual([alone, alone]);
      },
    );

    test('share a sandbox and end with POSIXLY_CORRECT in their environment', async () => {
      using place = new Playground({ env: { POSIXLY_CORRECT: '1' } });
      const scripts = Array.from({ length: 8 }, (_, at) => `${PARENT}; exit ${at}`);
      const ends = await runTogether(place, scripts);
      expect(ends).toEqual(scripts.map((_, at) => ({ code: at, stdout: SHARED, stderr: '' })));
    });

    test('name only the program when it is missing, or cannot be executed', async () => {
      using place = new Playground();
      writeFileSync(place.at('text'), '');
      const exec = await execIn(place);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const start = (program: string) => exec.spawn(place.request([program], { confinement, onlyReads: true }));
      const programs = ['/no/such/program', 'no-such-program', './text'];
      const ends = await Promise.all((await Promise.all(programs.map(start))).map(endOf));
      expect(ends).toEqual([
        { code: 127, stdout: '', stderr: '/no/such/program: No such file or directory\n' },
        { code: 127, stdout: '', stderr: 'no-such-program: No such file or directory\n' },
        { code: 126, stdout: '', stderr: './text: Permission denied\n' },
      ]);
      for (const [at, program] of programs.entries()) {
        const { code, stderr } = await endOf(await start(program));
        expect({ code, stdout: '', stderr: stderr.replace('bwrap: execvp ', '') }).toEqual(ends[at]);
      }
    });

    test('end with 1 where a program says what bubblewrap says of one that is missing, and more', async () => {
      using place = new Playground();
      const says = 'echo "bwrap: execvp /bin/bash: No such file or directory" >&2';
      const codes = [];
      for (const script of [`${says}; echo more; exit 1`, `${says}; ${says}; exit 1`, `echo; ${says}; exit 1`]) {
        codes.push((await runTogether(place, [script]))[0]?.code);
      }
      expect(codes).toEqual([1, 1, 1]);
    });

    test('are not waited for when their call is stopped, and do not run then', async () => {
      const started = new Trigger();
      const going = new Trigger();
      class Slow extends Sandboxes {
        override async launch(...args: Parameters<Sandboxes['launch']>) {
          started.pull();
          await going.pulled;
          return super.launch(...args);
        }
      }
      using place = new Playground();
      const sandboxes = new Slow(place.home);
      const exec = await execIn(place, sandboxes);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const request = place.request(['/bin/bash', '-c', 'echo up; sleep 600'], { confinement, onlyReads: true });
      const turn = new AbortController();
      const stopped = [exec.spawn(request, turn.signal), exec.spawn(request, turn.signal)];
      const other = exec.spawn(request, new AbortController().signal);
      await started.pulled;
      turn.abort(new Error('stopped'));
      expect(await Promise.allSettled(stopped)).toMatchObject([
        { reason: { message: 'stopped' } },
        { reason: { message: 'stopped' } },
      ]);
      going.pull();
      const child = await other;
      await printed(child);
      await expect.poll(() => listProcesses('linux').filter((row) => row.parent === parentOf(child)).length).toBe(1);
      await child.kill(0);
      await expect(exec.spawn(request, turn.signal)).rejects.toThrow('stopped');
      sandboxes.dispose();
    });

    test('get arguments as they are, and marks of their own', async () => {
      using place = new Playground();
      const odd = 'printf "%s|" "$@"; printf "$TILLER_PROCESS_MARK"';
      const argv = ['/bin/bash', '-c', odd, '-n', '', ' * $HOME\n"\'', '12'] as const;
      const exec = await execIn(place);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const start = () => exec.spawn(place.request(argv, { confinement, onlyReads: true }));
      const printedBy = (await Promise.all((await Promise.all([start(), start()])).map(endOf))).map(
        ({ stdout }) => stdout,
      );
      expect(printedBy.map((one) => one.slice(0, one.lastIndexOf('|')))).toEqual(Array(2).fill('| * $HOME\n"\'|12'));
      expect(new Set(printedBy).size).toBe(2);
    });

    test('cannot write in the workspace, nor outside', async () => {
      using place = new Playground();
      const ends = await runTogether(place, ['touch made', 'touch /etc/tiller-made']);
      for (const { code, stderr } of ends) {
        expect(code).toBe(1);
        expect(stderr).toContain('Read-only file system');
      }
      expect(readdirSync(place.workspace)).toEqual([]);
    });

    test('are killed one by one, with what they have started, and the last one ends the sandbox', async () => {
      using place = new Playground();
      const [one, two] = await startTogether(place, [
        'sleep 60 & setsid sleep 60 & echo up; wait',
        'sleep 60 & echo up; wait',
      ]);
      await Promise.all([printed(one), printed(two)]);
      const bubblewrap = bubblewrapOf(place);
      await one?.kill(0);
      expect(await one?.exited).toMatchObject({ code: 137 });
      expect(isLiving(one?.pid)).toBe(false);
      expect(isLiving(two?.pid)).toBe(true);
      const sleeping = listProcesses('linux').filter(({ parent }) => parent === two?.pid);
      expect(sleeping).toHaveLength(1);
      await two?.kill();
      expect(await two?.exited).toMatchObject({ code: 143 });
      await expect.poll(() => isLiving(bubblewrap)).toBe(false);
      expect(isLiving(sleeping[0]?.pid)).toBe(false);
    });

    test('are interrupted one by one', async () => {
      using place = new Playground();
      const [one, two] = await startTogether(
        place,
        Array(2).fill('trap "echo caught; exit 5" INT; echo up; sleep 60 & wait'),
      );
      await Promise.all([printed(one), printed(two)]);
      one?.write('\u0003');
      expect(await one?.exited).toMatchObject({ code: 5 });
      expect(isLiving(two?.pid)).toBe(true);
      await two?.kill(0);
    });

    test('leave nothing in the background when they have ended, and are not kept by it', async () => {
      using place = new Playground();
      const [one, two] = await startTogether(place, ['sleep 600 &', 'echo up; sleep 600']);
      await printed(two);
      expect(await one?.exited).toMatchObject({ code: 0 });
      await expect.poll(() => listProcesses('linux').filter(({ group }) => group === one?.pid)).toEqual([]);
      expect(isLiving(two?.pid)).toBe(true);
      await two?.kill(0);
    });

    test('have not ended while they are stopped', async () => {
      using place = new Playground();
      const wait = 'echo up; until [ -e go ]; do sleep 0.05; done';
      const [one, two] = await startTogether(place, [`${wait}; exit 4`, `${wait}; exit 6`]);
      const commands = new PausableCommands();
      const ended = Promise.all([one?.exited, two?.exited]);
      commands.add({ pid: bubblewrapOf(place), exited: ended });
      await Promise.all([printed(one), printed(two)]);
      const pause = await commands.pause();
      expect(pause.isHeld()).toBe(true);
      expect(listProcesses('linux').find(({ pid }) => pid === one?.pid)?.state).toBe('T');
      writeFileSync(place.at('go'), '');
      pause.dispose();
      expect(await ended).toMatchObject([{ code: 4 }, { code: 6 }]);
    });

    test('are executed without their bash where it would execute one program, unless that is missing', async () => {
      using place = new Playground();
      const exec = await execIn(place);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const start = (...onlyProgram: [string, ...string[]]) => {
        const argv = ['/bin/bash', '-c', `: by bash; ${onlyProgram[0]}; exit 7`] as const;
        return exec.spawn(place.request(argv, { confinement, onlyReads: true, onlyProgram }));
      };
      const facts = [
        'readlink /proc/self/fd/{0,3}; umask; grep -E "^(Sig(Blk|Ign|Cgt)|Seccomp)" /proc/self/status',
        'env -0 -u TILLER_PROCESS_MARK -u SHLVL -u _ | sort -z | tr "\\0" "\\n"; printf "%s|" "$@"; exit 3',
      ].join('; ');
      const words = ['-c', facts, 'name', '', ' * $HOME'];
      const children = await Promise.all([
        start('/bin/bash', ...words),
        start('no-such-program'),
        start('cat', 'none'),
      ]);
      const [ran, missing, failed] = await Promise.all(children.map(endOf));
      const [alone] = await runTogether(place, ['exec "$@"'], { argv: ['/bin/bash', ...words] as [string] });
      expect(alone).toMatchObject({ code: 3, stdout: expect.stringContaining('\n| * $HOME|') });
      expect(ran).toEqual(alone);
      expect(missing).toMatchObject({
        code: 7,
        stderr: expect.stringMatching(/^\/bin\/bash: line 1: no-such-program: /),
      });
      expect(failed).toEqual({ code: 1, stdout: '', stderr: 'cat: none: No such file or directory\n' });
    });

    test('end with their exit codes where bash loses the trap for an end', async () => {
      class Losing extends Sandboxes {
        override launch(request: ExecRequest, ...more: [SandboxLimits, (readonly number[])?]) {
          const [program, ...args] = request.argv;
          expect(args.join('')).toContain('trap ended CHLD');
          const losing = args.map((one) => one.replaceAll('trap ended CHLD', 'trap : CHLD'));
          return super.launch({ ...request, argv: [program, ...losing] }, ...more);
        }
      }
      using place = new Playground();
      const sandboxes = new Losing(place.home);
      const exec = await execIn(place, sandboxes);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const start = (script: string) =>
        exec.spawn(place.request(['/bin/bash', '-c', script], { confinement, onlyReads: true }));
      const children = await Promise.all(['exit 3', 'sleep 0.1; exit 4', 'exit 0'].map(start));
      expect((await Promise.all(children.map(endOf))).map(({ code }) => code)).toEqual([3, 4, 0]);
      sandboxes.dispose();
    });

    test('end when their sandbox is killed', async () => {
      using place = new Playground();
      const [one, two] = await startTogether(place, ['echo up; sleep 60', 'echo up; sleep 60']);
      await Promise.all([printed(one), printed(two)]);
      process.kill(bubblewrapOf(place), 'SIGKILL');
      expect(await Promise.all([one?.exited, two?.exited])).toMatchObject([{ code: 137 }, { code: 137 }]);
      expect([one, two].map((child) => isLiving(child?.pid))).toEqual([false, false]);
    });

    test('print much at the same time, one of them read late', async () => {
      using place = new Playground();
      const print = 'head -c 4000000 /dev/zero';
      const [late, ...others] = await startTogether(place, Array(4).fill(print));
      const lengths = (await Promise.all(others.map(endOf))).map(({ stdout }) => stdout.length);
      expect(lengths).toEqual([4_000_000, 4_000_000, 4_000_000]);
      if (late) expect((await endOf(late)).stdout).toHaveLength(4_000_000);
    });

    test('are as many as there are, also more than a sandbox takes', async () => {
      using place = new Playground();
      const ends = await runTogether(
        place,
        Array.from({ length: 40 }, (_, at) => `echo ${at}; exit ${at}`),
      );
      expect(ends).toEqual(Array.from({ length: 40 }, (_, at) => ({ code: at, stdout: `${at}\n`, stderr: '' })));
    });

    test('run alone where they cannot be started together', async () => {
      class Single extends Sandboxes {
        tried = 0;
        override launch(...args: Parameters<Sandboxes['launch']>) {
          if (args[0].argv.includes('tiller-box')) throw new Error(`Refused: ${++this.tried}.`);
          return super.launch(...args);
        }
      }
      using place = new Playground();
      const sandboxes = new Single(place.home);
      const exec = await execIn(place, sandboxes);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const request = place.request(['/bin/bash', '-c', PARENT], { confinement, onlyReads: true });
      for (let round = 0; round < 5; round++) {
        const ends = await Promise.all((await Promise.all([exec.spawn(request), exec.spawn(request)])).map(endOf));
        expect(ends.map(({ stdout }) => stdout)).toEqual(Array(2).fill(ALONE));
      }
      expect(sandboxes.tried).toBe(3);
      sandboxes.dispose();
    });

    test('share a sandbox again after failures that passed', async () => {
      class Failing extends Sandboxes {
        readonly errors: (Error | undefined)[] = [
          ...[new StarterEnded(), new UncertainStart(), Object.assign(new Error(), { code: 'E2BIG' }), undefined],
          ...[new Error('1'), new Error('2'), undefined, new Error('3'), new Error('4'), undefined],
        ];
        override launch(...args: Parameters<Sandboxes['launch']>) {
          const error = args[0].argv.includes('tiller-box') ? this.errors.shift() : undefined;
          if (error !== undefined) throw error;
          return super.launch(...args);
        }
      }
      using place = new Playground();
      const sandboxes = new Failing(place.home);
      const expected = sandboxes.errors.map((error) => (error === undefined ? SHARED : ALONE));
      const exec = await execIn(place, sandboxes);
      const confinement = forReading({ type: 'sandbox', limits: place.limits });
      const request = place.request(['/bin/bash', '-c', PARENT], { confinement, onlyReads: true });
      for (const parent of expected) {
        const ends = await Promise.all((await Promise.all([exec.spawn(request), exec.spawn(request)])).map(endOf));
        expect(ends.map(({ stdout }) => stdout)).toEqual([parent, parent]);
      }
      sandboxes.dispose();
    });

    test('report each for itself that their folder does not exist', async () => {
      using place = new Playground();
      await expect(startTogether(place, ['true', 'true'], { cwd: place.at('missing') })).rejects.toThrow(
        'The working directory',
      );
    });
  },
);

test('a sandbox is recorded and can be paused before its commands have started', async () => {
  using place = new Playground();
  const records: string[] = [];
  const added = vi.spyOn(pausableCommands, 'add').mockImplementation(() => {
    records.push(...runningRecords(place.home));
  });
  const confinement = { type: 'sandbox', limits: {} as SharableRequest['confinement']['limits'] } as const;
  const request: SharableRequest = { argv: ['/bin/true'], cwd: place.workspace, env: {}, stdin: 'none', confinement };
  // It ends without starting a command.
  const launch = async (): Promise<SandboxToStart> => ({
    ...{ program: findTrue(), args: [], env: {}, descriptors: ['ignore', 'ignore'], started: () => {} },
    ended: async () => [],
  });
  try {
    await expect(spawnShared([request, request], place.home, launch, undefined)).rejects.toThrow(NotShared);
    expect(records).toEqual([expect.stringContaining(`"leader":{"pid":${added.mock.calls[0]?.[0].pid},`)]);
  } finally {
    added.mockRestore();
  }
});

test.skipIf(noSandbox)(
  'commands that may write, have another folder or environment, or get input have their own sandbox',
  async () => {
    using place = new Playground();
    const exec = await execIn(place);
    const reading = forReading({ type: 'sandbox', limits: place.limits });
    const print = (more: Partial<ExecRequest>) =>
      exec.spawn(place.request(['/bin/bash', '-c', PARENT], { onlyReads: true, confinement: reading, ...more }));
    const children = await Promise.all([
      print({}),
      print({}),
      print({ confinement: { type: 'sandbox', limits: place.limits } }),
      print({ cwd: '/' }),
      print({ env: { PATH: '/usr/bin:/bin' } }),
      print({ stdin: { text: 'typed' } }),
      exec.spawn(place.request(['/bin/bash', '-c', PARENT], { confinement: reading })),
      exec.spawn(place.request(['/bin/bash', '-c', PARENT], { confinement: reading })),
    ]);
    const parents = (await Promise.all(children.map(endOf))).map(({ stdout }) => stdout);
    expect(parents).toEqual([SHARED, SHARED, ...Array(6).fill(ALONE)]);
  },
);
