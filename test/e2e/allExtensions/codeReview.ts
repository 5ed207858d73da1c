// A review: its findings in the panel and as comments in the editor, one of which is fixed; then a comment of the user.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { calls, says } from '../../support/modelServer.ts';
import { ALL_EXTENSIONS, useSharedWindow } from '../support/window.ts';

const soon = { timeout: 30_000 };
const window = useSharedWindow({
  ...ALL_EXTENSIONS,
  model: 'scripted',
  settings: { 'tiller.review': 'after' },
  files: { 'a.txt': 'one\ntwo\n' },
});

function git(...words: readonly string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=trunk'];
  execFileSync('git', [...who, ...words], { cwd: window().folder });
}

const finding = {
  title: 'Count on',
  body: 'After two comes **three**.',
  confidence_score: 0.9,
  priority: 1,
  code_location: { absolute_file_path: 'a.txt', line_range: { start: 3, end: 3 } },
};

test('a review shows its findings in panel and editor, where one is fixed and a comment is sent', async () => {
  const { vscode, panel, model, disk } = window();
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  await writeFile(path.join(window().folder, 'a.txt'), 'one\ntwo\nfour\n');
  await vscode.openFile('a.txt');
  await panel.open();
  // VS Code's own extension has found the repository.
  await vscode.page.locator('.statusbar-item', { hasText: 'trunk' }).first().waitFor(soon);

  model.will([says(JSON.stringify({ findings: [finding], overall_correctness: 'patch is incorrect' }))]);
  await panel.write('/review uncommitted');
  await panel.get('composer-input').press('Enter');
  await panel.get('finding').waitFor(soon);
  await panel.ended();
  expect(model.requests[0]?.text).toContain('+four');
  expect(await panel.get('finding-place').innerText()).toBe('a.txt:3');
  await vscode.screenshot('code-review/1-finding');

  await panel.get('finding-place').click();
  const widget = vscode.page.locator('.review-widget');
  // VS Code shows its list of comments at this moment, and a click in between is lost.
  const opened = async () => {
    await vscode.page.locator('.comment-range-glyph.comment-thread, .comment-thread-unresolved').first().click();
    return widget
      .getByText('P1: Count on')
      .waitFor({ timeout: 2000 })
      .then(
        () => true,
        () => false,
      );
  };
  await expect.poll(opened, soon).toBe(true);
  await vscode.screenshot('code-review/2-comment');
  const lines = ['*** Update File: a.txt', '@@', ' two', '-four', '+three'];
  const patch = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  model.will([calls('apply_patch', { input: patch })], [says('Three it is.')]);
  await widget.getByRole('button', { name: 'Fix' }).click();
  await expect.poll(() => panel.get('turn').count(), soon).toBe(2);
  await panel.ended();
  expect(model.requests[0]?.text).toContain('Fix this finding of the review:');
  expect(await disk('a.txt')).toBe('one\ntwo\nthree\n');
  await expect.poll(() => panel.get('finding').getAttribute('data-state'), soon).toBe('sent');
  await vscode.screenshot('code-review/3-fixed');

  await vscode.editor().locator('.view-line').first().click();
  await vscode.command('Tiller: Comment on Lines');
  await vscode.page.locator('.review-widget .monaco-editor').last().waitFor(soon);
  await vscode.page.keyboard.type('Begin with zero.');
  await vscode.page.getByRole('button', { name: 'Add Comment' }).click();
  await panel.get('comments').waitFor(soon);
  expect(await panel.get('comments').innerText()).toContain('1 comment in 1 file');
  await vscode.screenshot('code-review/4-pending');
  model.will([says('Noted.')]);
  await panel.get('comments-send').click();
  await expect.poll(() => panel.get('turn').count(), soon).toBe(3);
  await panel.ended();
  expect(model.requests[0]?.text).toContain(JSON.stringify('My comments:\n\na.txt:1\n> one\nBegin with zero.'));
  await expect.poll(() => panel.get('comments').count(), soon).toBe(0);
}, 180_000);
