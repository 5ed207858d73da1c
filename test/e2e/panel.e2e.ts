import { expect, test } from 'vitest';
import { THEMES } from '../../scripts/vscode/page.mjs';
import { fails } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const window = useWindow({ model: 'scripted' });

test('the panel opens in the secondary side bar, in every width and theme', async () => {
  const { vscode, panel } = window();
  await vscode.openChat();
  await panel.get('composer-input').waitFor();
  expect(await vscode.sideBar().getAttribute('class')).toContain('auxiliarybar');
  for (const width of [260, 900, 400]) {
    expect(await vscode.resizeSideBar(width)).toBe(width);
    await vscode.screenshot(`panel/width-${width}`);
  }
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    await vscode.theme(theme);
    await panel.get('composer-input').waitFor();
    await vscode.screenshot(`panel/${theme}`);
  }
});

test('what the panel promises works, and an error has a title that is true of it', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  expect(await panel.get('composer-input').getAttribute('placeholder')).toBe('Ask Tiller to change something');
  await panel.get('context-meter').click();
  expect(await panel.get('context-meter-popup').getByRole('button').count()).toBe(0);
  await panel.get('context-meter').click();
  const title = panel.get('error').locator('.notice-title');
  for (const [status, words, action] of [
    [401, 'API key missing', 'Set API Key'],
    [413, 'Context window full', 'New Thread'],
    [400, 'Request rejected', 'Show Log'],
  ] as const) {
    model.will([fails(status, { error: { message: 'no' } })]);
    await panel.send('Hello?');
    await panel.ended('aborted');
    expect([await title.last().innerText(), await panel.get('error-action').innerText()]).toEqual([words, action]);
  }
  await vscode.screenshot('panel/errors', vscode.sideBar());
});
