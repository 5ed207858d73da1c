// What the panel does in one window: turns that are stopped, and compaction.
import { readdir, readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { calls, fails, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({ model: 'scripted', settings: ASK_ABOUT_COMMANDS });
const soon = { timeout: 10_000 };

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

test('a running command is stopped with all it started, and the thread goes on', async () => {
  const { vscode, panel, model } = window();
  const marker = `61.${process.pid}`;
  model.will(
    [calls('exec_command', { cmd: `echo begun; sleep ${marker} & sleep ${marker}; echo over` })],
    [says('Back.')],
  );
  await panel.send('Sleep.');
  await panel.approval('command').waitFor();
  await panel.answer();
  await panel.get('output').getByText('begun').waitFor();
  expect(await running(marker)).toBeGreaterThan(1);
  await vscode.screenshot('interrupt/1-running');
  await panel.get('composer-stop').click();
  await panel.ended('aborted');
  // The button is gone, and the user can write what to do instead.
  await expect.poll(() => panel.get('composer-input').and(panel.page.locator(':focus')).count(), soon).toBe(1);
  await expect.poll(() => running(marker), soon).toBe(0);
  await panel.get('turn-stopped').waitFor();
  await panel.get('command').getByText('Stopped echo begun').waitFor();
  await vscode.screenshot('interrupt/2-stopped');

  await panel.send('Are you there?');
  await panel.ended();
  expect(await panel.lastMessage().innerText()).toBe('Back.');
});

test('a command that waited for an approval when the turn was stopped is shown as not run', async () => {
  const { vscode, panel, model, disk } = window();
  model.will([calls('exec_command', { cmd: 'touch never' })], [says('Back.')]);
  await panel.send('Touch it.');
  await panel.approval('command').waitFor();
  await panel.get('composer-stop').click();
  await panel.ended('aborted');
  await panel.get('command').getByText('Not run: touch never').waitFor();
  await vscode.screenshot('interrupt/5-not-run', vscode.sideBar());
  expect(await disk('never')).toBeNull();
});

test('a streaming model is stopped by Escape, what it said stays, and the thread goes on', async () => {
  const { vscode, panel, model } = window();
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
  model.will([says(words, { deltas: 400, delayMs: 50 })], [says('Back.')]);
  await panel.send('Talk.');
  await panel.get('agent-message').getByText('word5').waitFor();
  // A click on Send leaves the keys in the composer.
  await vscode.page.keyboard.press('Escape');
  await panel.ended('aborted');
  const said = await panel.lastMessage().innerText();
  expect(said).toContain('word5');
  expect(said).not.toContain('word399');
  await panel.get('turn-stopped').waitFor();
  await vscode.screenshot('interrupt/3-while-streaming');

  await panel.send('Are you there?');
  await panel.ended();
  expect(await panel.lastMessage().innerText()).toBe('Back.');
  expect(JSON.stringify(model.requests.at(-1)?.input)).toContain('Are you there?');
});

test('a thread is compacted, read, undone and compacted again', async () => {
  const { vscode, panel, model } = window();
  const statuses = () =>
    panel.get('compaction').evaluateAll((cards: HTMLElement[]) => cards.map((card) => card.dataset['status']));
  const lastRequest = () => model.requests.at(-1)?.text ?? '';
  model.will(
    [says('The word is marmalade.')],
    [says('**The word** is known.')],
    [says('Whole again.')],
    [says('A second summary.')],
    [fails(400, { code: 'context_length_exceeded', message: 'too long' })],
    [says('A third summary.')],
    [says('It went on.')],
  );
  await panel.send('What is the word?');
  await panel.ended();

  await panel.get('context-meter').click();
  expect(await panel.get('context-part').count()).toBe(6);
  await panel.get('context-compact').click();
  await expect.poll(statuses, soon).toEqual(['completed']);
  expect(await panel.get('compaction').innerText()).toMatch(/Compacted: [\d.]+k? → [\d.]+k? tokens/);
  await panel.get('compaction-summary').click();
  await vscode.screenshot('compaction/1-card', vscode.sideBar());
  expect(await panel.get('compaction').innerText()).toContain('The word is known.');

  await panel.get('compaction-undo').click();
  await expect.poll(statuses, soon).toEqual(['undone']);
  expect(await panel.get('compaction-undo').count()).toBe(0);
  await panel.send('Say it again.');
  await panel.ended();
  expect(lastRequest()).toContain('The word is marmalade.');
  expect(lastRequest()).not.toContain('thread_summary');

  await vscode.command('Tiller: Compact Thread');
  await expect.poll(statuses, soon).toEqual(['undone', 'completed']);
  await panel.send('And now?');
  await panel.ended();
  await expect.poll(statuses, soon).toEqual(['undone', 'completed', 'completed']);
  expect(await panel.get('compaction').last().innerText()).toContain('Auto-compacted');
  expect(await panel.lastMessage().innerText()).toBe('It went on.');
  expect(await panel.get('compaction-undo').count()).toBe(1);
  await vscode.screenshot('compaction/2-by-itself', vscode.sideBar());
});

/** Processes with this word in their command line. */
async function running(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.startsWith('sleep') && line.includes(word)).length;
}
