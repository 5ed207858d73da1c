// A user with a server on the machine: the first message, the model menu, and at last a window without a folder.
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { hostProcess, hostRestarted } from './support/hostProcess.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 20_000 };

describe('a user with a server on the machine', () => {
  const window = useSharedWindow({ model: 'local' });

  test('gets the first answer with four interactions', async () => {
    const { vscode, panel, model } = window();
    await panel.open();
    await panel.get('empty-no-model').waitFor();
    model.will([says('Hello from this machine.')]);
    // 1: the card, 2: the model, 3: the message, 4: Enter.
    await panel.get('setup-local').click();
    await vscode.pick('qwen3-coder:30b');
    await panel.get('empty-ready').waitFor();
    await vscode.screenshot('start/8-local');
    await panel.send('Hi.');
    await panel.ended();
    await expect.poll(() => panel.get('agent-message').last().innerText(), soon).toContain('Hello from this machine.');
    expect(model.requests[0]?.body['model']).toBe('qwen3-coder:30b');
  });
});

const LIST = 'numbers.txt';
const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');

describe('a user who begins with a message', () => {
  const window = useSharedWindow({ model: 'local', files: { [LIST]: LINES } });

  test('finds it in the composer again when the extension host is gone under the list', async () => {
    const { vscode, panel } = window();
    await panel.open();
    await panel.get('empty-no-model').waitFor();
    await panel.write('Do not lose me.');
    await panel.get('composer-input').press('Enter');
    await vscode.quickInput().waitFor();
    expect(await panel.get('composer-input').inputValue()).toBe('');
    const killed = (await hostProcess(vscode)) ?? 0;
    process.kill(killed, 'SIGKILL');
    await hostRestarted(vscode, killed);
    // With it comes another page.
    await expect.poll(() => panel.get('composer-input').inputValue(), { timeout: 60_000 }).toBe('Do not lose me.');
    await panel.write('');
  });

  test('chooses the model then, the message goes by itself, and a whole job needs no pointer', async () => {
    const { vscode, panel, model, disk } = window();
    const { keyboard } = vscode.page;
    const composer = panel.get('composer-input');
    const focusIsIn = (place: typeof composer) =>
      expect.poll(() => place.and(panel.page.locator(':focus')).count(), soon).toBe(1);
    const goBackTo = async (testid: string) => {
      const focused = () => panel.page.locator(':focus').getAttribute('data-testid');
      for (let left = 40; left > 0 && (await focused()) !== testid; left--) await keyboard.press('Shift+Tab');
      expect(await focused()).toBe(testid);
    };
    await panel.open();
    await panel.get('empty-no-model').waitFor();
    const hunk = (number: number, word: string) => `@@\n-line ${number}\n+${word}\n`;
    const patch = `*** Begin Patch\n*** Update File: ${LIST}\n${hunk(2, 'TWO')}${hunk(19, 'NINETEEN')}*** End Patch\n`;
    model.will([calls('apply_patch', { input: patch })], [says('Hello from this machine.')]);
    await panel.focusByKey();
    await keyboard.type('Change @numb');
    await panel.get('suggestion-row').filter({ hasText: LIST }).waitFor();
    await keyboard.press('Enter');
    await expect.poll(() => composer.inputValue(), soon).toBe(`Change @${LIST} `);
    await vscode.screenshot('keyboard/1-mention');
    // 1: the message, 2: Enter, 3: the provider, 4: the model.
    await keyboard.press('Enter');
    for (const name of ['Ollama', 'qwen3-coder:30b']) {
      await vscode.quickRow(name).waitFor();
      await keyboard.type(name);
      await expect.poll(async () => (await vscode.quickLabels())[0], soon).toBe(name);
      await keyboard.press('Enter');
    }
    await panel.approval('patch').waitFor();
    await focusIsIn(panel.get('decision-approve'));
    expect(model.requests[0]?.text).toContain('line 20');
    // The second of two hunks is rejected.
    await goBackTo('hunk-tick');
    await keyboard.press('Space');
    await panel.get('decision-approve').getByText('Approve 1 of 2').waitFor();
    await vscode.screenshot('keyboard/2-hunks');
    await keyboard.press('Enter');
    await panel.ended();
    expect(await composer.inputValue()).toBe('');
    await expect.poll(() => panel.lastMessage().innerText(), soon).toContain('Hello from this machine.');
    expect(await disk(LIST)).toBe(LINES.replace('line 2\n', 'TWO\n'));

    await focusIsIn(composer);
    await goBackTo('turn-undo');
    await keyboard.press('Enter');
    await vscode.quickRow(LIST).waitFor();
    await keyboard.press('Enter');
    await expect.poll(() => disk(LIST), soon).toBe(LINES);
    await vscode.screenshot('keyboard/3-undone');

    // Not in the editor, to which VS Code gives it after a picker.
    await focusIsIn(composer);
    await keyboard.type('/new');
    await keyboard.press('Enter');
    await panel.get('empty-ready').waitFor();
    expect(await composer.inputValue()).toBe('');
  }, 120_000);
});

