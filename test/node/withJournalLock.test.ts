// Two windows, and the command line, settle the same interrupted patch: one of them does, the others get a notice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import { watchJournals } from '../../src/node/apply/journal.ts';
import { createLocks } from '../../src/node/storage/locks.ts';
import { type InterruptedApply, recoverJournals } from '../../src/node/apply/recoverJournals.ts';
import type { ThreadOwner } from '../../src/protocol/threads.ts';
import { crash, newTree, oldTree, tree, write } from '../support/crashedApply.ts';
import { startCli } from '../support/runCli.ts';
import { bundled } from '../support/runTypeScript.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { rounds } from '../support/rounds.ts';
import { randomOf } from '../support/random.ts';
import { journalsIn } from '../support/journals.ts';

const ROUNDS = rounds(2, 60);
const random = randomOf('withJournalLock');
const DONE = { type: 'settled', result: { leftAlone: [] } };

let program: string;
beforeAll(async () => {
  program = await bundled('settleProcess.ts');
});

type Answer = 'putBack' | 'finish' | 'hang';

/** A process that has found the patch and waits for its user. */
async function openWindow(folder: TempFolder) {
  const child = spawn(process.execPath, [program, folder.at('home')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const heard = async () => String((await lines.next()).value);
  expect(await heard()).toBe('ready');
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const answer = (text: Answer) => void child.stdin.write(`${text}\n`);
  return { pid: child.pid, answer, heard, kill, [Symbol.asyncDispose]: kill };
}

/** The same crash, any number of times. */
async function crashed(folder: TempFolder): Promise<() => void> {
  write(folder, oldTree);
  await crash(folder, 30);
  const places = ['work', 'home'] as const;
  for (const place of places) cpSync(folder.at(place), folder.at(`kept-${place}`), { recursive: true });
  return () => {
    for (const place of places) {
      rmSync(folder.at(place), { recursive: true });
      cpSync(folder.at(`kept-${place}`), folder.at(place), { recursive: true });
    }
  };
}

async function only(folder: TempFolder): Promise<InterruptedApply> {
  const [interrupted, ...others] = await recoverJournals(folder.at('home'), createLocks(folder.at('home'), 'cli'));
  if (interrupted === undefined || others.length > 0) throw new Error('There is to be one.');
  return interrupted;
}

const journals = (folder: TempFolder) => journalsIn(folder.at('home'));
const locks = (folder: TempFolder) => readdirSync(folder.at('home', 'locks'));

describe('an interrupted patch', () => {
  test('is settled completely by one of the windows that answer at once', async () => {
    using folder = tempFolder();
    const again = await crashed(folder);
    for (let round = 0; round < ROUNDS; round++) {
      again();
      await using one = await openWindow(folder);
      await using other = await openWindow(folder);
      one.answer('putBack');
      other.answer('finish');
      const heard = await Promise.all([one.heard(), other.heard()]);
      const settlements = heard.map((line) => JSON.parse(line));
      const decider = settlements.findIndex(({ type }) => type === 'settled');
      expect(settlements[decider]).toEqual(DONE);
      expect(settlements[1 - decider]).toMatchObject({ type: 'settled_elsewhere' });
      expect(tree(folder)).toEqual(decider === 0 ? oldTree : newTree);
      expect([journals(folder), locks(folder)]).toEqual([[], []]);
    }
  }, 120_000);

  test('is settled by the waiting window when the other one is killed, and the waiting window gets its name', async () => {
    using folder = tempFolder();
    await crashed(folder);
    const interrupted = await only(folder);
    await using window = await openWindow(folder);
    window.answer('hang');
    expect(await window.heard()).toBe('hanging');
    const owners: ThreadOwner[] = [];
    const impatient = await interrupted.settle((ways) => ways.finish(), { signal: AbortSignal.timeout(100) });
    const owner = { pid: window.pid, name: 'vscode', since: expect.any(String) };
    expect(impatient).toEqual({ type: 'busy', owner });
    expect(tree(folder)).toEqual(oldTree);
    const settled = interrupted.settle((ways) => ways.finish(), {
      signal: AbortSignal.timeout(20_000),
      onWait: (who) => owners.push(who),
    });
    await expect.poll(() => owners, { timeout: 5_000 }).toEqual([owner]);
    await window.kill();
    expect(await settled).toEqual(DONE);
    expect(tree(folder)).toEqual(newTree);
    expect([journals(folder), locks(folder)]).toEqual([[], []]);
  }, 30_000);

  test('is settled completely whenever the settling process is killed', async () => {
    using folder = tempFolder();
    const again = await crashed(folder);
    for (let round = 0; round < ROUNDS; round++) {
      again();
      const interrupted = await only(folder);
      await using window = await openWindow(folder);
      window.answer('putBack');
      await new Promise((resolve) => setTimeout(resolve, random.below(13)));
      await window.kill();
      const settlement = await interrupted.settle((ways) => ways.finish(), { signal: AbortSignal.timeout(5_000) });
      if (settlement.type === 'settled') expect(settlement).toEqual(DONE);
      else expect(settlement).toEqual({ type: 'settled_elsewhere', by: null });
      expect(tree(folder)).toEqual(settlement.type === 'settled' ? newTree : oldTree);
      expect(journals(folder)).toEqual([]);
    }
  }, 120_000);

  test('that is being settled is not offered before that is over', async () => {
    using folder = tempFolder();
    await crashed(folder);
    await using window = await openWindow(folder);
    window.answer('hang');
    expect(await window.heard()).toBe('hanging');
    const looking = only(folder);
    expect(await Promise.race([looking, new Promise((resolve) => setTimeout(resolve, 300, 'still looking'))])).toBe(
      'still looking',
    );
    await window.kill();
    // Every file is as before: there is nothing left to choose.
    await expect(looking).rejects.toThrow('There is to be one.');
    expect([tree(folder), journals(folder)]).toEqual([oldTree, []]);
  }, 30_000);

  test('that is settled by another process is reported', async () => {
    using folder = tempFolder();
    await crashed(folder);
    const interrupted = await only(folder);
    const heard = new Promise<void>((resolve) => void watchJournals(folder.at('home'), resolve));
    await using window = await openWindow(folder);
    window.answer('finish');
    await heard;
    expect(JSON.parse(await window.heard())).toEqual(DONE);
    expect(await interrupted.isPending()).toBe(false);
  }, 30_000);

  test('is rolled back by one of the command lines that start at once', async () => {
    using folder = tempFolder();
    await crashed(folder);
    const names = ['one', 'two', 'three'];
    const runs = await Promise.all(names.map((name) => adding(name, folder)));
    const ended = await Promise.all(runs.map((run) => run.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    const told = ended.flatMap(({ stderr }) => stderr.split('\n').filter(Boolean));
    expect(told).toEqual([expect.stringMatching(/^a patch that was interrupted on \S+ was rolled back: /)]);
    expect(tree(folder)).toEqual({ ...oldTree, one: 'one\n', two: 'two\n', three: 'three\n' });
  }, 30_000);

  test('is left alone on the command line where a link now leads elsewhere, with a message', async () => {
    using folder = tempFolder();
    await crashed(folder);
    const cut = tree(folder);
    cpSync(folder.at('work'), folder.at('other'), { recursive: true });
    renameSync(folder.at('work'), folder.at('aside'));
    symlinkSync('other', folder.at('work'));
    const { code, stderr } = await (await adding('one', folder)).ended;
    const [first, second, ...more] = stderr.trimEnd().split('\n');
    expect([code, more]).toEqual([0, []]);
    expect(first).toMatch(/^a patch that was interrupted on \S+ was not rolled back$/);
    expect(second).toContain('left alone, because a link now leads elsewhere from there: ');
    expect(tree(folder)).toEqual({ ...cut, one: 'one\n' });
  }, 30_000);

  test('that a window is settling is waited for on the command line, with a message', async () => {
    using folder = tempFolder();
    await crashed(folder);
    await using window = await openWindow(folder);
    window.answer('hang');
    expect(await window.heard()).toBe('hanging');
    const run = await adding('one', folder);
    const waits = `is being settled by VS Code (process ${window.pid}); waiting`;
    await expect.poll(() => run.output.stderr, { timeout: 15_000 }).toContain(waits);
    expect(tree(folder)).toEqual(oldTree);
    await window.kill();
    expect(await run.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('was rolled back') });
    expect(tree(folder)).toEqual({ ...oldTree, one: 'one\n' });
  }, 40_000);
});

function adding(name: string, folder: TempFolder) {
  const patch = `*** Begin Patch\n*** Add File: ${name}\n+${name}\n*** End Patch`;
  const env = { TILLER_HOME: folder.at('home') };
  return startCli(['apply-patch', patch], { home: folder.path, cwd: folder.at('work'), env });
}
