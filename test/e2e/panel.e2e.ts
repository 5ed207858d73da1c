import { expect, test } from 'vitest';
import { fails } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const window = useWindow({ model: 'scripted' });

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
