// A window with several folders, of which some are on no disk: a patch lands where the user would say that it belongs.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';
import { journalsIn } from '../support/journals.ts';

const window = useWindow({
  model: 'scripted',
  files: { 'notes.txt': 'one\n' },
  folders: {
    library: { 'one.txt': 'a\n', 'two.txt': 'b\n', 'three.txt': 'c\n' },
    shelf: 'shelf:/books',
    glass: 'glass:/case',
  },
  served: { 'shelf/books/novel.txt': 'once\n', 'shelf/books/old.txt': 'old\n', 'glass/case/vase.txt': 'whole\n' },
});

const update = (file: string, from: string, to: string) => `*** Update File: ${file}\n@@\n-${from}\n+${to}`;
const patch = (...parts: string[]) => [
  calls('apply_patch', { input: `*** Begin Patch\n${parts.join('\n')}\n*** End Patch` }),
];
const text = (file: string) => readFile(file, 'utf8').catch(() => null);
const served = (name: string) => text(path.join(window().extension('virtual'), name));

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

test('another folder is reached by its name, by a path and by a URI, in one patch', async () => {
  const { vscode, panel, model, at } = window();
  model.will(
    patch(
      update('library/one.txt', 'a', 'A'),
      update(at('library/two.txt'), 'b', 'B'),
      update(`file://${at('library/three.txt')}`, 'c', 'C'),
      update('notes.txt', 'one', 'ONE'),
    ),
    [says('Done.')],
  );
  await panel.send('Change all of them.');
  await panel.approval('patch').waitFor();
  await vscode.screenshot('roots/1-asked');
  // They are folders of this workspace: no request mentions places outside of it.
  expect(await panel.card.innerText()).not.toContain('outside');
  expect(await panel.card.locator('details[data-testid=file-row]').count()).toBe(4);
  await panel.answer();
  await panel.ended();
  const changed = await Promise.all(['one', 'two', 'three'].map((name) => text(window().at(`library/${name}.txt`))));
  expect(changed).toEqual(['A\n', 'B\n', 'C\n']);
  expect(await window().disk('notes.txt')).toBe('ONE\n');
  expect(await readdir(window().folder)).not.toContain('library');
});

test('a virtual folder is read, changed, added to and removed from, and nothing is written to the disk instead', async () => {
  const { vscode, panel, model, folder } = window();
  model.will(
    patch(
      update('shelf:/books/novel.txt', 'once', 'twice'),
      '*** Add File: shelf:/books/new/essay.txt\n+fresh',
      '*** Delete File: shelf:/books/old.txt',
    ),
    [says('Done.')],
  );
  await panel.send('Tidy the shelf.');
  await panel.approval('patch').waitFor();
  await panel.answer();
  await panel.ended();
  expect(model.outputs.at(-1)).toContain('A shelf:/books/new/essay.txt');
  expect(await served('shelf/books/novel.txt')).toBe('twice\n');
  expect(await served('shelf/books/new/essay.txt')).toBe('fresh\n');
  expect(await served('shelf/books/old.txt')).toBeNull();
  expect(await readdir(folder)).not.toContain('shelf:');
  expect(journalsIn(path.join(vscode.server.folder, 'home/.local/share/tiller'))).toEqual([]);
});

test('a read-only folder is reported to the model, and keeps its files', async () => {
  const { panel, model } = window();
  model.will(patch(update('glass:/case/vase.txt', 'whole', 'broken')), [says('I could not.')]);
  await panel.send('Break it.');
  await panel.approveAll();
  await panel.ended();
  expect(model.outputs.at(-1)).toContain('/case/vase.txt is on a read-only file system (glass).');
  expect(await served('glass/case/vase.txt')).toBe('whole\n');
});
