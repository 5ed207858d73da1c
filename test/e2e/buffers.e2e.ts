// The patch lands in what the person has in front of them, not in what is on disk.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const LINES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const TEXT = `${LINES.join('\n')}\n`;
const window = useWindow({ model: 'scripted', files: { 'notes.txt': TEXT } });
const soon = { timeout: 10_000 };

test('what is typed while a patch waits stays, the patch lands beside it, and nothing is saved', async () => {
  const { vscode, panel, model, disk } = window();
  await vscode.openFile('notes.txt');
  await vscode.typeAfter('first', ' (mine)');
  await panel.open();
  const input = '*** Begin Patch\n*** Update File: notes.txt\n@@\n seventh\n-eighth\n+EIGHTH\n ninth\n*** End Patch';
  model.will([calls('apply_patch', { input })], [says('Done.')]);
  await panel.send('Change the eighth.');
  await panel.approval('patch').waitFor();
  await vscode.typeAfter('third', ' (mine, too)');
  await vscode.screenshot('buffers/1-typing');
  await panel.answer();
  await panel.ended();

  const expected = TEXT.replace('first', 'first (mine)')
    .replace('third', 'third (mine, too)')
    .replace('eighth', 'EIGHTH');
  await expect.poll(() => vscode.text(), soon).toBe(expected);
  expect(await vscode.isDirty('notes.txt')).toBe(true);
  expect(await disk('notes.txt')).toBe(TEXT);
  expect(model.outputs.at(-1)).toMatch(/not saved .*unsaved edits.*notes\.txt/);
  await vscode.screenshot('buffers/2-landed');

  // One Ctrl+Z takes the patch back and leaves what was typed.
  await vscode.editor().locator('.view-line').first().click();
  await vscode.page.keyboard.press('Control+z');
  await expect.poll(() => vscode.text(), soon).toBe(expected.replace('EIGHTH', 'eighth'));
  await vscode.page.keyboard.press('Control+y');
  await expect.poll(() => vscode.text(), soon).toBe(expected);
  await vscode.page.keyboard.press('Control+s');
  await expect.poll(() => disk('notes.txt'), soon).toBe(expected);
});
