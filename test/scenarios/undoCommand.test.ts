// `tiller undo` on disk, after `tiller exec`, each in a process of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { contentHash } from '../../src/core/baseline/contentHash.ts';
import { createExec } from '../../src/node/exec.ts';
import { eventSchema } from '../../src/protocol/event.ts';
import { clockTick, fileGate } from '../support/fileGate.ts';
import { type Answer, calls, ModelServer, says } from '../support/modelServer.ts';
import { builtCli, runCli, startCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** Several processes one after the other, on a machine that has more to do. */
const PATIENT = { timeout: 60_000 };

class Place implements Disposable {
  readonly #folder = tempFolder();
  readonly home = this.#folder.at('home');
  readonly work = this.#folder.at('work');

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const folder of [this.home, this.work]) mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.work, name), text);
  }

  files(): Record<string, string> {
    const names = readdirSync(this.work, { recursive: true, encoding: 'utf8' }).toSorted();
    const files = names.filter((name) => statSync(path.join(this.work, name)).isFile());
    return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(this.work, name), 'utf8')]));
  }

  /** Runs commands of a turn; returns the ids of the thread and the turn. */
  async turn(
    ...commands: readonly (string | Answer)[]
  ): Promise<{ readonly threadId: string; readonly turnId: string }> {
    const roundOf = (cmd: string | Answer) => (typeof cmd === 'string' ? [calls('exec_command', { cmd })] : cmd);
    const rounds = [...commands.map(roundOf), [says('Done.')]];
    await using server = await ModelServer.start(rounds);
    const model = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    const args = ['exec', '--json', ...model, '--approval-policy', 'never', 'go'];
    const { stdout } = await runCli(args, { home: this.home, cwd: this.work });
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => eventSchema.parse(JSON.parse(line)));
    const started = events.find(({ msg }) => msg.type === 'turn_started');
    return { threadId: started?.threadId ?? '', turnId: started?.turnId ?? '' };
  }

  /** Ids of the threads that have records of changes. */
  recorded(): readonly string[] {
    return readdirSync(path.join(this.home, 'tiller/baselines/records')).map((name) => path.basename(name, '.jsonl'));
  }

  /** Resolves when a file with this content was recorded, which takes longer on a busy machine. */
  keeps(text: string): Promise<void> {
    const hash = contentHash(Buffer.from(text));
    return fileGate(path.join(this.home, 'tiller/baselines/blobs', hash.slice(0, 2), hash)).opened();
  }

  undo(...args: readonly string[]) {
    return runCli(['undo', ...args], { home: this.home, cwd: this.work });
  }

  /** Runs `tiller undo` in a terminal and gives each question its answer. */
  async inTerminal(...answers: readonly string[]): Promise<{ readonly code: number; readonly screen: string }> {
    const child = await createExec({ home: this.#folder.at('exec') }).spawn({
      argv: [process.execPath, await builtCli(), 'undo'],
      cwd: this.work,
      env: { PATH: process.env.PATH ?? '', HOME: this.home, TILLER_HOME: path.join(this.home, 'tiller') },
      stdin: 'none',
      confinement: { type: 'none' },
      tty: { columns: 200, rows: 50 },
    });
    let screen = '';
    const waiting = [...answers];
    child.onOutput(({ bytes }) => {
      const text = Buffer.from(bytes).toString('utf8');
      screen += text;
      if (text.includes('[y/N]')) child.write(`${waiting.shift() ?? ''}\r`);
    });
    const { code } = await child.exited;
    return { code, screen };
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

describe('tiller undo', () => {
  it('changes nothing without a terminal and without --yes, and says what it would change', PATIENT, async () => {
    using place = new Place({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { threadId, turnId } = await place.turn('echo ONE > a.txt; rm b.txt; mkdir new; echo 1 > new/c.txt');
    const changed = place.files();
    const { code, stdout, stderr } = await place.undo();
    assert.equal(code, 2);
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      `undo of turn ${turnId} of thread ${threadId} in ${place.work}:`,
      '  restore a.txt',
      '  bring back b.txt',
      '  remove new/c.txt',
      `  remove ${place.work}/new where it is empty`,
    ]);
    assert.match(stderr, /give --yes/);
    assert.deepEqual(place.files(), changed);
  });

  it(
    'undoes what a sub-agent changed with the turn that has started it, and alone when its thread is named',
    PATIENT,
    async () => {
      using place = new Place({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
      const agent: Answer[] = [[calls('task', { agent: 'worker', prompt: 'Write 2.' })]];
      const { threadId, turnId } = await place.turn(...agent, 'echo two > a.txt', [says('Written.')], 'rm b.txt');
      assert.deepEqual(place.files(), { 'a.txt': 'two\n' });
      const { stdout } = await place.undo();
      assert.deepEqual(stdout.trimEnd().split('\n'), [
        `undo of turn ${turnId} of thread ${threadId} in ${place.work}:`,
        '  restore a.txt (changed by the agent Write 2.)',
        '  bring back b.txt',
      ]);
      const [agentId = ''] = place.recorded().filter((id) => id !== threadId);
      const alone = (await place.undo('--thread', agentId)).stdout;
      assert.match(
        alone,
        new RegExp(`of thread ${agentId}, a sub-agent of thread ${threadId}, in .*\n  restore a.txt`),
      );
      assert.equal((await place.undo('--yes')).code, 0);
      assert.deepEqual(place.files(), { 'a.txt': 'one\n', 'b.txt': 'b\n' });
      assert.match((await place.undo('--thread', agentId)).stderr, /has changed nothing that can be undone/);
    },
  );

  it('with --yes undoes the last turn, then the one before, then has nothing left', PATIENT, async () => {
    using place = new Place({ 'a.txt': 'one\n' });
    await place.turn('echo two > a.txt');
    await place.turn('echo three > a.txt; echo x > b.txt');
    const first = await place.undo('--yes');
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /Undone in 2 files\.\n$/);
    assert.deepEqual(place.files(), { 'a.txt': 'two\n' });
    await place.undo('--yes');
    assert.deepEqual(place.files(), { 'a.txt': 'one\n' });
    const { code, stderr } = await place.undo('--yes');
    assert.equal(code, 2);
    assert.match(stderr, /no thread has changed anything in this folder/);
  });

  it('undoes the turn and the thread that are named, also in a folder that has moved', PATIENT, async () => {
    using place = new Place();
    const { threadId, turnId } = await place.turn('echo 1 > one.txt');
    const second = await place.turn('echo 2 > two.txt');
    assert.equal((await place.undo('--thread', threadId, turnId, '--yes')).code, 0);
    assert.deepEqual(place.files(), { 'two.txt': '2\n' });
    const unknown = await place.undo('--thread', threadId, 'turn_none', '--yes');
    assert.deepEqual([unknown.code, unknown.stderr.includes('there is no turn turn_none')], [2, true]);
    assert.equal((await place.undo('--thread', 'none', '--yes')).code, 2);
    assert.equal((await place.undo('one', 'two')).code, 2);
    const moved = `${place.work}-moved`;
    renameSync(place.work, moved);
    const { code } = await runCli(['undo', '--thread', second.threadId, '--yes'], { home: place.home, cwd: moved });
    assert.deepEqual([code, readdirSync(moved), existsSync(place.work)], [0, [], false]);
  });

  it('undoes what a command had changed when it was killed with the process', PATIENT, async () => {
    using place = new Place({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    using gates = tempFolder();
    const gate = fileGate(gates.at('changed'));
    await using server = await ModelServer.start([
      [calls('exec_command', { cmd: `echo two > a.txt; rm b.txt; ${gate.pass}; sleep 60` })],
    ]);
    const model = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    const args = ['exec', ...model, '--approval-policy', 'never', 'go'];
    const child = await startCli(args, { home: place.home, cwd: place.work });
    await gate.opened();
    child.kill('SIGKILL');
    await child.ended;
    const { code, stdout } = await place.undo('--yes');
    assert.match(stdout, /bring back b\.txt \(another program or thread may have changed it\)/);
    assert.deepEqual([code, place.files()], [0, { 'a.txt': 'one\n', 'b.txt': 'b\n' }]);
  });

  it('asks on a terminal, and a second time about what another program may have changed', PATIENT, async () => {
    using place = new Place({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    // A process that the first command leaves behind writes b.txt when no command runs.
    using gates = tempFolder();
    const gate = (name: string) => fileGate(gates.at(name));
    const [ended, written, recorded] = [gate('ended'), gate('written'), gate('recorded')];
    const leftBehind = `(${ended.wait}; echo other > b.txt; ${written.pass}) > /dev/null 2>&1 &`;
    await place.turn(`echo two > a.txt; echo first > b.txt; ${leftBehind}`, async () => {
      await place.keeps('first\n');
      await clockTick();
      ended.open();
      await written.opened();
      await clockTick();
      void place.keeps('other\n').then(() => recorded.open());
      return [calls('exec_command', { cmd: `${recorded.wait}; echo three > b.txt` })];
    });
    const changed = place.files();
    const refused = await place.inTerminal('n');
    assert.match(refused.screen, /Undo this\? \[y\/N\][\s\S]*Nothing was changed\./);
    assert.deepEqual([refused.code, place.files()], [0, changed]);
    for (const [key, code] of [
      ['\u0003', 130],
      ['\u0004', 0],
    ] as const) {
      const stopped = await place.inTerminal(key);
      assert.match(stopped.screen, /\[y\/N\][^A-Za-z]*(?:\[\d+G)?\s*Nothing was changed\.\r\n$/);
      assert.deepEqual([stopped.code, place.files()], [code, changed]);
    }
    const agreed = await place.inTerminal('y', 'n');
    assert.match(agreed.screen, /Also the files that another program or thread may have changed\?/);
    assert.deepEqual(place.files(), { ...changed, 'a.txt': 'one\n' });
    assert.equal(agreed.code, 0);
  });

  it('ends with 1 and names the files where there are conflicts, and undoes the rest', PATIENT, async () => {
    using place = new Place({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    await place.turn('echo ONE > a.txt; echo TWO > b.txt; head -c 1100000 /dev/zero > big');
    place.write('a.txt', 'mine\n');
    const { code, stdout, stderr } = await place.undo('--yes');
    assert.equal(code, 1);
    assert.match(stdout, /conflict, left alone: a\.txt: The same lines were changed since\./);
    assert.match(stdout, /cannot be undone: big: It is larger than 1 MiB/);
    assert.match(stderr, /left alone: a\.txt/);
    const { big: _big, ...files } = place.files();
    assert.deepEqual(files, { 'a.txt': 'mine\n', 'b.txt': 'two\n' });
  });

  it('rolls back an undo that was killed in the middle first, and then undoes all', PATIENT, async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `f${1000 + index}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(500)]));
    using place = new Place(files);
    await place.turn('for f in *.txt; do echo changed > $f; done');
    const isChanged = (name: string) => statSync(path.join(place.work, name)).size < 100;
    // Files are restored in the order of their names: the first one is restored and the last one is not.
    const isHalf = () => !isChanged(names[0] ?? '') && isChanged(names.at(-1) ?? '');
    let wasCut = false;
    for (let attempt = 0; !wasCut && attempt < 20; attempt++) {
      const child = spawn(process.execPath, [await builtCli(), 'undo', '--yes'], {
        cwd: place.work,
        env: { PATH: process.env.PATH, HOME: place.home, TILLER_HOME: path.join(place.home, 'tiller') },
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      while (!isHalf() && child.exitCode === null) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      wasCut = isHalf();
      if (!wasCut) await place.turn('for f in *.txt; do echo changed > $f; done');
    }
    assert.ok(wasCut, 'no undo was killed in the middle');
    const { code, stderr } = await place.undo('--yes');
    assert.match(stderr, /was rolled back/);
    assert.equal(code, 0);
    assert.deepEqual(place.files(), files);
  });
});