describe('the model menu at the chip', () => {
  // Its choices are those of new threads.
  const window = useSharedWindow({
    isLast: true,
    model: 'local',
    settings: { 'tiller.provider': 'ollama', 'tiller.model': 'qwen3-coder:30b' },
  });

  test('another model is chosen by keyboard at the chip, and answers the next message', async () => {
    const { vscode, panel, model } = window();
    await panel.open();
    await panel.get('empty-ready').waitFor();
    model.will([says('Hello from the first.')]);
    await panel.send('Hi.');
    await panel.ended();
    await panel.get('pick-model').press('Enter');
    await panel.page.getByRole('option', { name: 'devstral' }).waitFor();
    const chosen = panel.page.getByRole('option', { checked: true });
    await expect.poll(() => chosen.innerText(), soon).toMatch(/^qwen3-coder:30b/);
    // Above its chip, within the panel.
    const menu = await panel.get('model-menu').boundingBox();
    const chip = await panel.get('pick-model').boundingBox();
    expect(menu && chip && menu.y + menu.height <= chip.y && chip.y - menu.y - menu.height < 12).toBe(true);
    await vscode.screenshot('model-menu/1-open');
    await panel.get('model-search').pressSequentially('devs');
    await panel.get('model-search').press('Enter');
    await expect.poll(() => panel.get('pick-model').getAttribute('aria-label'), soon).toContain('devstral');
    model.will([says('Hello from the second.')]);
    await panel.send('And you?');
    await panel.ended();
    expect(model.requests[0]?.body['model']).toBe('devstral:latest');
  });

  test('mode and sandbox have a menu of the same kind', async () => {
    const { vscode, panel } = window();
    await panel.open();
    await panel.get('pick-box').click();
    await vscode.screenshot('model-menu/2-sandbox');
    await panel.page.getByRole('menuitemradio', { name: 'Always ask' }).click();
    await expect.poll(() => panel.get('pick-mode').getAttribute('aria-label'), soon).toBe('Mode: Always ask');
    await panel.get('pick-mode').press('ArrowDown');
    await panel.page.getByRole('menuitemradio', { name: 'Plan' }).press('Enter');
    await expect.poll(() => panel.get('pick-mode').getAttribute('aria-label'), soon).toBe('Mode: Plan');
    expect(await panel.get('pick-box').getAttribute('aria-label')).toBe('Commands run in: Read-only');
  });

  test('a window without a folder advises to open one', async () => {
    const { vscode, panel } = window();
    await vscode.page.goto(`${vscode.server.url}/?ew=true`);
    await vscode.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    await panel.open();
    await panel.get('empty-no-workspace').waitFor();
    await vscode.screenshot('start/3-no-folder');
    await panel.get('open-folder').click();
    await vscode.quickInput().waitFor();
    await vscode.closeQuickInput();
  });
});
