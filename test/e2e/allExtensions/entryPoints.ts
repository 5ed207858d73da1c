// The ways into Tiller from other places of VS Code, each from its own menu or key: problems, tests, terminals, the explorer and
// Source Control.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { says } from '../../support/modelServer.ts';
import { ALL_EXTENSIONS, useSharedWindow } from '../support/window.ts';

const soon = { timeout: 30_000 };
const SUM = "export const sum: number = 'one';\n";
/** The server of VS Code has to start first. */
const checked = { timeout: 60_000 };
const window = useSharedWindow({
  ...ALL_EXTENSIONS,
  model: 'scripted',
  files: { 'tsconfig.json': '{}\n', 'sum.ts': SUM, 'sums.test.txt': '1 + 1 = 2\n1 + 1 = 3\n', 'parts/a.txt': 'a\n' },
});

beforeEach(() => window().panel.open());

/** The model answers, and the text of its first request is returned once the turn is over. */
async function sentBy(act: () => Promise<void>): Promise<string> {
  const { panel, model } = window();
  model.will([says('Done.')]);
  const before = await panel.get('turn').count();
  await act();
  await expect.poll(() => panel.get('turn').count(), soon).toBe(before + 1);
  await panel.ended();
  return model.requests[0]?.text ?? '';
}

/** Resolves to the text of the attachment that `act` adds to the message; removes the attachment. */
async function attachedBy(act: () => Promise<void>): Promise<string> {
  const { panel } = window();
  await act();
  const attachment = panel.get('attachment').first();
  await attachment.waitFor(soon);
  const text = await attachment.innerText();
  await panel.get('attachment-remove').first().click();
  await attachment.waitFor({ state: 'hidden', ...soon });
  return text.trim();
}

test('a problem is explained from its hover and fixed from its quick fixes, and the editor keeps the focus', async () => {
  const { vscode } = window();
  const { page } = vscode;
  await vscode.openFile('sum.ts');
  await vscode.editor().locator('.squiggly-error').first().waitFor(checked);
  const name = vscode.editor().locator('.view-line span', { hasText: /^sum$/ }).first();
  const explained = await sentBy(async () => {
    await name.hover();
    await page.locator('.monaco-hover').getByText('Quick Fix...').click();
    await vscode.screenshot('entry-points/1-quick-fixes');
    await vscode.pickByKeyboard('Explain with Tiller');
  });
  expect(explained).toContain('Explain this problem and how to fix it. Change no file.');
  expect(explained).toContain("sum.ts:1:14 error: Type 'string' is not assignable to type 'number'. (ts 2322)");
  expect(await vscode.focusedPart()).toBe('editor');
  const fixed = await sentBy(async () => {
    await name.click();
    await page.keyboard.press('Control+.');
    await vscode.pickByKeyboard('Fix with Tiller');
  });
  expect(fixed).toContain('Fix this problem:');
  expect(await vscode.focusedPart()).toBe('editor');
  await vscode.screenshot('entry-points/2-sent');
  const named = await sentBy(() => vscode.command('Tiller: Fix Problem at the Cursor'));
  expect(named).toContain('Fix this problem:');
});

test('a failing test is sent from its row in the Testing view, by keyboard', async () => {
  const { vscode } = window();
  const { page } = vscode;
  await vscode.command('Testing: Focus on Test Explorer View');
  await vscode.testRow('1 + 1 = 3').waitFor(soon);
  await vscode.command('Test: Run All Tests');
  await vscode.screenshot('entry-points/3-tests');
  const sent = await sentBy(async () => {
    await vscode.testRow('1 + 1 = 3').click();
    await page.keyboard.press('Shift+F10');
    await vscode.pickByKeyboard('Fix Failing Test');
  });
  expect(sent).toContain('Fix this failing test: 1 + 1 = 3');
  expect(await vscode.focusedPart()).toBe('sidebar');
});

test('a terminal gives its selection and its last failed command', async () => {
  const { vscode } = window();
  const { page } = vscode;
  await vscode.command('Terminal: Create New Terminal');
  const screen = page.locator('.terminal-wrapper .xterm-screen').first();
  await screen.waitFor(soon);
  await page.locator('.terminal-wrapper .xterm-helper-textarea').first().focus();
  await page.keyboard.type("sh -c 'echo no such; exit 3'\n");
  const command = 'Tiller: Add Last Failed Command to Tiller';
  await expect.poll(() => vscode.offered(command), soon).toEqual([command]);
  await vscode.screenshot('entry-points/4-terminal');
  expect(await attachedBy(() => vscode.command(command))).toContain('failed: sh -c');
  const all = await attachedBy(async () => {
    await vscode.command('Terminal: Select All');
    await vscode.command('Tiller: Add Terminal Selection to Tiller');
  });
  expect(all).toContain('terminal: ');
  const some = await attachedBy(async () => {
    const { x, y } = (await screen.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 2, y + 8);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 8, { steps: 3 });
    await page.mouse.up();
    await page.mouse.click(x + 30, y + 8, { button: 'right' });
    await vscode.pickByKeyboard('Add Terminal Selection to Tiller');
  });
  expect(some).toMatch(/^terminal: \S/);
});

test('the explorer gives a file and a folder, by keyboard', async () => {
  const { vscode } = window();
  const { page } = vscode;
  await vscode.command('File: Focus on Files Explorer');
  for (const name of ['sum.ts', 'parts']) {
    const added = await attachedBy(async () => {
      await vscode.explorerItem(name).click();
      await page.keyboard.press('Shift+F10');
      await vscode.pickByKeyboard('Add to Tiller');
    });
    expect(added).toContain(name);
  }
});

test('Source Control gives a change, and its field gets a commit message', async () => {
  const { vscode, panel, model, folder } = window();
  const { page } = vscode;
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: folder });
  git('init', '-q', '-b', 'trunk');
  git('add', '.');
  git('commit', '-qm', 'one');
  await writeFile(path.join(folder, 'sum.ts'), SUM.replace("'one'", '1'));
  await page.locator('.statusbar-item', { hasText: 'trunk' }).first().waitFor(soon);
  await vscode.command('Source Control: Focus on Changes View');
  await vscode.changedFile('sum.ts').waitFor(soon);
  const changes = await attachedBy(async () => {
    await vscode.changedFile('sum.ts').click();
    await page.keyboard.press('Shift+F10');
    await vscode.pickByKeyboard('Add Changes to Tiller');
  });
  expect(changes).toContain('changes in sum.ts');
  model.will([says('Make the sum a number')], [says('Make it a number')]);
  await vscode.screenshot('entry-points/5-source-control');
  await (await vscode.viewAction('Changes', 'Write Commit Message')).click();
  await expect.poll(() => vscode.text(vscode.commitField()), soon).toBe('Make the sum a number');
  expect(model.requests[0]?.text).toContain('+export const sum: number = 1;');
  await vscode.screenshot('entry-points/6-commit-message');
  // VS Code has to know that the key is pressed before it takes the click for one on the other command.
  await page.keyboard.down('Alt');
  await (await vscode.viewAction('Changes', 'Write Commit Message')).click({ delay: 100 });
  await page.keyboard.up('Alt');
  await expect.poll(() => panel.get('composer-input').inputValue(), soon).toContain('Write a commit message');
  await vscode.screenshot('entry-points/7-in-panel');
});
