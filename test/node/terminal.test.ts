import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { describe, test } from 'vitest';
import type { ExecExit, ExecProcess, ExecRequest } from '../../src/core/ports.ts';
import { createExec } from '../../src/node/exec.ts';
import { isAlive, pidIn } from '../support/processes.ts';
import { rounds } from '../support/rounds.ts';
import { tempFolder } from '../support/tempFolder.ts';

const root = path.join(import.meta.dirname, '../..');
const exec = createExec();

/** More bytes than a terminal buffers, so that a lost end is noticed. */
const MUCH = 129_000;
const RUNS = rounds(5, 100);

function spawn(script: string, request: Partial<ExecRequest> = {}): Promise<ExecProcess> {
  return exec.spawn({
    argv: ['/bin/sh', '-c', script],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', TERM: 'dumb' },
    stdin: 'none',
    confinement: { type: 'none' },
    tty: { columns: 80, rows: 24 },
    ...request,
  });
}

async function finish(child: ExecProcess): Promise<{ readonly exit: ExecExit; readonly bytes: Buffer }> {
  const chunks: Uint8Array[] = [];
  child.onOutput(({ bytes }) => chunks.push(bytes));
  return { exit: await child.exited, bytes: Buffer.concat(chunks) };
}

class Watched {
  text = '';
  constructor(child: ExecProcess) {
    child.onOutput(({ bytes }) => (this.text += Buffer.from(bytes).toString()));
  }
  async until(wanted: string | RegExp): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (!(typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text))) {
      assert.ok(Date.now() < deadline, `waited in vain for ${String(wanted)} in ${JSON.stringify(this.text)}`);
      await sleep(10);
    }
  }
}

describe('a command in a terminal', () => {
  test('has a terminal of the requested size', async () => {
    const { exit, bytes } = await finish(await spawn('test -t 0 && test -t 1 && stty size && echo "$TERM"'));
    assert.deepEqual([exit, bytes.toString()], [{ code: 0, signal: null }, '24 80\r\ndumb\r\n']);
  });

  test('has its bytes passed on unchanged', async () => {
    const { bytes } = await finish(await spawn(String.raw`printf '\303'; sleep 0.05; printf '\244\377\000'`));
    assert.deepEqual(bytes, Buffer.from([0xc3, 0xa4, 0xff, 0x00]));
  });

  test(`loses nothing of its end in ${RUNS} runs`, async () => {
    const lengths: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      lengths.push((await finish(await spawn(`head -c ${MUCH} /dev/zero | tr '\\0' x`))).bytes.length);
    }
    assert.deepEqual(lengths, Array(RUNS).fill(MUCH));
  });

  test('loses nothing of its end while the reader is busy', async () => {
    const child = await spawn("head -c 20000 /dev/zero | tr '\\0' x");
    let length = 0;
    child.onOutput(({ bytes }) => {
      length += bytes.length;
      const until = performance.now() + 110;
      while (performance.now() < until);
    });
    await child.exited;
    assert.equal(length, 20_000);
  });

  test('is blocked without a reader, and loses no output', async () => {
    const child = await spawn("head -c 3000000 /dev/zero | tr '\\0' x");
    await sleep(200);
    assert.equal((await finish(child)).bytes.length, 3_000_000);
  });

  test('reports its exit code, or the signal that ended it', async () => {
    assert.deepEqual((await finish(await spawn('exit 7'))).exit, { code: 7, signal: null });
    assert.deepEqual((await finish(await spawn('kill -TERM $$'))).exit, { code: 143, signal: 'SIGTERM' });
    assert.deepEqual((await finish(await spawn('kill -KILL $$'))).exit, { code: 137, signal: 'SIGKILL' });
  });

  test('takes input, and Ctrl-C interrupts its process', async () => {
    const child = await spawn(
      'trap "echo caught; exit 9" INT; read name; echo "hello $name"; while :; do sleep 0.05; done',
    );
    const seen = new Watched(child);
    child.write('you\n');
    await seen.until('hello you');
    child.write('\u0003');
    assert.deepEqual(await child.exited, { code: 9, signal: null });
    assert.match(seen.text, /caught/);
    child.write('to nobody');
  });

  test('is killed with all it started, including children in their own session', async () => {
    using folder = tempFolder();
    const child = await spawn(`setsid sh -c 'echo $$ > ${folder.at('pid')}; exec sleep 60' & echo ready; sleep 60`);
    const seen = new Watched(child);
    await seen.until('ready');
    const pid = await pidIn(folder.at('pid'));
    assert.ok(isAlive(pid));
    await child.kill();
    assert.ok(!isAlive(pid));
  });

  test('reports in one sentence why it cannot be started', async () => {
    const refusals = [
      spawn('true', { cwd: '/nowhere' }),
      spawn('', { argv: ['no-such-program'] }),
      spawn('', { argv: ['/etc/passwd'] }),
    ].map((refused) =>
      refused.then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : error),
      ),
    );
    assert.deepEqual(await Promise.all(refusals), [
      'The working directory /nowhere does not exist.',
      'The program no-such-program was not found.',
      'The program /etc/passwd may not be executed: permission denied.',
    ]);
  });
});

test('a terminal uses the package of VS Code where ours is missing', async () => {
  using folder = tempFolder();
  const bundle = folder.at('exec.cjs');
  await build({
    entryPoints: [path.join(root, 'src/node/exec.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['@lydell/node-pty'],
    outfile: bundle,
    logLevel: 'error',
  });
  const script = `
    const { createExec } = require(${JSON.stringify(bundle)});
    const tty = { columns: 80, rows: 24 };
    const request = { argv: ['/bin/sh', '-c', 'tty'], cwd: '/', env: {}, stdin: 'none', confinement: { type: 'none' }, tty };
    createExec({ platform: 'linux', spareTerminals: process.argv[1] }).spawn(request).then(
      (child) => child.onOutput(({ bytes }) => process.stdout.write(bytes)),
      (error) => process.stdout.write(error.message),
    );`;
  const run = (spare: string) => execFileSync(process.execPath, ['-e', script, spare], { encoding: 'utf8' });
  assert.match(run(path.join(root, 'node_modules/@lydell/node-pty')), /^\/dev\/pts\/\d+\r\n$/);
  assert.match(run(folder.at('nothing')), /^There is no terminal here: .* Run the command without tty\.$/);
});
