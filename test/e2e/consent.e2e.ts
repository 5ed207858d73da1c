// Models of another extension need the consent of the user, which VS Code asks for in its own dialog.
import { expect, test } from 'vitest';
import { ALL_EXTENSIONS, useSharedWindow } from './support/window.ts';

const window = useSharedWindow({
  ...ALL_EXTENSIONS,
  settings: { 'tiller.provider': 'vscode', 'tiller.model': 'fixture-guarded' },
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
