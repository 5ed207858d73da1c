// The extension host dies in the middle of a patch to fifty files: what is left is all of it or nothing.
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const numbers = Array.from({ length: 50 }, (_, index) => index);
const NEW = numbers.slice(0, 17).map((number) => `fresh/deep/${number}.txt`);
const OLD = numbers.slice(17, 45).map((number) => `old/${number}.txt`);
const GONE = numbers.slice(45).map((number) => `gone/${number}.txt`);
const BEFORE = Object.fromEntries([...OLD, ...GONE].map((name) => [name, `${name}\nbefore\n`]));
const AFTER = Object.fromEntries([
  ...NEW.map((name) => [name, 'new\n'] as const),
  ...OLD.map((name) => [name, `${name}\nafter\n`] as const),
]);
const PATCH = [
  '*** Begin Patch',
  ...NEW.map((name) => `*** Add File: ${name}\n+new`),
  ...OLD.map((name) => `*** Update File: ${name}\n@@\n ${name}\n-before\n+after`),
  ...GONE.map((name) => `*** Delete File: ${name}`),
  '*** End Patch',
].join('\n');

const window = useWindow({ model: 'scripted', files: BEFORE });
const soon = { timeout: 20_000 };

test.each([
  ['among the new files', 'Put Back', 'fresh/deep/0.txt', BEFORE],
  ['among the new files', 'Finish', 'fresh/deep/0.txt', AFTER],
] as const)('killed %s, then "%s"', async (when, answer, firstSign, expected) => {
  const { vscode, panel, model } = window();
  await panel.open();
  await panel.newThread();
  model.will([calls('apply_patch', { input: PATCH })], [says('Done.')]);
  await panel.send('Change all of them.');
  await panel.approval('patch').waitFor();
  const killed = killAtChangeOf(firstSign);
  await panel.get('decision-approve').click();
  await killed;
  const left = await files();
  expect(left).not.toEqual(BEFORE);
  expect(left).not.toEqual(AFTER);
  expect(await journals()).toHaveLength(1);

  await vscode.reload();
  await panel.open();
  await vscode.notification('was interrupted while it landed').waitFor({ timeout: 30_000 });
  await vscode.screenshot(`crash/${when.replaceAll(' ', '-')}-${answer.replace(' ', '-')}`);
  await vscode.answerNotification('was interrupted while it landed', answer);
  await expect.poll(files, soon).toEqual(expected);
  await expect.poll(journals, soon).toEqual([]);
  expect(await vscode.notification('Left alone').count()).toBe(0);
  // No buffer remembers what the disk does not hold.
  expect(await vscode.page.locator('.part.editor .tab.dirty').count()).toBe(0);
});

/** All that the patch speaks of, as it is on disk. */
async function files(): Promise<Record<string, string>> {
  const { disk } = window();
  const found: Record<string, string> = {};
  for (const name of [...NEW, ...OLD, ...GONE]) {
    const text = await disk(name);
    if (text !== null) found[name] = text;
  }
  return found;
}

function journals(): Promise<string[]> {
  return readdir(path.join(window().vscode.server.folder, 'home/.local/share/tiller/journal')).catch(() => []);
}

/** The very process that lands the patch, at the first sign of it in this file: it has put its number on the journal. */
async function killAtChangeOf(name: string): Promise<void> {
  const { disk } = window();
  const before = await disk(name);
  const moment = () => new Promise((resolve) => setImmediate(resolve));
  while ((await disk(name)) === before) await moment();
  const [journal = ''] = await journals();
  const host = Number(/-(\d+)\.journal$/.exec(journal)?.[1]);
  process.kill(host, 'SIGKILL');
  while (await readlink(`/proc/${host}/exe`).then(Boolean, () => false)) await moment();
}
