// What patches and commands of a turn changed is shown, undone, redone and rewound, in live buffers.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { calls, hangs, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 20_000 };
const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.sandbox.mode': 'danger-full-access', 'tiller.review': 'after' },
  files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'c.txt': '1\n2\n3\n4\n' },
});

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n*** End Patch\n';
const BEFORE = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'c.txt': '1\n2\n3\n4\n', 'new/d.txt': null };
const AFTER = { 'a.txt': 'one\nTWO\n', 'b.txt': null, 'c.txt': '1\n2\n3\nfour\n', 'new/d.txt': 'd\n' };

async function files(): Promise<Record<string, string | null>> {
  const { disk } = window();
  const names = Object.keys(BEFORE);
  const texts = await Promise.all(names.map((name) => disk(name)));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? null]));
}

function rows() {
  return window().vscode.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
}

const preview = () => window().vscode.page.locator('.part.editor .tab', { hasText: 'preview' });

test('a turn with a patch and a command is undone after a preview, and redone', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  model.will(
    [calls('apply_patch', { input: PATCH })],
    [calls('exec_command', { cmd: 'rm b.txt; sed -i s/4/four/ c.txt; mkdir new; echo d > new/d.txt' })],
    [says('Done.')],
  );
  await panel.send('Change them.');
  await panel.ended();
  expect(await files()).toEqual(AFTER);
  expect(await panel.get('turn-end').innerText()).toContain('4 files');
  await panel.get('turn-fold').locator('summary').first().click();
  const changes = panel.get('command-changes');
  expect(await changes.locator('summary').innerText()).toContain('3 files changed');
  await changes.locator('summary').click();
  await expect.poll(() => panel.get('changed-file').count(), soon).toBe(3);
  await vscode.screenshot('undo/1-changes');
  await panel.get('turn-review').click();
  await vscode.page.locator('.part.editor .tab', { hasText: 'Changes of a Turn' }).waitFor();
  await vscode.screenshot('undo/2-review');

  await panel.get('turn-undo').click();
  await vscode.quickRow('Undo Turn: 4 Files').waitFor();
  await preview().waitFor();
  // The list leaves the first change of the preview visible.
  const list = await vscode.page.locator('.quick-input-widget:visible').boundingBox();
  const change = await vscode.page.locator('.part.editor .line-delete').first().boundingBox();
  expect(list && change && list.y + list.height <= change.y).toBe(true);
  await vscode.screenshot('undo/3-preview');
  // Cancelled: nothing has changed.
  await vscode.page.keyboard.press('Escape');
  await expect.poll(() => preview().count(), soon).toBe(0);
  expect(await files()).toEqual(AFTER);

  await panel.get('turn-undo').click();
  await vscode.quickRow('Undo Turn: 4 Files').waitFor();
  expect(await files()).toEqual(AFTER);
  await vscode.page.keyboard.press('Enter');
  await expect.poll(files, soon).toEqual(BEFORE);
  await panel.get('turn-redo').waitFor();
  await expect.poll(() => panel.get('review').count(), soon).toBe(0);
  await expect.poll(() => preview().count(), soon).toBe(0);

  await panel.get('turn-redo').click();
  await vscode.quickRow('Redo: 4 Files').waitFor();
  await vscode.page.keyboard.press('Enter');
  await expect.poll(files, soon).toEqual(AFTER);
}, 120_000);

test('unsaved edits stay, and a conflict is left alone until it is selected', async () => {
  const { vscode, panel, folder } = window();
  await vscode.openFile('c.txt');
  await vscode.editor().locator('.view-line').first().click();
  await vscode.page.keyboard.press('Control+Home');
  await vscode.page.keyboard.type('mine ');
  await expect.poll(() => vscode.isDirty('c.txt'), soon).toBe(true);
  await writeFile(path.join(folder, 'a.txt'), 'one\nthree\n');
  await panel.get('turn-undo').click();
  expect(await vscode.quickRow('Undo Turn: 3 Files').innerText()).toContain('not 1 with conflicts');
  await vscode.quickRow('Choose Files…').click();
  await expect.poll(() => rows().count(), soon).toBe(4);
  const conflict = rows().filter({ hasText: 'a.txt' });
  expect(await conflict.innerText()).toContain('conflict');
  expect(
    await conflict.locator('input[type=checkbox], .monaco-checkbox').first().getAttribute('aria-checked'),
  ).not.toBe('true');
  await vscode.screenshot('undo/4-conflict');
  await vscode.page.keyboard.press('Enter');
  await expect.poll(async () => (await files())['b.txt'], soon).toBe('b\n');
  await expect.poll(() => vscode.text(), soon).toBe('mine 1\n2\n3\n4\n');
  expect(await vscode.isDirty('c.txt')).toBe(true);
  expect(await files()).toEqual({ ...BEFORE, 'a.txt': 'one\nthree\n', 'c.txt': AFTER['c.txt'] });
  await vscode.page.keyboard.press('Control+s');
  await expect.poll(() => vscode.isDirty('c.txt'), soon).toBe(false);
}, 120_000);

