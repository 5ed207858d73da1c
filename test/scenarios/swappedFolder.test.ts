/** A folder that is replaced by a link while a patch names it: the patch writes nothing through the link. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ports, Workspace } from '../../src/core/ports.ts';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { sandboxPolicySchema } from '../../src/protocol/policy.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { exchangeForever } from '../support/exchange.ts';
import { isFullRun } from '../support/rounds.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario, type Scenario } from '../support/startScenario.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

/** Patches of each attack: more in a full run; `TILLER_ATTACKS=2000` for a long one. */
const ATTACKS = Number(process.env.TILLER_ATTACKS ?? (isFullRun() ? 200 : 100));
const CALLS_AT_ONCE = 50;

const noExchange =
  process.platform !== 'linux'
    ? 'renameat2 is a call of Linux.'
    : spawnSync(exchangeForever('', '')[0], ['-e', '1']).status !== 0 && 'There is no perl to call renameat2 with.';
if (noExchange !== false) console.warn(`Attacks with swapped folders are left out: ${noExchange}`);

const patchOf = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const patch = (...lines: readonly string[]) => calls('apply_patch', { input: patchOf(...lines) });

/** Everything below a folder, by name; links are not followed. */
function contents(folder: TempFolder): Record<string, string> {
  const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(folder.at(name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(folder.at(name), 'utf8')]));
}

/** The files on either side of the swap: the same names, other texts. */
function furnish(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < ATTACKS; index++) {
    for (const name of ['changed', 'moved', 'deleted']) writeFileSync(path.join(folder, `${name}${index}`), text);
  }
}

/** One of each kind in turn, with context that fits both sides. */
function attack(index: number) {
  switch (index % 5) {
    case 0:
      return patch(`*** Add File: d/new${index}/deep`, '+ours');
    case 1:
      return patch(`*** Update File: d/changed${index}`, '@@', ' same', '+ours');
    case 2:
      return patch(`*** Update File: d/moved${index}`, `*** Move to: out${index}`, '@@', ' same', '+ours');
    case 3:
      return patch(`*** Update File: d/moved${index}`, `*** Move to: d/to${index}`, '@@', ' same', '+ours');
    default:
      return patch(`*** Delete File: d/deleted${index}`);
  }
}

/** Returns true if the attack with this number wrote all its files in the real folder; a part of them is an error. */
function isApplied(workspace: TempFolder, index: number): boolean {
  const real = ['d', 'link'].find((name) => lstatSync(workspace.at(name)).isDirectory()) ?? '';
  const textOf = (...names: string[]) =>
    existsSync(workspace.at(...names)) ? readFileSync(workspace.at(...names), 'utf8') : null;
  const [from, to] = [
    ['same\n', null],
    [null, 'same\nours\n'],
  ];
  const [before, after, now] =
    [
      [[null], ['ours\n'], [textOf(real, `new${index}`, 'deep')]],
      [['same\n'], ['same\nours\n'], [textOf(real, `changed${index}`)]],
      [from, to, [textOf(real, `moved${index}`), textOf(`out${index}`)]],
      [from, to, [textOf(real, `moved${index}`), textOf(real, `to${index}`)]],
      [['same\n'], [null], [textOf(real, `deleted${index}`)]],
    ][index % 5] ?? [];
  const sides = [before, after].map((side) => JSON.stringify(side));
  if (!sides.includes(JSON.stringify(now))) throw new Error(`Attack ${index} left ${JSON.stringify(now)}`);
  return JSON.stringify(now) === sides[1];
}

/** Every name in an attack ends with its number. */
function numberOf({ changes: [change] }: TurnItemOf<'file_change'>): number {
  return Number(/\d+/.exec(change?.path ?? '')?.[0]);
}

const quoted = (word: string) => `'${word}'`;

