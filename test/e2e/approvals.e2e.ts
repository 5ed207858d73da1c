// Every place where an approval can be answered; all of them show the same request.
import { mkdtempSync, realpathSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS, gate } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({
  model: 'scripted',
  settings: ASK_ABOUT_COMMANDS,
  files: { 'notes.txt': 'one\n', 'more.txt': 'uno\n', 'd/a.txt': 'one\n' },
});
const soon = { timeout: 10_000 };

const touch = (name: string) => [calls('exec_command', { cmd: `touch ${name}` })];
const patch = (...hunks: string[]) => [
  calls('apply_patch', { input: `*** Begin Patch\n${hunks.join('\n')}\n*** End Patch` }),
];
const update = (file: string, from: string, to: string) => `*** Update File: ${file}\n@@\n-${from}\n+${to}`;

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

/** All of them show a pending request. */
async function isAskedEverywhere(kind: 'command' | 'patch') {
  const { vscode, panel } = window();
  await panel.approval(kind).waitFor();
  await expect.poll(() => vscode.status().getAttribute('aria-label'), soon).toContain('1 pending');
  await expect.poll(() => vscode.badge(), soon).toBe(1);
}

/** None of them does. */
async function isAskedNowhere() {
  const { vscode, panel } = window();
  await panel.ended();
  expect(await panel.card.count()).toBe(0);
  await expect.poll(() => vscode.status().getAttribute('aria-label'), soon).toBe('Tiller');
  await expect.poll(() => vscode.badge(), soon).toBe(0);
  await expect.poll(() => vscode.notification('Tiller wants').count(), soon).toBe(0);
  await expect.poll(() => vscode.notification('need your answer').count(), soon).toBe(0);
}

test('the command palette answers', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(touch('by-palette'), [says('Done.')]);
  await panel.send('Touch it.');
  await isAskedEverywhere('command');
  expect(await disk('by-palette')).toBeNull();
  await vscode.command('Tiller: Approve');
  await isAskedNowhere();
  expect(await vscode.offered('Tiller: Approve')).toEqual([]);
  expect(await disk('by-palette')).toBe('');
});

test('a key answers from the editor', async () => {
  const { vscode, panel, model, disk } = window();
  await vscode.openFile('notes.txt');
  model.will(touch('by-key'), [says('Done.')]);
  await panel.send('Touch it.');
  await isAskedEverywhere('command');
  await vscode.editor().locator('.view-line').first().click();
  await vscode.page.keyboard.press('Control+Alt+y');
  await isAskedNowhere();
  expect(await disk('by-key')).toBe('');
  expect(await vscode.text()).toBe('one\n');
});

test('the title of the diff editor answers, and the diff closes', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(patch(update('notes.txt', 'one', 'two')), [says('Done.')]);
  await panel.send('Change it.');
  await isAskedEverywhere('patch');
  await vscode.command('Tiller: Open Proposed Changes');
  await expect.poll(() => vscode.diffText(), soon).toEqual({ original: 'one\n', modified: 'two\n' });
  await vscode.screenshot('approvals/diff');
  expect(await disk('notes.txt')).toBe('one\n');
  await vscode.titleAction('Approve').click();
  await isAskedNowhere();
  expect(await vscode.diff().root.count()).toBe(0);
  expect(await disk('notes.txt')).toBe('two\n');
});

test('the title of the overview of several files answers for all, and the line above a file for that file only', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(patch(update('notes.txt', 'two', 'three'), update('more.txt', 'uno', 'due')), [says('Done.')]);
  await panel.send('Change both.');
  await isAskedEverywhere('patch');
  await panel.get('decision-review').click();
  await expect.poll(() => vscode.multiDiff().files.count(), soon).toBe(2);
  await expect.poll(() => vscode.codeLens('Reject File').count(), soon).toBe(2);
  expect(await vscode.codeLens('Approve').count()).toBe(0);
  expect(await vscode.codeLens('Deny').count()).toBe(0);
  await vscode.titleAction('Deny All Files').waitFor();
  await vscode.screenshot('approvals/overview');
  await vscode.titleAction('Approve All Files').click();
  await isAskedNowhere();
  expect(await vscode.multiDiff().root.count()).toBe(0);
  expect([await disk('notes.txt'), await disk('more.txt')]).toEqual(['three\n', 'due\n']);
});

