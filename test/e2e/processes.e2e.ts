// Background processes: the list, the status bar, and a terminal with input.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({
  model: 'scripted',
  width: 1600,
  settings: { 'tiller.sandbox.mode': 'danger-full-access' },
});

const soon = { timeout: 10_000 };

const GREETER =
  'printf "\\033[32mready\\033[0m \\033[1;31mred\\033[0m \\033[33myellow\\033[0m \\033[34mblue\\033[0m \\033[35mmagenta\\033[0m \\033[36mcyan\\033[0m\\n"; while read name; do echo "hello $name at $(stty size)"; done';

test('a command in the background is listed, shown in a terminal and accepts input', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  model.will(
    [
      calls('exec_command', { cmd: GREETER, tty: true, yield_time_ms: 500 }),
      calls('exec_command', { cmd: 'sleep 600', yield_time_ms: 250 }),
    ],
    [says('Both run.')],
  );
  await panel.send('Start them.');
  await panel.ended();
  await panel.get('processes').locator('summary').first().click();
  expect(await panel.get('process').count()).toBe(2);
  await expect.poll(() => vscode.status('tiller.processes').innerText(), soon).toContain('2');
  await panel.get('process').first().locator('summary').click();
  await panel.get('process').first().getByTestId('output').getByText('magenta').waitFor();

  await panel.get('processes').getByTestId('process-terminal').first().click();
  const terminal = vscode.page.locator('.terminal-wrapper.active .xterm-screen, .terminal-wrapper .xterm');
  await terminal.first().waitFor();
  await terminal.first().click();
  await vscode.page.keyboard.type('you');
  await vscode.page.keyboard.press('Enter');
  const answer = panel
    .get('process')
    .first()
    .getByText(/hello you at \d+ \d+/);
  await answer.waitFor();
  // The size of the tab, not the one it was started with.
  expect(await answer.textContent()).not.toContain('at 24 80');
  await vscode.screenshot('processes/1-terminal');
}, 120_000);

test('closing the terminal ends nothing, killing does, and the palette lists the remaining processes', async () => {
  const { vscode, panel } = window();
  await vscode.command('Terminal: Kill All Terminals');
  await expect.poll(() => panel.get('process').count(), soon).toBe(2);
  await vscode.command('Tiller: Show Background Processes');
  await vscode.quickRow('sleep 600').waitFor();
  await vscode.screenshot('processes/2-palette');
  await vscode.closeQuickInput();
  const focused = panel.page.locator(':focus');
  const kill = panel.get('processes').getByTestId('process-kill').first();
  await kill.click();
  await expect.poll(() => panel.get('process').count(), soon).toBe(1);
  // The focus moves to the next one, and from the last one back to the composer.
  await expect.poll(() => kill.and(focused).count(), soon).toBe(1);
  await vscode.page.keyboard.press('Enter');
  await expect.poll(() => panel.get('processes').count(), soon).toBe(0);
  await expect.poll(() => panel.get('composer-input').and(focused).count(), soon).toBe(1);
  await expect.poll(() => vscode.status('tiller.processes').count(), soon).toBe(0);
}, 60_000);

test('the full output opens without codes, and never prompts to be saved', async () => {
  const { vscode, panel, model } = window();
  const bar = 'for n in 10 50 100; do printf "$n %%\\r"; done; echo; printf "\\033[31mred\\033[0m\\n"';
  model.will([calls('exec_command', { cmd: bar })], [says('Done.')]);
  await panel.send('Show it.');
  await panel.ended();
  await panel.get('command').last().locator('summary').click();
  await panel.get('command').last().getByTestId('command-open-output').click();
  await expect.poll(() => vscode.text(), soon).toBe('100 %\nred\n');
  const tab = vscode.page.locator('.part.editor .tab.active[aria-label^="Output of for n in"]');
  await tab.waitFor();
  await vscode.editor().click();
  await vscode.page.keyboard.type('x');
  expect(await tab.evaluate((element) => element.classList.contains('dirty'))).toBe(false);
  expect(await vscode.text()).toBe('100 %\nred\n');
});
