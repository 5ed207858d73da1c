// Sub-agents in the panel: their requests, their threads, and stopping one.
import { beforeEach, expect, test } from 'vitest';
import { calls, hangs, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({ model: 'scripted', settings: ASK_ABOUT_COMMANDS });
const soon = { timeout: 20_000 };

const task = (prompt: string) => [calls('task', { agent: 'worker', prompt, description: 'Touch a file' })];

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

test('an agent asks in the thread that has started it, and is opened as a thread from there', async () => {
  const { panel, model, disk, vscode } = window();
  model.will(
    task('Touch it.'),
    [calls('exec_command', { cmd: 'touch by-agent' })],
    [says('Touched.')],
    [says('Done.')],
  );
  await panel.send('Have it touched.');
  await panel.approval('command').waitFor();
  expect(await panel.card.locator('h3').textContent()).toBe('worker asks: Run this command?');
  // The panel shows the request: no notification does.
  expect(await vscode.notification('needs you').count()).toBe(0);
  await panel.get('agents').locator('summary').click();
  expect(await panel.get('agent').textContent()).toContain('touch by-agent');
  await vscode.screenshot('agents/asks');
  await panel.answer();
  await panel.ended();
  expect(await disk('by-agent')).toBe('');
  expect(model.outputs).toEqual(['Touched.']);
  expect(await panel.get('agents').count()).toBe(0);

  await panel.get('agent-open').click();
  await panel.get('agent-banner').waitFor();
  await expect.poll(() => panel.lastMessage().textContent(), soon).toContain('Touched.');
  model.will([says('It was me.')]);
  await panel.send('Who was it?');
  await expect.poll(() => panel.lastMessage().textContent(), soon).toContain('It was me.');
  await panel.get('agent-back').click();
  await expect.poll(() => panel.lastMessage().textContent(), soon).toContain('Done.');
  expect(await panel.get('sub-agent').textContent()).toContain('It was me.');
});

test('an agent is stopped alone: its parent goes on', async () => {
  const { panel, model } = window();
  model.will(task('Think.'), [hangs()], [says('Then not.')]);
  await panel.send('Have it thought about.');
  await panel.get('agents').locator('summary').click();
  await panel.get('agent-stop').click();
  await panel.ended();
  await expect.poll(() => panel.lastMessage().textContent(), soon).toContain('Then not.');
  expect(model.outputs).toEqual(['The user has stopped this agent. What it was doing may be done in part.']);
});
