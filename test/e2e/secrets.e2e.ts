// A key: entered once, kept by VS Code, sent to its server, and in no file.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const KEY = 'key-of-the-person-5f2c81d0';

const window = useWindow({ model: 'scripted' });

test('a key is sent to its server, survives a reload, and is in no file', async () => {
  const { vscode, panel, model, folder } = window();
  model.will([says('One.')], [says('Two.')]);
  await panel.open();
  await vscode.command('Tiller: Set API Key');
  await vscode.answer(KEY);
  await panel.send('First.');
  await panel.ended();
  await vscode.reload();
  await panel.open();
  await panel.send('Second.');
  await panel.ended();
  expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  expect(await filesWith(KEY, [vscode.server.folder, folder])).toEqual([]);
});

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
