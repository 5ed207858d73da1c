// Interrupting a turn, and continuing.
import { readdir, readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useWindow } from './support/window.ts';

const window = useWindow({ model: 'scripted', settings: ASK_ABOUT_COMMANDS });
const soon = { timeout: 10_000 };

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

test('a running command is killed with all it started, and the thread continues', async () => {
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
  // The button is gone, and the user can write a new message.
  await expect.poll(() => panel.get('composer-input').and(panel.page.locator(':focus')).count(), soon).toBe(1);
  await expect.poll(() => running(marker), soon).toBe(0);
  await panel.get('turn-stopped').waitFor();
  await panel.get('command').getByText('Stopped echo begun').waitFor();
  await vscode.screenshot('interrupt/2-stopped');

  await panel.send('Are you there?');
  await panel.ended();
  expect(await panel.lastMessage().innerText()).toBe('Back.');
});

test('a command whose approval was pending when the turn was interrupted is shown as not run', async () => {
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

test('a streaming model is interrupted by Escape, its partial text stays, and the thread continues', async () => {
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

/** Processes with this word in their command line. */
async function running(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.startsWith('sleep') && line.includes(word)).length;
}
