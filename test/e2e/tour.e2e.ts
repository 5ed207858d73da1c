// The pictures of the README, taken from the product by `npm run pictures tour`.
import { describe, expect, test } from 'vitest';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useWindow } from './support/window.ts';

describe.runIf(process.env['TILLER_PICTURES'] === '1')('the tour', () => {
  const window = useWindow({
    model: 'demo',
    seed: 11,
    width: 1300,
    settings: { ...ASK_ABOUT_COMMANDS, 'workbench.colorTheme': 'Default Light Modern' },
  });

  test('from the question to the undo', async () => {
    const { vscode, panel, sample, testPasses } = window();
    const picture = (name: string) => vscode.screenshot(`tour/${name}`);
    await vscode.openFile(sample.seeded.path);
    await vscode.command('View: Toggle Primary Side Bar Visibility');
    await panel.open();
    await vscode.resizeSideBar(400);
    await panel.write('Find out why the tests fail and fix it');
    await picture('1-ask');
    await panel.get('composer-input').press('Enter');
    await panel.approval('command').waitFor();
    await picture('2-command');
    await panel.answer();
    await panel.approval('patch').waitFor();
    await vscode.command('Tiller: Open Proposed Changes');
    const { right } = sample.seeded;
    await vscode.page.locator('.monaco-diff-editor .view-lines').getByText(right.trim()).first().waitFor();
    await picture('3-patch');
    await panel.approveAll();
    expect(await testPasses()).toBe(true);
    await vscode.openFile(sample.seeded.path);
    await picture('4-done');
    await panel.get('turn-undo').click();
    await vscode.quickRow(sample.seeded.path).waitFor();
    await picture('5-undo');
    await vscode.page.keyboard.press('Enter');
    await expect.poll(testPasses, { timeout: 30_000 }).toBe(false);
  });
});