test('what a command changed is marked, and kept or undone under its row', async () => {
  const { panel, model, disk, vscode } = window();
  await panel.newThread();
  model.will([calls('exec_command', { cmd: 'echo 1 > k.txt; echo 1 > package-lock.json' })], [says('Done.')]);
  await panel.send('Make two.');
  await panel.ended();
  await panel.get('command-changes').locator('summary').click();
  await panel.get('command-changes-keep').click();
  await expect.poll(() => panel.get('command-changes-keep').count(), soon).toBe(0);
  expect(await disk('k.txt')).toBe('1\n');

  model.will([calls('exec_command', { cmd: 'echo 2 > k.txt; echo 2 > package-lock.json' })], [says('Done.')]);
  await panel.send('Change two.');
  await panel.ended();
  await vscode.openFile('k.txt');
  await panel.get('command-changes').last().locator('summary').click();
  await vscode.screenshot('undo/5-marks');
  await panel.get('command-changes-undo').click();
  await expect.poll(() => disk('k.txt'), soon).toBe('1\n');
  expect(await disk('package-lock.json')).toBe('2\n');
  await expect.poll(() => panel.get('command-changes-undo').count(), soon).toBe(0);
}, 120_000);

test('rewind takes files and conversation back to before a message', async () => {
  const { vscode, panel, model, disk } = window();
  await panel.newThread();
  model.will([calls('exec_command', { cmd: 'echo 1 > r.txt' })], [says('First.')]);
  await panel.send('Make one.');
  await panel.ended();
  model.will([calls('exec_command', { cmd: 'echo 2 > r.txt' })], [says('Second.')], [says('Third.')]);
  await panel.send('Make two.');
  await panel.ended();
  expect(await disk('r.txt')).toBe('2\n');
  await panel.get('user-message').last().hover();
  await panel.get('user-message-rewind').last().click();
  await vscode.quickRow('Files and Thread').click();
  await expect.poll(() => rows().count(), soon).toBe(1);
  await expect.poll(() => preview().count(), soon).toBe(1);
  await vscode.page.keyboard.press('Enter');
  await expect.poll(() => disk('r.txt'), soon).toBe('1\n');
  await expect.poll(() => panel.get('turn').count(), soon).toBe(1);
  await expect.poll(() => panel.get('composer-input').inputValue(), soon).toContain('Make two.');
  await panel.get('composer-input').press('Enter');
  await expect.poll(() => panel.get('turn').count(), soon).toBe(2);
  await panel.ended();
  expect(model.requests.at(-1)?.text).not.toContain('Second.');
}, 120_000);

test('an earlier message is edited in its place, with its files, also while a turn runs; an answer is tried again', async () => {
  const { vscode, panel, model, disk } = window();
  await panel.open();
  await panel.newThread();
  const words = () => panel.get('user-message').allInnerTexts();
  const edit = async (text: string) => {
    await panel.get('user-message').last().hover();
    await panel.get('user-message-edit').last().click();
    await panel.get('edit-bar').waitFor();
    await panel.get('composer-input').fill(text);
  };
  model.will([calls('exec_command', { cmd: 'echo 1 > e.txt' })], [says('First.')]);
  await panel.send('Make one.');
  await panel.ended();
  expect(await disk('e.txt')).toBe('1\n');

  await edit('Make none.');
  await panel.get('edit-restore-files').check();
  await vscode.screenshot('undo/6-edit');
  await panel.get('composer-input').press('Enter');
  await expect.poll(() => rows().count(), soon).toBe(1);
  await vscode.page.keyboard.press('Escape');
  await expect.poll(() => preview().count(), soon).toBe(0);
  expect(await words()).toEqual(['Make one.']);
  expect(await panel.get('composer-input').inputValue()).toBe('Make none.');
  model.will([says('Second.')]);
  await panel.get('composer-input').press('Enter');
  await expect.poll(() => rows().count(), soon).toBe(1);
  await vscode.page.keyboard.press('Enter');
  await expect.poll(words, soon).toEqual(['Make none.']);
  await panel.ended();
  expect(await disk('e.txt')).toBe(null);
  expect(await panel.get('composer-input').inputValue()).toBe('');
  expect(model.requests.at(-1)?.text).not.toContain('First.');

  model.will([says('Third.')]);
  await panel.get('turn-try-again').click();
  await panel.get('try-again-same').click();
  await expect.poll(() => panel.get('agent-message').allInnerTexts(), soon).toEqual(['Third.']);
  await panel.ended();
  expect(await words()).toEqual(['Make none.']);
  expect(model.requests.at(-1)?.text).toContain('Make none.');
  expect(model.requests.at(-1)?.text).not.toContain('Second.');

  model.will([says('It takes long'), hangs()]);
  await panel.send('Wait.');
  await panel.get('agent-message').filter({ hasText: 'It takes long' }).waitFor();
  model.will([says('Fourth.')]);
  await edit('Go.');
  await panel.get('composer-input').press('Enter');
  await expect.poll(words, soon).toEqual(['Make none.', 'Go.']);
  await panel.ended();
  const last = model.requests.at(-1)?.text;
  expect(last).toContain('Go.');
  expect(last).not.toContain('Wait.');
}, 120_000);
