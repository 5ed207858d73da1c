// A pending patch, hunk by hunk: in the diff editor, in the panel, in the palette, all with the same choices.
import { beforeEach, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS, gate } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const TEXT = `${LINES.join('\n')}\n`;
const soon = { timeout: 10_000 };
const names = [
  'growing.txt',
  'lens.txt',
  'arrow.txt',
  'ticks.txt',
  'more.txt',
  'palette.txt',
  'keys.txt',
  'closed.txt',
  'commented.txt',
];

const window = useSharedWindow({
  model: 'scripted',
  settings: ASK_ABOUT_COMMANDS,
  width: 1600,
  files: Object.fromEntries(names.map((name) => [name, TEXT])),
});

const change = (number: number, text: string) => `@@\n-line ${number}\n+${text}`;
const three = (name: string) =>
  [`*** Update File: ${name}`, change(2, 'TWO'), change(15, 'FIFTEEN'), change(29, 'LAST')].join('\n');
const patch = (...files: string[]) => [
  calls('apply_patch', { input: `*** Begin Patch\n${files.join('\n')}\n*** End Patch` }),
];
const taken = (...numbers: number[]) =>
  LINES.map((line, index) => {
    const words: Record<number, string> = { 2: 'TWO', 15: 'FIFTEEN', 29: 'LAST' };
    return numbers.includes(index + 1) ? words[index + 1] : line;
  }).join('\n') + '\n';

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

async function proposed(name: string, ...more: string[]): Promise<void> {
  const { vscode, panel, model } = window();
  model.will(patch(three(name), ...more), [says('Done.')]);
  await panel.send('Change it.');
  await panel.approval('patch').waitFor();
  if (more.length > 0) return;
  await vscode.command('Tiller: Open Proposed Changes');
  await vscode.codeLens('Reject').first().waitFor();
}

async function applied(name: string, text: string): Promise<void> {
  const { vscode, panel, disk } = window();
  await panel.ended();
  await expect.poll(() => disk(name), soon).toBe(text);
  await expect.poll(() => vscode.diff().root.count(), soon).toBe(0);
}

test('a patch is shown in the editor while the model writes it, and the proposal takes its place', async () => {
  const { vscode, panel, model, disk } = window();
  const written = gate();
  const input = `*** Begin Patch\n${three('growing.txt')}\n*** End Patch`;
  model.will([calls('apply_patch', { input }, { deltas: 4, lastAfter: written.opened })], [says('Done.')]);
  await panel.send('Change it.');
  await panel.get('patch-growing-diff').click();
  const tab = (label: string) => vscode.page.getByRole('tab', { name: label });
  await tab('growing.txt (being written)').waitFor();
  await expect.poll(() => vscode.diffText().then((texts) => texts.modified), soon).toContain('TWO');
  await vscode.screenshot('review/growing');
  written.open();
  await panel.approval('patch').waitFor();
  await tab('growing.txt (proposed)').waitFor();
  await tab('growing.txt (being written)').waitFor({ state: 'detached' });
  expect(await disk('growing.txt')).toBe(TEXT);
  await panel.approval('patch').getByTestId('decision-approve').click();
  await applied('growing.txt', taken(2, 15, 29));
});

test('a hunk is rejected above it in the diff, and the rest is approved', async () => {
  const { vscode, panel, model } = window();
  await proposed('lens.txt');
  await vscode.codeLens('Reject').nth(1).click();
  await vscode.codeLens('Restore').waitFor();
  await vscode.codeLens('Approve 2 of 3 Hunks').waitFor();
  await panel.get('review-count').getByText('2 of 3 hunks').waitFor();
  await vscode.screenshot('review/before');
  await vscode.codeLens('Approve 2 of 3 Hunks').click();
  await applied('lens.txt', taken(2, 29));
  expect(model.outputs.at(-1)).toContain('1 of 3 hunks in lens.txt rejected');
});

test('the arrow of VS Code reverts a block, text is typed, and the key approves the right side', async () => {
  const { vscode, panel, model } = window();
  await proposed('arrow.txt');
  const { modified } = vscode.diff();
  await vscode.typeAfter('TWO', ' and a half', modified);
  await panel.get('file-row').getByText('edited by you').first().waitFor();
  await vscode.codeLens('Approve as Edited').waitFor(soon);
  await vscode.codeLens('Restore (edited)').waitFor(soon);
  await modified.locator('.view-line').filter({ hasText: 'LAST' }).first().click();
  await vscode.revertBlock('LAST');
  await expect.poll(() => vscode.diffText().then((texts) => texts.modified), soon).not.toContain('LAST');
  await vscode.screenshot('review/before-edited');
  await modified.locator('.view-line').filter({ hasText: 'FIFTEEN' }).first().click();
  await vscode.page.keyboard.press('Control+Enter');
  await applied('arrow.txt', taken(2, 15).replace('TWO', 'TWO and a half'));
  expect(model.outputs.at(-1)).toContain('arrow.txt was edited by the user');
  expect(model.outputs.at(-1)).toContain('-LAST');
});