describe.skipIf(noExchange)(`${ATTACKS} patches while their folder and a link change places`, () => {
  async function attacked(where: 'in the sandbox' | 'beside', pauseMs: number): Promise<void> {
    using victim = tempFolder();
    furnish(victim.path, 'same\nSECRET\n');
    const before = contents(victim);
    const swap = (folder: TempFolder) => exchangeForever(folder.at('d'), folder.at('link'), pauseMs);
    const rounds = Array.from({ length: Math.ceil(ATTACKS / CALLS_AT_ONCE) }, (_, round) =>
      Array.from({ length: Math.min(CALLS_AT_ONCE, ATTACKS - round * CALLS_AT_ONCE) }, (__, call) =>
        attack(round * CALLS_AT_ONCE + call),
      ),
    );
    let cmd = 'true';
    let other: ChildProcess | undefined;
    await using chat = await startScenario({
      policy: 'never',
      ...(where === 'in the sandbox' ? { box: 'real' as const } : { sandbox: 'workspace-write' as const }),
      unreadable: [],
      maxToolRounds: rounds.length + 5,
      model: [() => [calls('exec_command', { cmd, yield_time_ms: 500 })], ...rounds, [says('Done.')]],
    });
    furnish(chat.folder.at('d'), 'same\n');
    symlinkSync(victim.path, chat.folder.at('link'));
    const program = swap(chat.folder);
    if (where === 'in the sandbox') cmd = program.map(quoted).join(' ');
    else other = spawn(program[0], program.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    if (other?.stdout) await once(other.stdout, 'data');
    try {
      await chat.send('go');
    } finally {
      other?.kill('SIGKILL');
    }
    await chat.session.dispose();

    const items = chat.items('file_change');
    const ends = items.map(({ status }) => status);
    // A patch whose places differ in five looks in a row is given up before it has an item.
    const givenUp = chat.outputs().filter((output) => output.includes('keep being replaced by links'));
    expect(items.length + givenUp.length).toBe(ATTACKS);
    expect(contents(victim)).toEqual(before);
    expect(Object.values(filesIn(chat)).filter((text) => text.includes('SECRET'))).toEqual([]);
    expect(chat.outputs().filter((output) => output.includes('SECRET'))).toEqual([]);
    // Both outcomes occurred, otherwise there was no attack.
    expect(ends).toContain('completed');
    expect(ends).toContain('declined');
    const applied = Array.from({ length: ATTACKS }, (_, index) => index).filter((index) =>
      isApplied(chat.folder, index),
    );
    const completed = items.flatMap((item) => (item.status === 'completed' ? [numberOf(item)] : []));
    expect(applied).toEqual(completed.toSorted((one, other) => one - other));
    if (process.env.TILLER_ATTACKS)
      console.info(`${where}, every ${pauseMs} ms: ${tally([...ends, ...givenUp.map(() => 'given up')])}`);
  }

  it.skipIf(noSandbox).each([0, 0.2, 2])('by a command in the sandbox, every %d ms', (pauseMs) =>
    attacked('in the sandbox', pauseMs),
  );
  it.each([0, 0.2, 2])('by another process, every %d ms', (pauseMs) => attacked('beside', pauseMs));
});

/** The files of the workspace, without the targets of its links. */
function filesIn(chat: Scenario): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(chat.folder.path, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.relative(chat.folder.path, file)] = readFileSync(file, 'utf8');
  }
  return found;
}

