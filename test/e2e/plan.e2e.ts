// Plan mode: a plan is proposed, edited as a document, and run in Agent mode as it stands there.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 20_000 };
const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.sandbox.mode': 'danger-full-access', 'tiller.review': 'after' },
  files: { 'a.txt': 'one\n' },
});

const PLAN = 'I have read it.\n\n<proposed_plan>\n# Write a two: now\n\n1. `a.txt` gets a two.\n</proposed_plan>';

test('a plan is proposed without a change, edited, and run as it stands in its document', async () => {
  const { vscode, panel, model, disk } = window();
  await panel.open();
  const composer = panel.get('composer-input');
  await composer.fill('/plan');
  await composer.press('Enter');
  await expect.poll(() => panel.get('pick-mode').innerText(), soon).toContain('Plan');
  model.will([calls('exec_command', { cmd: 'echo two > a.txt' })], [says(PLAN)]);
  await panel.send('Make it two.');
  await panel.ended();
  expect(await disk('a.txt')).toBe('one\n');
  expect(await panel.get('proposed-plan').innerText()).toContain('Write a two: now');
  await vscode.screenshot('plan/1-proposed');

  await panel.get('plan-open').click();
  await vscode.page.locator('.part.editor .tab', { hasText: 'Write a two now.md' }).waitFor();
  // A comment on a line of the plan reaches the model with that line.
  await vscode.editor().locator('.view-line').nth(2).click();
  await vscode.command('Tiller: Comment on Lines');
  await vscode.page.locator('.review-widget .monaco-editor').last().waitFor(soon);
  await vscode.page.keyboard.type('Why two?');
  await vscode.page.getByRole('button', { name: 'Add Comment' }).click();
  await panel.get('comments').waitFor(soon);
  model.will([says('Noted.')]);
  await panel.get('comments-send').click();
  await expect.poll(() => panel.get('turn').count(), soon).toBe(2);
  await panel.ended();
  const comment = 'My comments:\n\nWrite a two now.md:3\n> 1. `a.txt` gets a two.\nWhy two?';
  expect(model.requests[0]?.text).toContain(JSON.stringify(comment));
  expect(await panel.get('proposed-plan').count()).toBe(1);

  await vscode.editor().locator('.view-line').first().click();
  await vscode.page.keyboard.press('Control+End');
  await vscode.page.keyboard.type('2. And a three.');
  await vscode.screenshot('plan/2-document');
  await vscode.page.locator('.part.editor').getByRole('button', { name: 'Run Plan' }).waitFor();

  // Not saved: what the user sees is what runs.
  model.will([calls('exec_command', { cmd: 'echo two > a.txt' })], [says('Done.')]);
  await panel.get('plan-run').click();
  await expect.poll(() => panel.get('turn').count(), soon).toBe(3);
  await panel.ended();
  expect(await disk('a.txt')).toBe('two\n');
  expect(model.requests.at(-1)?.text).toContain('2. And a three.');
  await expect.poll(() => panel.get('pick-mode').innerText(), soon).toContain('Agent');
  expect(await panel.get('proposed-plan').count()).toBe(0);
  await vscode.screenshot('plan/3-run');
}, 120_000);
