// State is kept through a reload, a hidden side bar and a killed webview. reload.e2e.ts reloads in the middle of a turn.
import { beforeEach, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
const hunk = (from: string, to: string) => ['@@', `-${from}`, `+${to}`];
const window = useSharedWindow({
  model: 'scripted',
  settings: ASK_ABOUT_COMMANDS,
  files: { 'lines.txt': LINES },
});
const soon = { timeout: 10_000 };

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

test('hiding the side bar keeps the approval and the draft', async () => {
  const { vscode, panel, model, disk } = window();
  model.will([calls('exec_command', { cmd: 'touch hidden' })], [says('Done.')]);
  await panel.send('Touch it.');
  await panel.approval('command').waitFor();
  await panel.write('a draft');
  await vscode.hideChat();
  await vscode.openChat();
  await panel.approval('command').waitFor();
  expect(await panel.get('composer-input').inputValue()).toBe('a draft');
  await panel.answer();
  await panel.ended();
  expect(await disk('hidden')).toBe('');
  await panel.write('');
});

// One reload for all that a reload keeps: it takes as much processor time as three other scenarios.
test('a reload of the window keeps the approval with its choices, the draft, and who denied a command; the turn goes on', async () => {
  const { vscode, panel, model, disk } = window();
  const patch = ['*** Begin Patch', '*** Update File: lines.txt', ...hunk('line 2', 'TWO'), ...hunk('line 19', 'LAST')];
  model.will(
    [calls('exec_command', { cmd: 'sleep 601', yield_time_ms: 250 })],
    [calls('exec_command', { cmd: 'touch never' })],
    [says('All right.')],
    [says('I will.'), calls('apply_patch', { input: [...patch, '*** End Patch'].join('\n') })],
    [says('All done.')],
  );
  await panel.send('Touch that.');
  await panel.approval('command').getByText('touch never').waitFor();
  await panel.deny('Not that one.');
  await panel.ended();
  await panel.get('processes').waitFor();
  await panel.send('Change it.');
  await panel.approval('patch').waitFor();
  await panel.get('hunk-tick').nth(1).click();
  await panel.get('decision-approve').getByText('Approve 1 of 2').waitFor();
  await editQueued();
  await vscode.screenshot('survival/1-before-reload');
  await vscode.reload();
  await panel.approval('patch').waitFor({ timeout: 30_000 });
  await vscode.screenshot('survival/2-after-reload');
  expect(await panel.get('user-message').allInnerTexts()).toEqual(['Touch that.', 'Change it.']);
  expect(await panel.get('agent-message').allInnerTexts()).toEqual(['All right.', 'I will.']);
  await panel.get('turn-fold').first().locator('summary').first().click();
  const denied = panel.get('command').filter({ hasText: 'touch never' });
  await denied.getByText('“Not that one.”').waitFor();
  // Hidden in a narrow panel, where the word of the denial says it.
  await denied.getByText('by you').waitFor({ state: 'attached' });
  expect(await panel.get('processes').count()).toBe(0);
  const ended = panel.get('command').filter({ hasText: 'sleep 601' });
  await ended.getByText('stopped when the window closed').waitFor({ state: 'attached' });
  // The edit of the queued message is a draft: nothing is queued any more.
  await expect.poll(() => panel.get('composer-input').inputValue(), soon).toBe('half a thought\nthe new te');
  expect(await panel.get('queue').count()).toBe(0);
  await expect.poll(() => vscode.status().getAttribute('aria-label'), soon).toContain('1 pending');
  expect(await disk('lines.txt')).toBe(LINES);
  await panel.get('decision-approve').getByText('Approve 1 of 2').waitFor();
  await panel.answer();
  await panel.ended();
  expect(await panel.lastMessage().innerText()).toBe('All done.');
  expect(await disk('lines.txt')).toBe(LINES.replace('line 2\n', 'TWO\n'));
  expect(model.outputs).toHaveLength(3);
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toMatch(/the (?:old text|new te)/);
  await vscode.screenshot('survival/3-went-on');
  await panel.write('');
});

/** Queues a message in a turn with a pending approval, and begins to edit it. */
async function editQueued(): Promise<void> {
  const { panel } = window();
  await panel.write('the old text');
  await panel.get('composer-send').click();
  await panel.get('queued-edit').waitFor();
  await panel.write('half a thought');
  await panel.get('queued-edit').click();
  await panel.get('queued-cancel-edit').waitFor();
  await panel.write('the new te');
}

test('a queued message is held while it is edited, also while the panel is hidden', async () => {
  const { vscode, panel, model } = window();
  model.will([calls('exec_command', { cmd: 'touch held' })], [says('Done.')], [says('That, too.')]);
  await panel.send('Touch it.');
  await panel.approval('command').waitFor();
  await editQueued();
  await vscode.hideChat();
  await vscode.openChat();
  await panel.get('queued-cancel-edit').waitFor();
  expect(await panel.get('composer-input').inputValue()).toBe('the new te');
  await panel.answer();
  await panel.ended();
  await panel.write('the new text');
  await vscode.screenshot('survival/4-edited-after-its-turn', vscode.sideBar());
  await panel.get('composer-send').click();
  await panel.get('user-message').nth(1).waitFor();
  await panel.ended();
  expect(await panel.get('user-message').allInnerTexts()).toEqual(['Touch it.', 'the new text']);
  expect(await panel.get('composer-input').inputValue()).toBe('half a thought');
  const sent = JSON.stringify(model.requests.map(({ body }) => body));
  expect([sent.includes('the new text'), sent.includes('the old text')]).toEqual([true, false]);
  await panel.write('');
});

test('a webview that is killed in mid-stream comes back with everything', async () => {
  const { vscode, panel, model } = window();
  const words = Array.from({ length: 200 }, (_, index) => `word${index}.`);
  model.will([says(words.join(' '), { deltas: 200, delayMs: 25 })]);
  await panel.send('Talk.');
  await panel.get('agent-message').getByText('word9.').waitFor();
  await vscode.command('Developer: Reload Webviews');
  await panel.get('agent-message').getByText('word60.').waitFor();
  await panel.ended();
  expect(await panel.lastMessage().innerText()).toBe(words.join(' '));
});
