// The command palette has a command of Tiller only while it can do something.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({ isNew: true, model: 'scripted', settings: ASK_ABOUT_COMMANDS, width: 1700 });
const NAMES = ['Open Chat', 'Approve', 'Stop', 'Delete Thread', 'Undo Patch', 'Show Pending Requests'];

async function offered(): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of NAMES) if (await window().vscode.offers(`Tiller: ${name}`)) names.push(name);
  return names;
}

test('the commands of a turn come with it, and go with it', async () => {
  const { panel, model, vscode } = window();
  await panel.open();
  await panel.get('empty-ready').waitFor();
  expect(await offered()).toEqual(['Open Chat']);
  model.will([calls('exec_command', { cmd: 'touch made' })], [says('Done.')]);
  await panel.send('Make it.');
  await panel.approval('command').waitFor();
  expect(await offered()).toEqual(['Open Chat', 'Approve', 'Stop', 'Delete Thread', 'Show Pending Requests']);
  await vscode.command('Tiller: Approve');
  await panel.ended();
  const patch = '*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch';
  model.will([calls('apply_patch', { input: patch })], [says('Done.')]);
  await panel.send('And a file.');
  await panel.approveAll();
  expect(await offered()).toEqual(['Open Chat', 'Delete Thread', 'Undo Patch']);
});

test('the steps of the walkthrough are done with what they are about', async () => {
  const { vscode } = window();
  await vscode.command('View: Toggle Primary Side Bar Visibility');
  await vscode.command('Tiller: Open Walkthrough');
  const step = (name: string) => vscode.page.locator('.getting-started-step').getByRole('checkbox', { name });
  for (const name of ['Choose a model', 'Ask for a change', 'Approve or deny']) {
    await expect.poll(() => step(name).getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
  }
  expect(await step('Undo what was changed').getAttribute('aria-checked')).toBe('false');
  await vscode.screenshot('palette/walkthrough');
  await vscode.command('Tiller: Undo Patch');
  await expect.poll(() => step('Undo what was changed').getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
});
