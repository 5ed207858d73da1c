// What another program changes in the workspace is marked for review, without a model, while the setting is on.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 30_000 };
const window = useSharedWindow({
  isNew: true,
  settings: { 'tiller.reviewOtherPrograms': true },
  files: { 'a.txt': '1\n2\n3\n', 'mine.txt': 'mine\n', 'branch.txt': 'main\n' },
});

function git(...words: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main'];
  execFileSync('git', [...who, ...words], { cwd: window().folder });
}

const write = (name: string, text: string) => writeFile(path.join(window().folder, name), text);

/** The files under review. */
async function names(): Promise<string[]> {
  const texts: string[] = await window().panel.get('review-file').locator('.fr-path').allTextContents();
  return texts.map((text) => text.trim());
}

test('changes of another program are marked and undone; saves of the user and a checkout are not marked', async () => {
  const { vscode, panel, disk } = window();
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('checkout', '-qb', 'other');
  await write('branch.txt', 'other\n');
  git('commit', '-qam', 'two');
  git('checkout', '-q', 'main');
  await panel.open();
  // What is written before the first look at the workspace is over is not known to be new.
  await expect
    .poll(
      async () => {
        await write('a.txt', '1\n2\n3\n');
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await write('a.txt', '1\ntwo\n3\n');
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        return panel.get('review').count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  await panel.get('review').locator('summary').click();
  await vscode.openFile('a.txt');
  await vscode.codeLens('Keep').waitFor();
  await vscode.screenshot('otherPrograms/1-marked');

  await vscode.openFile('mine.txt');
  await vscode.editor().locator('.view-line').first().click();
  await vscode.page.keyboard.type('typed ');
  await vscode.page.keyboard.press('Control+s');
  await expect.poll(() => disk('mine.txt'), soon).toContain('typed');
  git('checkout', '-q', 'other');
  expect(await disk('branch.txt')).toBe('other\n');
  // Looks follow each other: with this file the changes before it were looked at. What is written before the look that finds
  // the checkout counts as part of it.
  let written = 0;
  await expect
    .poll(
      async () => {
        await write('new.txt', `${++written}\n`);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        return names();
      },
      { timeout: 60_000 },
    )
    .toContain('new.txt');
  expect(await names()).toEqual(['a.txt', 'new.txt']);
  await vscode.screenshot('otherPrograms/2-after-checkout');

  await panel.get('review-file').filter({ hasText: 'a.txt' }).getByTestId('review-undo').click();
  await expect.poll(() => disk('a.txt'), soon).toBe('1\n2\n3\n');
  await expect.poll(names, soon).toEqual(['new.txt']);
}, 180_000);
