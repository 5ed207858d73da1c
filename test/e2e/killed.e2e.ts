/**
 * `kill -9` of the extension host at any moment of a long script, as `test/scenarios/killed.test.ts` does it to the
 * command line: nothing that was shown is lost, nothing runs twice, and the history of the model continues the one
 * before.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ReplayedThread, replay } from '../../src/core/rollout/replay.ts';
import type { TurnItem } from '../../src/protocol/item.ts';
import { textOfInput } from '../../src/protocol/thread.ts';
import { calls, type ModelRequest, prefixBreaches, says } from '../support/modelServer.ts';
import { hostProcess, hostRestarted } from './support/hostProcess.ts';
import { useSharedWindow } from './support/window.ts';
import { isFullRun, rounds } from '../support/rounds.ts';
import { randomOf } from '../support/random.ts';

const KILLS = rounds(2, 50);
const random = randomOf('killed');
const TURNS = 50;
/** The longest life of a host, from when it is ready, or from its start. */
const LIFE_MS = 3000;
/** One in this many is killed while it is still starting. */
const YOUNG = 5;
const PATCH_LINES = 300;
const isYoung = (kills: number) => kills % YOUNG === YOUNG - 1;

/** Patches need approval, as usual; commands run at once. */
const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.sandbox.mode': 'danger-full-access' },
});

/** Every call is unique: its marker file shows how often it ran. */
let made = 0;
const answer = (request: ModelRequest) => {
  const last = JSON.stringify(request.input.at(-1));
  if (last.includes('_output')) return [says(`Said ${made}.`)];
  const index = ++made;
  if (index % 4 !== 3) return [says('Running.'), calls('exec_command', { cmd: `echo run-${index} >> log; sleep 0.2` })];
  const lines = Array.from({ length: PATCH_LINES }, (_, line) => `+${index} ${line}`).join('\n');
  return [calls('apply_patch', { input: `*** Begin Patch\n*** Add File: patch-${index}\n${lines}\n*** End Patch` })];
};

let said = 0;

test(
  `loses nothing to ${KILLS} kills of the extension host`,
  async () => {
    const { vscode, panel, model } = window();
    model.will(...Array.from({ length: 100 * (KILLS + 1) }, () => answer));
    const shown = new Set<string>();
    for (const file of (await rollouts()).keys()) ofEarlierTests.add(file);
    await panel.open();
    for (let kills = 0; kills < KILLS; kills++) {
      const life = random.below(LIFE_MS);
      if (isYoung(kills)) {
        await sleep(life);
      } else {
        if ((await panel.get('turn').count()) >= TURNS) await panel.newThread();
        await converse(life);
        for (const text of await panel.get('user-message').allTextContents()) shown.add(text);
        await panel.page.locator('body').evaluate((body: HTMLElement) => body.classList.add('of-the-dead'));
      }
      const pid = await hostProcess(vscode);
      if (pid === undefined) throw new Error('There is no extension host to kill.');
      process.kill(pid, 'SIGKILL');
      const written = await rollouts();
      await hostRestarted(vscode, pid);
      if (!isYoung(kills + 1)) await panel.page.locator('body:not(.of-the-dead)').getByTestId('panel').waitFor();
      const now = await rollouts();
      for (const [file, text] of written) expect(now.get(file)?.slice(0, text.length)).toBe(text);
    }
    if (isFullRun()) await vscode.reload();
    await panel.open();
    await finishInterrupted();
    if ((await panel.get('turn').count()) > 0) await panel.approveAll();
    await panel.send(`the end, message ${++said}`);
    await panel.approveAll();

    // A host that was killed before the first line of a thread may leave an empty file.
    const threads = [...(await rollouts()).values()].filter((text) => text !== '').map(threadIn);
    expect(threads.reduce((sum, { dropped }) => sum + dropped, 0)).toBeLessThanOrEqual(KILLS);
    const turns = threads.flatMap(({ state }) => state.turns);
    const items = turns.flatMap((turn) => turn.items);
    const kept = items.flatMap((item) => (item.type === 'user_message' ? [textOfInput(item.content)] : []));
    expect(kept).toEqual(expect.arrayContaining([...shown]));
    expect(new Set(kept).size).toBe(kept.length);
    await checkWorld(items);
    const cut = turns.filter(({ status }) => status.type === 'aborted' && status.reason === 'crashed').length;
    console.log(`${KILLS} kills: ${threads.length} threads, ${turns.length} turns (${cut} cut off), ${made} calls`);
    expect(made).toBeGreaterThan(KILLS / 2);
    const last = new Map<unknown, ModelRequest>();
    for (const request of model.requests) {
      const thread = request.body['prompt_cache_key'];
      expect(prefixBreaches(last.get(thread) ?? request, request)).toEqual([]);
      last.set(thread, request);
    }
  },
  120_000 + KILLS * 30_000,
);

