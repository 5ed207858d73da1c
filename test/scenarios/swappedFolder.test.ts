/** A folder that becomes a link while a patch names it: nothing of the patch reaches what the link leads to. */
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
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ports, Workspace } from '../../src/core/ports.ts';
import { noBox } from '../support/boxed.ts';
import { exchangeForever } from '../support/exchange.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario, type Scenario } from '../support/startScenario.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

/** Patches of each attack; `TILLER_ATTACKS=2000` for a long look. */
const ATTACKS = Number(process.env.TILLER_ATTACKS ?? 200);
const CALLS_AT_ONCE = 50;

const noExchange =
  process.platform !== 'linux'
    ? 'renameat2 is a call of Linux.'
    : spawnSync('perl', ['-e', '1']).status !== 0 && 'There is no perl to call renameat2 with.';
if (noExchange !== false) console.warn(`Attacks with swapped folders are left out: ${noExchange}`);

const patchOf = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const patch = (...lines: readonly string[]) => calls('apply_patch', { input: patchOf(...lines) });

/** Everything below a folder, by name; a link is not followed. */
function contents(folder: TempFolder): Record<string, string> {
  const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(folder.at(name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(folder.at(name), 'utf8')]));
}

/** What stands on either side of the swap: the same names, other texts. */
function furnish(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < ATTACKS; index++) {
    for (const name of ['changed', 'moved', 'deleted']) writeFileSync(path.join(folder, `${name}${index}`), text);
  }
}

/** One of each kind in turn, whose context fits on both sides. */
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

/** Whether the attack with this number did in the real folder all that it should; half of it is an error. */
function hasLanded(workspace: TempFolder, index: number): boolean {
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
      config: { unreadable: [] },
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

    const ends = chat.items('file_change').map(({ status }) => status);
    expect(ends).toHaveLength(ATTACKS);
    expect(contents(victim)).toEqual(before);
    expect(Object.values(filesIn(chat)).filter((text) => text.includes('SECRET'))).toEqual([]);
    expect(chat.outputs().filter((output) => output.includes('SECRET'))).toEqual([]);
    // Both happened, or nothing was attacked.
    expect(ends).toContain('completed');
    expect(ends).toContain('declined');
    expect(ends.map((_, index) => hasLanded(chat.folder, index))).toEqual(ends.map((end) => end === 'completed'));
    if (process.env.TILLER_ATTACKS) console.info(`${where}, every ${pauseMs} ms: ${tally(ends)}`);
  }

  it.skipIf(noBox).each([0, 0.2, 2])('by a command in the sandbox, every %d ms', (pauseMs) =>
    attacked('in the sandbox', pauseMs),
  );
  it.each([0, 0.2, 2])('by another process, every %d ms', (pauseMs) => attacked('beside', pauseMs));
});

/** Of the workspace; what its links lead to is not in it. */
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