test('the diff of a thread that is not shown answers for that thread, not for the shown one', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(patch('*** Add File: other.txt\n+other'), touch('shown'), [says('Done.')], [says('Done.')]);
  await panel.send('Add it.');
  await panel.approval('patch').waitFor();
  await vscode.command('Tiller: Open Proposed Changes');
  await expect.poll(() => vscode.diffText().then(({ modified }) => modified), soon).toBe('other\n');
  await panel.newThread();
  await vscode.titleAction('Approve').waitFor();
  await panel.send('Touch it.');
  await panel.approval('command').waitFor();
  await vscode.titleAction('Approve').click();
  await expect.poll(() => disk('other.txt'), soon).toBe('other\n');
  await expect.poll(() => vscode.diff().root.count(), soon).toBe(0);
  expect(await panel.approval('command').count()).toBe(1);
  expect(await disk('shown')).toBeNull();
  await panel.answer();
  await panel.ended();
  expect(await disk('shown')).toBe('');
  // The other thread has ended, too: its last request would take the answer of the next test.
  await expect.poll(() => model.requests.length, soon).toBe(4);
});

test('a notification answers while the panel is hidden', async () => {
  const { vscode, panel, model, disk } = window();
  const hidden = gate();
  model.will(async () => {
    await hidden.opened;
    return touch('by-notification');
  }, [says('Done.')]);
  await panel.send('Touch it.');
  await vscode.hideChat();
  hidden.open();
  await vscode.notification('Tiller wants to run: touch by-notification').waitFor();
  await vscode.screenshot('approvals/notification');
  await vscode.answerNotification('Tiller wants to run', 'Approve');
  await expect.poll(() => disk('by-notification'), soon).toBe('');
  await panel.open();
  await isAskedNowhere();
});

test('a notification closes when the request was answered elsewhere', async () => {
  const { vscode, panel, model, disk } = window();
  const hidden = gate();
  model.will(async () => {
    await hidden.opened;
    return touch('by-status');
  }, [says('Done.')]);
  await panel.send('Touch it.');
  await vscode.hideChat();
  hidden.open();
  await vscode.notification('Tiller wants to run').waitFor();
  await vscode.status().click();
  await panel.approval('command').waitFor();
  await panel.answer();
  await isAskedNowhere();
  expect(await disk('by-status')).toBe('');
  // It is behind the bell now, and can still be pressed.
  await vscode.answerNotification('Tiller wants to run: touch by-status', 'Deny', { isHidden: true });
  await vscode.page.getByText('You have already approved this: touch by-status').first().waitFor(soon);
  await vscode.screenshot('approvals/too-late');
  await vscode.command('Notifications: Clear All Notifications');
});

const several = (...names: string[]) => [
  ...names.map((name) => calls('exec_command', { cmd: `touch ${name}` })),
  calls('exec_command', { cmd: 'rm -rf notes.txt' }),
];

test('several pending requests are one notification and one list; a destructive command is not part of one approval', async () => {
  const { vscode, panel, model, disk } = window();
  const hidden = gate();
  model.will(async () => {
    await hidden.opened;
    return several('list-one', 'list-two');
  }, [says('Done.')]);
  await panel.send('Touch them.');
  await vscode.hideChat();
  hidden.open();
  await vscode.notification('3 requests need your answer').waitFor();
  expect(await vscode.notification('your answer').count()).toBe(1);
  await expect.poll(() => vscode.status().getAttribute('aria-label'), soon).toContain('3 pending');
  await vscode.screenshot('approvals/several-notification');
  await vscode.answerNotification('your answer', 'Show List');
  await panel.get('approval-list').waitFor();
  await vscode.screenshot('approvals/several');
  await panel.get('decision-approve-all').click();
  await panel.approval('command').getByText('rm -rf notes.txt').waitFor();
  await panel.deny();
  await isAskedNowhere();
  expect([await disk('list-one'), await disk('list-two')]).toEqual(['', '']);
  expect(await disk('notes.txt')).not.toBeNull();
});