/** Sends one message after the other and approves every request, for this long, and until there was a call. */
async function converse(milliseconds: number): Promise<void> {
  const { panel } = window();
  const end = Date.now() + milliseconds;
  const isOver = () => made > 0 && Date.now() >= end;
  const left = () => ({ timeout: made > 0 ? Math.max(1, end - Date.now()) : LIFE_MS });
  const goOn = async () => {
    if (await panel.card.isVisible()) return panel.get('decision-approve').click(left());
    if (await panel.get('composer-stop').isVisible()) return sleep(20);
    const text = `message ${++said}`;
    await panel.get('composer-input').fill(text, left());
    await panel.get('composer-send').click(left());
    return panel.get('user-message').getByText(text, { exact: true }).waitFor(left());
  };
  // A request without an answer in time stays unanswered.
  while (!isOver()) await goOn().catch(() => {});
}

/** The choices for patches that a kill interrupted, one after the other. */
async function finishInterrupted(): Promise<void> {
  const { vscode } = window();
  const journals = async () =>
    (await readdir(inHome('journal')).catch(() => [])).filter((name) => name.endsWith('.journal'));
  await expect
    .poll(
      async () => {
        const offer = vscode.notification('was interrupted while it was applied').first();
        if (await offer.isVisible()) await vscode.answerNotification('was interrupted while it was applied', 'Finish');
        return journals();
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
}

/** Each command ran at most once, each one shown as completed has run, and each patch is whole or absent. */
async function checkWorld(items: readonly TurnItem[]): Promise<void> {
  const { disk, folder } = window();
  const ran = ((await disk('log')) ?? '').trim().split('\n');
  expect(new Set(ran).size).toBe(ran.length);
  const done = items.filter(({ status }) => status === 'completed');
  const commands = done.flatMap((item) => (item.type === 'command_execution' ? item.command : []));
  expect(ran).toEqual(expect.arrayContaining(commands.map((command) => /run-\d+/.exec(command)?.[0])));
  const patched = done.flatMap((item) =>
    item.type === 'file_change' ? item.changes.map((change) => path.basename(change.path)) : [],
  );
  const patches = (await readdir(folder)).filter((name) => name.startsWith('patch-'));
  expect(patches).toEqual(expect.arrayContaining(patched));
  for (const name of patches) expect([name, (await disk(name))?.split('\n').length]).toEqual([name, PATCH_LINES + 1]);
}

function threadIn(text: string): ReplayedThread {
  const read = replay(text);
  if (read.type !== 'thread') throw new Error(read.message);
  return read.thread;
}

/** The files of threads that earlier tests of the window have left. */
const ofEarlierTests = new Set<string>();

async function rollouts(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(inHome('threads'), { recursive: true }).catch(() => []);
  const all = names.filter((name) => name.endsWith('.jsonl')).map((name) => inHome('threads', name));
  const files = all.filter((file) => !ofEarlierTests.has(file));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

function inHome(...names: string[]): string {
  return path.join(window().vscode.server.folder, 'home/.local/share/tiller', ...names);
}
