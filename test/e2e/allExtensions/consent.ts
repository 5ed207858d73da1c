// VS Code asks in a dialog before Tiller uses models and tools of other extensions, and Tiller asks before they use its tools.
import { expect, test } from 'vitest';
import { ASK_ABOUT_COMMANDS } from '../support/model.ts';
import { ALL_EXTENSIONS, useSharedWindow } from '../support/window.ts';

const window = useSharedWindow({
  ...ALL_EXTENSIONS,
  settings: {
    ...ASK_ABOUT_COMMANDS,
    'tiller.provider': 'vscode',
    'tiller.model': 'fixture-guarded',
    'tiller.languageModelTools': ['tool-provider_wipe'],
  },
});

test('a user who refuses reads so in the thread, and one who agrees gets the answer', async () => {
  const { vscode, panel } = window();
  await panel.open();
  await panel.send('May I?');
  const dialog = vscode.page.locator('.monaco-dialog-box');
  await dialog.waitFor();
  expect(await dialog.innerText()).toMatch(/Tiller[^]*language models[^]*Models for the tests of Tiller/);
  expect(await dialog.innerText()).toContain('Tiller sends your messages and what its tools return to this model.');
  await vscode.screenshot('consent/1-dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await panel.get('error').waitFor();
  const refused = await panel.get('error').innerText();
  expect(refused).toMatch(/^Use of the model not allowed\s+Tiller was not allowed to use this model\./);
  await vscode.screenshot('consent/2-refused');

  await panel.send('And now?');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await panel.page.getByText('You have agreed.').waitFor();
  // Once is enough.
  await panel.send('Again?');
  await expect.poll(() => panel.page.getByText('You have agreed.').count(), { timeout: 20_000 }).toBe(2);
  expect(await dialog.count()).toBe(0);
});

test('a tool that asks by itself in VS Code is asked about twice, and the model reads which answer it got', async () => {
  const { vscode, panel } = window();
  const dialog = vscode.page.locator('.monaco-dialog-box');
  const call = async (answer: string, output: RegExp) => {
    await panel.send('Call tool-provider_wipe {"album":"Summer"}');
    await panel.get('approval-command').getByText('Call tool-provider_wipe on VS Code?').waitFor();
    expect(await dialog.count()).toBe(0);
    await panel.answer();
    await dialog.getByText('All pictures of Summer are deleted.').waitFor();
    await vscode.screenshot(`consent/3-tool-${answer}`);
    await dialog.getByRole('button', { name: answer, exact: true }).click();
    await panel.ended();
    expect(await panel.lastMessage().innerText()).toMatch(output);
  };
  await call('Cancel', /It returned: tool-provider_wipe failed: it was cancelled\. The user may have said no/);
  await vscode.screenshot('consent/4-tool-cancelled');
  await call('Yes', /It returned: Summer is empty\./);
});

test('a call of our tools by another extension is approved or denied in the panel, and the extension reads the result', async () => {
  const { vscode, panel, disk } = window();
  const toast = (text: string) => vscode.page.locator('.notification-toast').filter({ hasText: text });
  const call = async (tool: string) => {
    await vscode.command('Camera: Call a Tool of Tiller');
    await vscode.page.locator('.quick-input-widget:visible').getByText(tool).click();
    const asks = toast(`Another extension calls a tool of Tiller: ${tool}`);
    await asks.getByRole('button', { name: 'Show' }).click();
  };
  await call('tiller_run_command');
  await panel.approval('command').getByText('touch camera.log').waitFor();
  await vscode.screenshot('consent/5-our-command');
  await panel.deny('Not now.');
  await toast('tiller_run_command returned:')
    .getByText(/Not now\./)
    .waitFor();

  await call('tiller_apply_patch');
  await panel.approval('patch').waitFor();
  await vscode.screenshot('consent/6-our-patch');
  await panel.answer();
  await toast('tiller_apply_patch returned:')
    .getByText(/camera\.txt/)
    .waitFor();
  expect(await disk('camera.txt')).toBe('Click.\n');
});
