import { expect, test } from 'vitest';
import { fails } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const window = useWindow({ model: 'scripted' });

test('the controls of the panel work, and an error has a title that fits it', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  expect(await panel.get('composer-input').getAttribute('placeholder')).toBe('Ask Tiller to change something');
  // Without a thread there is nothing to compact.
  await panel.get('context-meter').click();
  expect(await panel.get('context-meter-popup').getByRole('button').count()).toBe(0);
  await panel.get('context-meter').click();
  const title = panel.get('error').locator('.notice-title');
  for (const [status, words, action] of [
    [401, 'API key missing', 'Set API Key'],
    [413, 'Context window full', 'Compact and Continue'],
    [400, 'Request rejected', 'Show Log'],
  ] as const) {
    // A request that is too long is compacted first, and the request for the summary is refused, too, however short it gets.
    const failure = [fails(status, { error: { message: 'no' } })];
    model.will(...Array.from({ length: status === 413 ? 30 : 1 }, () => failure));
    await panel.send('Hello?');
    await panel.ended('aborted');
    expect([await title.last().innerText(), await panel.get('error-action').innerText()]).toEqual([words, action]);
  }
  await vscode.screenshot('panel/errors', vscode.sideBar());
});
