// A thread in a side copy of the workspace, and its changes on their way home.
import { expect, test } from 'vitest';
import { calls, type ModelRequest, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const TEXT = `${LINES.join('\n')}\n`;
const soon = { timeout: 20_000 };

const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.review': 'after' },
  width: 1600,
  files: { 'a.txt': TEXT, 'pair.txt': 'first\nsecond\nthird\nlast\n' },
});

const PATCH = ['*** Update File: a.txt', '@@', '-line 2', '+TWO', '@@', '-line 15', '+FIFTEEN'].join('\n');

test('a thread works in a side copy, and what is left of its review comes home beside unsaved text', async () => {
  const { vscode, panel, model, disk } = window();
  await panel.open();
  await vscode.openFile('a.txt');
  await vscode.typeAfter('line 29', ' typed');
  await vscode.command('Tiller: Start in Side Copy');
  await panel.get('side-copy').waitFor(soon);
  model.will([calls('apply_patch', { input: `*** Begin Patch\n${PATCH}\n*** End Patch` })], [says('Done.')]);
  await panel.send('Change it.');
  await panel.ended();
  await panel.get('side-copy').getByText('1 file changed').waitFor(soon);
  expect(await disk('a.txt')).toBe(TEXT);
  // They are reviewed when they come home.
  expect(await panel.get('review').count()).toBe(0);

  await panel.get('bring-home').click();
  await vscode.codeLens('Approve').first().waitFor(soon);
  await vscode.screenshot('copies/bring-home');
  await vscode.codeLens('Reject').nth(1).click();
  await vscode.codeLens('Approve 1 of 2 Hunks').click();
  await vscode.notification('Brought home 1 file. Changes of 1 file are left in the side copy.').waitFor(soon);
  await vscode.openFile('a.txt');
  const text = await vscode.text();
  expect(text).toContain('TWO');
  expect(text).toContain('line 15');
  expect(text).toContain('line 29 typed');
  expect(await disk('a.txt')).toBe(TEXT);

  await vscode.command('Tiller: Show Side Copies');
  await vscode.page.locator('.quick-input-widget').getByText('1 file changed').waitFor(soon);
  expect((await vscode.quickLabels())[0]).toBe('Change it');
  await vscode.screenshot('copies/list');
  await vscode.closeQuickInput();
});

test('of two agents that write at the same time one works in a side copy, and its row brings its changes home', async () => {
  const { vscode, panel, model, disk } = window();
  await panel.open();
  await panel.newThread();
  const work = (from: string, to: string) =>
    calls('apply_patch', {
      input: `*** Begin Patch\n*** Update File: pair.txt\n@@\n-${from}\n+${to}\n*** End Patch`,
    });
  // Requests of agents come in any order.
  const answer = (request: ModelRequest) => {
    const name = ['ALPHA', 'BETA'].find((one) => request.text.includes(`"text":"${one}"`));
    if (name === undefined) return [says('Both are done.')];
    if (request.input.some(({ type }) => String(type).endsWith('_output'))) return [says(`${name} is done.`)];
    return [name === 'ALPHA' ? work('first', 'by ALPHA') : work('last', 'by BETA')];
  };
  const task = (prompt: string) => calls('task', { agent: 'worker', prompt });
  model.will([task('ALPHA'), task('BETA')], answer, answer, answer, answer, answer);
  await panel.send('Have both lines changed.');
  await panel.ended();
  const inCopy = model.outputs.filter((output) => output.includes('Changed there: pair.txt.'));
  expect(inCopy).toHaveLength(1);
  const isBetaInCopy = inCopy[0]?.startsWith('BETA') === true;
  expect(await disk('pair.txt')).toBe(
    isBetaInCopy ? 'by ALPHA\nsecond\nthird\nlast\n' : 'first\nsecond\nthird\nby BETA\n',
  );
  await panel.get('agents').locator('summary').click();
  await vscode.screenshot('copies/agents');
  await panel.get('agents').getByTestId('agent-bring-home').click();
  await vscode.codeLens('Approve').first().waitFor(soon);
  await vscode.codeLens('Approve').first().click();
  await expect.poll(() => disk('pair.txt'), soon).toBe('by ALPHA\nsecond\nthird\nby BETA\n');
  // Nothing is left to bring home.
  await panel.get('agents').waitFor({ ...soon, state: 'detached' });
  model.will([says('I see.')]);
  await panel.send('And now?');
  await panel.ended();
  expect(JSON.stringify(model.requests[0]?.input)).toContain(String.raw`\"brought_home\":[\"pair.txt\"]`);
});
