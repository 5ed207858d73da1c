// The panel as an editor tab, beside the one in the side bar. reload.e2e.ts reloads the window with it.
import { expect, test } from 'vitest';
import { says } from '../support/modelServer.ts';
import { untilInEditor } from './support/chatInEditor.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 20_000 };
const window = useSharedWindow({ model: 'scripted', files: { 'a.txt': 'one\n' } });

test('an editor tab and a window of its own show the same thread and draft as the side bar', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  model.will([says('The first answer.')]);
  await panel.send('Say something.');
  await panel.ended();

  await vscode.command('Tiller: Open Chat in Editor');
  const tab = vscode.page.locator('.part.editor .tab', { hasText: 'Say something' });
  await tab.waitFor();
  const frame = await untilInEditor(vscode);
  const composer = frame.locator('[data-testid="composer-input"]');
  await composer.waitFor();
  expect(await frame.locator('[data-testid="transcript"]').innerText()).toContain('The first answer.');

  await composer.fill('Say more.');
  await expect.poll(() => panel.get('composer-input').inputValue(), soon).toBe('Say more.');
  await vscode.screenshot('chatInEditor/1-both');
  model.will([says('The second answer.')]);
  await composer.press('Enter');
  // Until the side bar shows the message, its newest turn is the one before, which has ended.
  await panel.get('user-message').nth(1).waitFor();
  await panel.ended();
  for (const place of [panel.get('transcript'), frame.locator('[data-testid="transcript"]')]) {
    await expect.poll(() => place.innerText(), soon).toContain('The second answer.');
  }
  // The empty draft goes to the other page before the message.
  expect(await panel.get('composer-input').inputValue()).toBe('');

  const [opened] = await Promise.all([
    vscode.page.context().waitForEvent('page'),
    vscode.command('Tiller: Open Chat in New Window'),
  ]);
  const transcripts = () =>
    Promise.all(
      opened.frames().map((each) =>
        each
          .locator('[data-testid="transcript"]')
          .innerText({ timeout: 1_000 })
          .catch(() => ''),
      ),
    );
  await expect.poll(async () => (await transcripts()).join(''), soon).toContain('The second answer.');
}, 120_000);
