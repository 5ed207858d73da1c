import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { ExecExit, ExecProcess, ExecRequest } from '../../src/core/ports.ts';
import { createExec } from '../../src/node/exec.ts';
import type { Starter } from '../../src/node/process/starter.ts';
import { isAlive, pidIn } from '../support/processes.ts';
import { readyStarter } from '../support/readyStarter.ts';
import { tempFolder } from '../support/tempFolder.ts';

interface Story {
  readonly exit: ExecExit;
  readonly stdout: string;
  readonly stderr: string;
}

async function finish(child: ExecProcess): Promise<Story> {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  child.onOutput(({ stream, bytes }) => chunks[stream].push(bytes));
  const exit = await child.exited;
  return { exit, stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString() };
}

async function waitFor(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, 'waited in vain');
    await sleep(5);
  }
}

describe.each(['this process', 'the starter'])('by %s', (parent) => {
  const home = tempFolder();
  let starter: Starter | undefined;
  let exec = createExec();

  beforeAll(async () => {
    if (parent === 'this process') return;
    starter = await readyStarter(home.path);
    exec = createExec({ starter });
  });
  afterAll(() => {
    starter?.dispose();
    home[Symbol.dispose]();
  });

  function spawn(argv: ExecRequest['argv'], request: Partial<ExecRequest> = {}): Promise<ExecProcess> {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
    return exec.spawn({ argv, cwd: '/', env, stdin: 'none', confinement: { type: 'none' }, ...request });
  }

  const shell = (script: string, request: Partial<ExecRequest> = {}) => spawn(['/bin/sh', '-c', script], request);

  describe('a command', () => {
    test('has two separate and complete output streams, and no input', async () => {
      const story = await finish(await shell('cat; echo out; echo err >&2; printf tail'));
      assert.deepEqual(story, { exit: { code: 0, signal: null }, stdout: 'out\ntail', stderr: 'err\n' });
    });

    test('that prints with pauses has its output in order', async () => {
      const script = 'for i in 1 2 3; do echo o$i; read line; echo e$i >&2; read line; done';
      const child = await shell(script, { stdin: 'pipe' });
      let seen = '';
      child.onOutput(({ bytes }) => {
        seen += Buffer.from(bytes).toString();
        child.write('go on\n');
      });
      await child.exited;
      assert.equal(seen, 'o1\ne1\no2\ne2\no3\ne3\n');
    });

    test('has output before it ends', async () => {
      const child = await shell('echo ready; sleep 30');
      const first = await new Promise<Uint8Array>((resolve) => child.onOutput(({ bytes }) => resolve(bytes)));
      assert.equal(Buffer.from(first).toString(), 'ready\n');
      await child.kill();
    });

    test('keeps its output for a late listener', async () => {
      const child = await shell('echo early');
      const exit = await child.exited;
      const late: string[] = [];
      child.onOutput(({ bytes }) => late.push(Buffer.from(bytes).toString()));
      assert.deepEqual({ exit, late }, { exit: { code: 0, signal: null }, late: ['early\n'] });
    });

    test('is blocked without a reader, and loses no output', async () => {
      const child = await shell('head -c 5000000 /dev/zero');
      await sleep(100);
      const story = await finish(child);
      assert.equal(story.stdout.length, 5_000_000);
    });

    test('has its bytes passed on unchanged: characters split between writes, invalid UTF-8 and NULs', async () => {
      const child = await shell(String.raw`printf '\303'; sleep 0.05; printf '\244\377\000'`);
      const chunks: Uint8Array[] = [];
      child.onOutput(({ bytes }) => chunks.push(bytes));
      await child.exited;
      assert.deepEqual(Buffer.concat(chunks), Buffer.from([0xc3, 0xa4, 0xff, 0x00]));
    });

    test('ends with an exit code or a signal, reported as by a shell', async () => {
      assert.deepEqual((await finish(await shell('exit 3'))).exit, { code: 3, signal: null });
      assert.deepEqual((await finish(await shell('kill -TERM $$'))).exit, { code: 143, signal: 'SIGTERM' });
      assert.deepEqual((await finish(await shell('kill -KILL $$'))).exit, { code: 137, signal: 'SIGKILL' });
    });

    test('takes input, and a lone Ctrl-C interrupts it', async () => {
      const child = await shell('read line; echo "got $line"; read more', { stdin: 'pipe' });
      let seen = '';
      child.onOutput(({ bytes }) => (seen += Buffer.from(bytes).toString()));
      child.write('hello\n');
      await waitFor(() => seen === 'got hello\n');
      child.write('\u0003');
      assert.deepEqual(await child.exited, { code: 130, signal: 'SIGINT' });
      child.write('to nobody');
    });
  });

  describe('much output', () => {
    test('of 200 MB passes in flat memory', async () => {
      const child = await shell('head -c 200000000 /dev/zero');
      // The buffers of this thread: other tests run in the same process.
      const held = () => process.memoryUsage().arrayBuffers;
      const before = held();
      let total = 0;
      let peak = 0;
      child.onOutput(({ bytes }) => {
        total += bytes.length;
        peak = Math.max(peak, held());
      });
      await child.exited;
      assert.equal(total, 200_000_000);
      assert.ok(peak - before < 100_000_000, `memory grew by ${peak - before} bytes`);
    });

    test('of `yes | head` ends, and `yes` alone ends when it is killed', async () => {
      const story = await finish(await shell('yes | head -n 2'));
      assert.deepEqual(story, { exit: { code: 0, signal: null }, stdout: 'y\ny\n', stderr: '' });
      const endless = await spawn(['yes']);
      endless.onOutput(() => {});
      await sleep(50);
      await endless.kill();
      assert.deepEqual(await endless.exited, { code: 143, signal: 'SIGTERM' });
    });
  });

  describe('a command is killed', () => {
    test('with a grace period in which it may clean up', async () => {
      const child = await shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done 2>/dev/null");
      let seen = '';
      child.onOutput(({ bytes }) => (seen += Buffer.from(bytes).toString()));
      await waitFor(() => seen === 'ready\n');
      await child.kill();
      assert.deepEqual(await child.exited, { code: 7, signal: null });
      assert.match(seen, /bye\n$/);
    });

    test('by force when it ignores the signal, as after a timeout', async () => {
      const child = await shell("trap '' TERM; echo ready; while :; do sleep 0.05; done");
      await new Promise<void>((resolve) => child.onOutput(() => resolve()));
      await child.kill(100);
      assert.equal((await child.exited).code, 137);
    });

    test('with a child that called setsid and whose parent has ended', async () => {
      using folder = tempFolder();
      const script = `(setsid sh -c 'trap "" TERM; echo $$ > ${folder.at('pid')}; exec sleep 60' &) ; sleep 60`;
      const child = await shell(script);
      const daemon = await pidIn(folder.at('pid'));
      assert.ok(isAlive(daemon));
      await child.kill(50);
      await waitFor(() => !isAlive(daemon));
    });

    test('after it has ended, for the child that it left behind', async () => {
      using folder = tempFolder();
      const child = await shell(`setsid sleep 60 >/dev/null 2>&1 & echo $! > ${folder.at('pid')}`);
      await child.exited;
      const daemon = await pidIn(folder.at('pid'));
      assert.ok(isAlive(daemon));
      await child.kill();
      await waitFor(() => !isAlive(daemon));
    });

    test('twice, at the same time and again later', async () => {
      const child = await shell('sleep 60');
      await Promise.all([child.kill(), child.kill(0)]);
      await child.kill();
      assert.ok((await child.exited).code > 128);
    });
  });

  describe('a child outlives its command', () => {
    test('and keeps its pipes open: the output is read for two seconds, and the child runs on', async () => {
      using folder = tempFolder();
      const go = folder.at('go');
      const script = `(until [ -e ${go} ]; do sleep 0.1; done; echo lost; echo $$ > ${folder.at('done')}) & echo left`;
      const start = performance.now();
      const story = await finish(await shell(script));
      const waited = performance.now() - start;
      assert.deepEqual(story, { exit: { code: 0, signal: null }, stdout: 'left\n', stderr: '' });
      assert.ok(waited > 1_900, `waited ${waited} ms`);
      writeFileSync(go, '');
      await waitFor(() => existsSync(folder.at('done')));
    });

    test('and has closed the pipes: the end is reported at once', async () => {
      // Otherwise each one takes two seconds. Several, because a busy machine may delay one.
      let fastest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 10 && fastest >= 1500; attempt++) {
        const start = performance.now();
        await finish(await shell('sleep 3 >/dev/null 2>&1 &'));
        fastest = Math.min(fastest, performance.now() - start);
      }
      assert.ok(fastest < 1500, `${fastest} ms`);
    });
  });

  describe('a command cannot start', () => {
    /** The error message of a refused start. */
    async function refusal(promise: Promise<ExecProcess>): Promise<string> {
      const error = await promise.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof Error);
      return error.message;
    }

    test('and the reason is reported in one sentence', async () => {
      using folder = tempFolder();
      const plain = folder.at('plain.txt');
      writeFileSync(plain, 'no program');
      assert.deepEqual(
        [
          await refusal(spawn(['no-such-program'])),
          await refusal(shell('true', { cwd: folder.at('gone') })),
          await refusal(shell('true', { cwd: plain })),
          await refusal(spawn([plain])),
          await refusal(spawn(['echo', 'x'.repeat(3_000_000)])),
          await refusal(spawn(['echo', 'a\0b'])),
        ],
        [
          'The program no-such-program was not found.',
          `The working directory ${folder.at('gone')} does not exist.`,
          `The working directory ${plain} is not a directory.`,
          `The program ${plain} may not be executed: permission denied.`,
          'The arguments and the environment are longer than the operating system allows; pass the data in a file instead.',
          'The command was not started: an argument, the environment or the working directory contains a NUL byte.',
        ],
      );
    });
  });
});