function tally(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} ${value}`).join(', ');
}

/** Moves `d` aside and replaces it by a link to `target`. */
function swapIn(folder: TempFolder, target: string): void {
  renameSync(folder.at('d'), folder.at('aside'));
  symlinkSync(target, folder.at('d'));
}

const ADD = patch('*** Add File: d/new.txt', '+ours');
const UPDATE = patch('*** Update File: d/a.txt', '@@', ' same', '+ours');

describe('a folder that becomes a link between approval and apply', () => {
  /** Swaps when the patch begins to be applied, after all decisions. */
  const swapAtApply =
    (folder: () => TempFolder, target: string) =>
    ({ workspace }: Ports): { workspace: Workspace } => {
      let isSwapped = false;
      const apply: Workspace['apply'] = (...given) => {
        if (!isSwapped) swapIn(folder(), target);
        isSwapped = true;
        return workspace.apply(...given);
      };
      return { workspace: { ...workspace, apply } };
    };

  it.each([
    ['an added file', ADD, 'new.txt'],
    ['a changed file', UPDATE, 'a.txt'],
    ['a moved file', patch('*** Update File: d/a.txt', '*** Move to: out.txt', '@@', ' same', '+ours'), 'a.txt'],
    ['a deleted file', patch('*** Delete File: d/a.txt'), 'a.txt'],
  ])('is decided about anew, and refused where nobody may be asked: %s', async (_what, call, name) => {
    using victim = tempFolder();
    writeFileSync(victim.at('a.txt'), 'same\n');
    let folder: TempFolder = victim;
    await using chat = await startScenario({
      policy: 'never',
      files: { 'd/a.txt': 'same\n' },
      deps: swapAtApply(() => folder, victim.path),
      model: [[call], [says('Ok.')]],
    });
    folder = chat.folder;
    await chat.send('go');
    const place = `${chat.folder.at('d', name)} leads to ${victim.at(name)}`;
    expect(chat.outputs()).toEqual([
      `Not allowed: ${place}, which lies outside the writable folders, and the approval policy never asks.`,
    ]);
    expect(chat.items('file_change').map(({ status }) => status)).toEqual(['declined']);
    expect(contents(victim)).toEqual({ 'a.txt': 'same\n' });
    expect(filesIn(chat)).toEqual({ 'aside/a.txt': 'same\n' });
  });

  it('is asked about again where the policy allows it, and applied after that approval', async () => {
    using victim = tempFolder();
    let folder: TempFolder = victim;
    await using chat = await startScenario({
      files: { 'd/a.txt': 'same\n' },
      deps: swapAtApply(() => folder, victim.path),
      model: [[ADD], [says('Ok.')]],
    });
    folder = chat.folder;
    const over = chat.send('go');
    const question = await chat.next('approval_requested');
    expect(question.reason).toEqual({
      source: 'policy',
      id: 'outside-writable-roots',
      text: `${chat.folder.at('d/new.txt')} leads to ${victim.at('new.txt')}, which lies outside the writable folders.`,
    });
    await chat.answer('approved');
    await over;
    expect(contents(victim)).toEqual({ 'new.txt': 'ours\n' });
    expect(chat.said('approval_requested')).toHaveLength(1);
  });
});

describe('a folder that becomes a link while its approval is pending', () => {
  it.each(['approved', 'approved_for_thread'] as const)('is asked about again after %s', async (decision) => {
    using victim = tempFolder();
    await using chat = await startScenario({
      review: 'before',
      files: { 'd/a.txt': 'same\n' },
      model: [[ADD], [says('Ok.')]],
    });
    const over = chat.send('go');
    await chat.next('approval_requested');
    swapIn(chat.folder, victim.path);
    const again = chat.next('approval_requested');
    await chat.answer(decision);
    expect((await again).reason.text).toContain(`leads to ${victim.at('new.txt')}`);
    await chat.answer({ denied: {} });
    await over;
    expect(contents(victim)).toEqual({});
    expect(filesIn(chat)).toEqual({ 'aside/a.txt': 'same\n' });
    expect(chat.said('approval_requested').map(({ reason }) => reason.id)).toEqual([
      'review-before',
      'outside-writable-roots',
    ]);
  });

  it('is asked about again after a review, with the same choices', async () => {
    using victim = tempFolder();
    writeFileSync(victim.at('a.txt'), 'same\n');
    await using chat = await startScenario({
      review: 'before',
      files: { 'd/a.txt': 'same\n' },
      model: [[patch('*** Update File: d/a.txt', '@@', ' same', '+ours', '*** Add File: b.txt', '+b')], [says('Ok.')]],
    });
    const over = chat.send('go');
    await chat.next('approval_requested');
    swapIn(chat.folder, victim.path);
    const again = chat.next('approval_requested');
    await chat.answer({ approved_reviewed: { files: [{ path: 'b.txt', leftOut: 'file' }] } });
    expect(await again).toMatchObject({
      reason: { id: 'outside-writable-roots' },
      reviewed: [{ path: 'b.txt', leftOut: 'file' }],
    });
    await chat.answer({ denied: {} });
    await over;
    expect(contents(victim)).toEqual({ 'a.txt': 'same\n' });
    expect(filesIn(chat)).toEqual({ 'aside/a.txt': 'same\n' });
  });

  it('and is a folder again at the time of the answer, was asked about as it is', async () => {
    using victim = tempFolder();
    await using chat = await startScenario({
      review: 'before',
      files: { 'd/a.txt': 'same\n' },
      model: [[ADD], [says('Ok.')]],
    });
    const over = chat.send('go');
    await chat.next('approval_requested');
    swapIn(chat.folder, victim.path);
    unlinkSync(chat.folder.at('d'));
    renameSync(chat.folder.at('aside'), chat.folder.at('d'));
    await chat.answer('approved');
    await over;
    expect(chat.said('approval_requested')).toHaveLength(1);
    expect(filesIn(chat)).toEqual({ 'd/a.txt': 'same\n', 'd/new.txt': 'ours\n' });
  });
});

it('a patch gets an approval for the thread by its place, not by the paths that lead there', async () => {
  using one = tempFolder();
  using other = tempFolder();
  const addTo = (file: string) => patch(`*** Add File: ${file}`, '+ours');
  const done = [says('Ok.')];
  await using chat = await startScenario({
    model: [[addTo('link/a.txt')], done, [addTo('second/a.txt')], done, [addTo('link/a.txt')], done],
  });
  symlinkSync(one.path, chat.folder.at('link'));
  symlinkSync(one.path, chat.folder.at('second'));
  const first = chat.send('go');
  await chat.answer('approved_for_thread');
  await first;
  // The same place by another path.
  unlinkSync(one.at('a.txt'));
  await chat.send('go');
  expect(contents(one)).toEqual({ 'a.txt': 'ours\n' });
  // Another place by the same path.
  unlinkSync(chat.folder.at('link'));
  symlinkSync(other.path, chat.folder.at('link'));
  const third = chat.send('go');
  await chat.answer({ denied: {} });
  await third;
  expect(chat.said('approval_requested').map(({ reason }) => reason.text)).toEqual([
    `${chat.folder.at('link/a.txt')} leads to ${one.at('a.txt')}, which lies outside the writable folders.`,
    `${chat.folder.at('link/a.txt')} leads to ${other.at('a.txt')}, which lies outside the writable folders.`,
  ]);
  expect(contents(other)).toEqual({});
});

it('a writable folder inside another one makes nothing writable behind a link that has replaced it', async () => {
  using victim = tempFolder();
  await using chat = await startScenario({ policy: 'never', model: [[ADD], [says('Ok.')]] });
  symlinkSync(victim.path, chat.folder.at('d'));
  const box = sandboxPolicySchema.parse({ type: 'workspace-write', writableRoots: [chat.folder.at('d')] });
  chat.submit({ type: 'override_turn_context', box });
  await chat.send('go');
  expect(chat.outputs()[0]).toContain(`leads to ${victim.at('new.txt')}, which lies outside the writable folders`);
  expect(contents(victim)).toEqual({});
});