test('files and hunks are ticked in the panel, by keyboard alone', async () => {
  const { vscode, panel, model, disk } = window();
  await proposed('ticks.txt', three('more.txt'), '*** Add File: new.txt\n+new');
  const ticks = panel.get('hunk-tick');
  await ticks.first().focus();
  await vscode.page.keyboard.press('Space');
  await panel.get('review-count').getByText('6 of 7 hunks').waitFor();
  await panel.get('file-tick').nth(2).focus();
  await vscode.page.keyboard.press('Space');
  await panel.get('decision-approve').getByText('Approve 5 of 7').waitFor();
  await vscode.screenshot('review/before-panel', vscode.sideBar());
  await panel.get('decision-review').click();
  await expect.poll(() => vscode.multiDiff().files.count(), soon).toBeGreaterThan(1);
  await vscode.screenshot('review/before-overview');
  await panel.get('hunk-tick').nth(0).focus();
  await vscode.page.keyboard.press('Enter');
  await panel.ended();
  await expect.poll(() => disk('ticks.txt'), soon).toBe(taken(15, 29));
  expect([await disk('more.txt'), await disk('new.txt')]).toEqual([taken(2, 15, 29), null]);
  expect(model.outputs.at(-1)).toContain('new.txt was rejected and is unchanged');
});

test('the palette selects hunks, too', async () => {
  const { vscode } = window();
  await proposed('palette.txt');
  await vscode.command('Tiller: Approve in Part…');
  await vscode.quickRow('palette.txt, hunk 2 of 3').waitFor();
  await vscode.screenshot('review/before-palette');
  await vscode.quickRow('palette.txt, hunk 2 of 3').click();
  await vscode.page.keyboard.press('Enter');
  await applied('palette.txt', taken(2, 29));
});

test('a key rejects the hunk at the cursor and restores it', async () => {
  const { vscode } = window();
  await proposed('keys.txt');
  const { modified } = vscode.diff();
  await modified.locator('.view-line').filter({ hasText: 'TWO' }).first().click();
  await vscode.page.keyboard.press('Control+Alt+r');
  await vscode.codeLens('Restore').waitFor();
  await vscode.page.keyboard.press('Control+Alt+r');
  await expect.poll(() => vscode.codeLens('Restore').count(), soon).toBe(0);
  await vscode.page.keyboard.press('Control+Alt+r');
  await vscode.codeLens('Approve 2 of 3 Hunks').waitFor();
  await vscode.titleAction('Approve').click();
  await applied('keys.txt', taken(15, 29));
});

test('closing the tab decides nothing, and a rejected hunk stays rejected', async () => {
  const { vscode, panel, disk } = window();
  await proposed('closed.txt');
  await vscode.codeLens('Reject').first().click();
  await vscode.codeLens('Approve 2 of 3 Hunks').waitFor();
  await expect.poll(() => vscode.isDirty('closed.txt (proposed)'), soon).toBe(false);
  await vscode.closeTab('closed.txt (proposed)');
  expect(await disk('closed.txt')).toBe(TEXT);
  await panel.get('decision-approve').getByText('Approve 2 of 3').waitFor();
  await vscode.command('Tiller: Open Proposed Changes');
  await vscode.codeLens('Restore').waitFor();
  await panel.answer();
  await applied('closed.txt', taken(15, 29));
});

test('a comment on a line of the diff denies the patch, goes on in the file, and the next patch resolves it', async () => {
  const { vscode, panel, model, disk } = window();
  const rewritten = ['*** Update File: commented.txt', change(15, 'fifteen')].join('\n');
  model.will(patch(three('commented.txt')), patch(rewritten), [says('Done.')]);
  await panel.send('Change it.');
  await panel.approval('patch').waitFor();
  await vscode.command('Tiller: Open Proposed Changes');
  await vscode.diff().modified.locator('.view-line').filter({ hasText: 'FIFTEEN' }).first().click();
  await vscode.command('Tiller: Comment on Lines');
  await vscode.page.locator('.review-widget .monaco-editor').last().waitFor(soon);
  await vscode.page.keyboard.type('Not so loud.');
  await vscode.page.getByRole('button', { name: 'Add Comment' }).click();
  await panel.get('comments').waitFor(soon);
  await vscode.screenshot('review/before-comment');
  await vscode.command('Tiller: Send Comments');
  await expect.poll(() => model.requests.length, soon).toBe(2);
  expect(model.outputs.at(-1)).toContain('commented.txt:15 (in the proposed patch)\n> FIFTEEN\nNot so loud.');
  await panel.get('decision-approve').waitFor();
  await panel.answer();
  await panel.ended();
  expect(await disk('commented.txt')).toBe(taken(15).replace('FIFTEEN', 'fifteen'));
  await vscode.openFile('commented.txt');
  const marks = vscode.editor().locator('.comment-range-glyph.comment-thread, .comment-thread-unresolved');
  await expect.poll(() => marks.count(), soon).toBe(1);
  expect(await vscode.editor().locator('.comment-thread-unresolved').count()).toBe(0);
  await vscode.screenshot('review/resolved-comment');
});