test('the palette answers several with one approval, and the rest with one denial', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(several('pick-one', 'pick-two'), [says('Done.')]);
  await panel.send('Touch them.');
  await panel.get('decision-place').getByText('1 of 3').waitFor();
  await vscode.command('Tiller: Approve');
  await vscode.quickRow('touch pick-one').waitFor();
  await vscode.screenshot('approvals/several-palette');
  await vscode.page.keyboard.press('Enter');
  await panel.approval('command').getByText('rm -rf notes.txt').waitFor();
  await vscode.command('Tiller: Deny…');
  await vscode.page.locator('.quick-input-widget:visible').getByText('What should Tiller do instead?').waitFor();
  await vscode.answer('Keep the notes');
  await isAskedNowhere();
  expect([await disk('pick-one'), await disk('pick-two')]).toEqual(['', '']);
  expect(model.outputs.at(-1)).toContain('Keep the notes');
  expect(await disk('notes.txt')).not.toBeNull();
});

test('a patch that does not fit shows the reason', async () => {
  const { panel, model } = window();
  model.will(patch(update('more.txt', 'nothing like it', 'x')), [says('Oh.')]);
  await panel.send('Change it.');
  await panel.ended();
  await panel.get('file-change').getByText('Cannot find these lines in more.txt').waitFor();
});

test('a denial with a message reaches the model and changes nothing', async () => {
  const { vscode, panel, model, disk } = window();
  const before = await disk('notes.txt');
  model.will(patch(update('notes.txt', before?.trim() ?? '', 'four')), ({ input }) => {
    const told = JSON.stringify(input.at(-1));
    return [says(told.includes('Write five instead') ? 'Then five it is.' : 'Nobody told me why.')];
  });
  await panel.send('Change it.');
  await isAskedEverywhere('patch');
  await panel.deny('Write five instead');
  await isAskedNowhere();
  expect(await panel.lastMessage().innerText()).toBe('Then five it is.');
  expect(await disk('notes.txt')).toBe(before);
  await vscode.screenshot('approvals/denied');
});

test('a patch whose folder has become a link is asked about again, with its resolved place', async () => {
  const { vscode, panel, model, folder, disk } = window();
  const elsewhere = realpathSync(mkdtempSync(path.join(tmpdir(), 'tiller-elsewhere-')));
  try {
    await writeFile(path.join(elsewhere, 'a.txt'), 'one\n');
    model.will(patch(update('d/a.txt', 'one', 'two')), [says('All right.')]);
    await panel.send('Change it.');
    await isAskedEverywhere('patch');
    await vscode.command('Tiller: Open Proposed Changes');
    await expect.poll(() => vscode.diffText(), soon).toEqual({ original: 'one\n', modified: 'two\n' });
    renameSync(path.join(folder, 'd'), path.join(folder, 'aside'));
    symlinkSync(elsewhere, path.join(folder, 'd'));
    await vscode.titleAction('Approve').click();
    await expect.poll(() => panel.card.innerText(), soon).toContain(`leads to ${elsewhere}/a.txt`);
    await isAskedEverywhere('patch');
    await panel.deny('Not there');
    await isAskedNowhere();
    expect(await readFile(path.join(elsewhere, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await disk('aside/a.txt')).toBe('one\n');
  } finally {
    unlinkSync(path.join(folder, 'd'));
    renameSync(path.join(folder, 'aside'), path.join(folder, 'd'));
    await rm(elsewhere, { recursive: true });
  }
});

test('the palette denies with a message, too, and Escape decides nothing', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(touch('never'), [says('All right.')]);
  await panel.send('Touch it.');
  await isAskedEverywhere('command');
  const word = vscode.page.locator('.quick-input-widget:visible').getByText('What should Tiller do instead?');
  await vscode.command('Tiller: Deny…');
  await word.waitFor();
  await vscode.closeQuickInput();
  await isAskedEverywhere('command');
  await vscode.command('Tiller: Deny…');
  await word.waitFor();
  await vscode.answer('Not that one');
  await isAskedNowhere();
  expect(model.outputs.at(-1)).toContain('Not that one');
  expect(await disk('never')).toBeNull();
});
