// One reload of the window in the middle of a turn, for all that it keeps beside survival.e2e.ts.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { untilInEditor } from './support/chatInEditor.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 15_000 };
const KEY = 'key-of-the-person-5f2c81d0';
const NOTES = 'first\nsecond\nthird\n';
const PATCH = `*** Begin Patch
*** Update File: notes.txt
@@
 first
-second
+SECOND
 third
*** Add File: made.txt
+new
*** Delete File: gone.txt
*** End Patch`;

const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.review': 'after' },
  files: { 'notes.txt': NOTES, 'gone.txt': 'gone\n' },
});

test('a reload of the window keeps the changes under review, the key of the server and the chat in an editor tab, and the turn says that it was cut off; without a model the thread can be read, and with one it continues', async () => {
  const { vscode, panel, model, disk, folder, configure } = window();
  const strip = async () => (await panel.get('review').locator('summary').innerText()).trim();
  await panel.open();
  await vscode.command('Tiller: Set API Key');
  await vscode.answer(KEY);
  model.will(
    [calls('apply_patch', { input: PATCH })],
    [says('Done.')],
    [says('a '.repeat(400), { deltas: 400, delayMs: 50 })],
    [says('Whole.')],
  );
  await panel.send('Change the notes.');
  await panel.ended();
  await expect.poll(strip, soon).toBe('3 changes in 3 files');
  await vscode.command('Tiller: Open Chat in Editor');
  const tab = vscode.page.locator('.part.editor .tab', { hasText: 'Change the notes' });
  await tab.waitFor();
  await untilInEditor(vscode);
  // In front of the chat: panel is the side bar's.
  await vscode.openFile('notes.txt');
  await panel.send('Talk.');
  await panel.get('agent-message').nth(1).waitFor();
  await vscode.settings({ 'tiller.model': null });
  await vscode.reload();

  // Without a model the thread can be read.
  await panel.open();
  await panel.get('read-only-banner').waitFor({ timeout: 30_000 });
  const [first, second] = await panel.get('agent-message').allInnerTexts();
  expect([first, second?.slice(0, 3)]).toEqual(['Done.', 'a a']);
  await vscode.screenshot('survival/4-no-model');
  await configure(model.settings);
  await panel.get('read-only-banner').waitFor({ state: 'detached', timeout: 30_000 });
  await panel.get('turn-cut').waitFor({ timeout: 30_000 });
  await vscode.screenshot('survival/5-cut');
  await panel.get('turn-cut-continue').click();
  await expect.poll(() => panel.get('turn').count(), soon).toBe(3);
  await panel.ended();
  expect(await panel.lastMessage().innerText()).toBe('Whole.');
  expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(
    Array.from({ length: 4 }, () => `Bearer ${KEY}`),
  );
  expect(await filesWith(KEY, [vscode.server.folder, folder])).toEqual([]);

  // The changes are undone all at once from the panel, when that was meant.
  expect(await strip()).toBe('3 changes in 3 files');
  await vscode.codeLens('Keep').first().waitFor();
  await panel.get('review-undo-all').click();
  await vscode.dialog('Undo all changes').waitFor();
  await vscode.screenshot('survival/6-undo-all');
  await vscode.dialog().getByRole('button', { name: 'Undo All' }).click();
  await panel.get('review').waitFor({ state: 'hidden' });
  const files = () => Promise.all(['notes.txt', 'gone.txt', 'made.txt'].map(disk));
  await expect.poll(files, soon).toEqual([NOTES, 'gone\n', null]);
  await expect.poll(() => vscode.codeLens('Keep').count(), soon).toBe(0);

  await tab.click();
  const inEditor = await untilInEditor(vscode);
  await expect.poll(() => inEditor.locator('[data-testid="transcript"]').innerText(), soon).toContain('Whole.');
}, 120_000);

/** Every file that holds the text: settings, state, logs, rollouts and the workspace are below these folders. */
async function filesWith(text: string, folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const bytes = await readFile(file).catch(() => Buffer.alloc(0));
      if (bytes.includes(text)) found.push(file);
    }
  }
  return found;
}
