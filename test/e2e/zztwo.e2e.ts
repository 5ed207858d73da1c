import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const first = useWindow({
  model: 'scripted',
  settings: { 'tiller.review': 'after' },
  files: { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' },
});
const second = useWindow({ beside: first, onSameFolder: true });
const soon = { timeout: 20_000 };
const nap = (ms: number) => new Promise((r) => setTimeout(r, ms));
const patch = (file: string, ...lines: string[]) =>
  `*** Begin Patch\n*** Update File: ${file}\n@@\n${lines.join('\n')}\n*** End Patch`;

test('two', async () => {
  const one = first();
  const two = second();
  const model = one.model;
  for (const w of [one, two]) {
    await w.panel.open();
    await w.panel.get('empty-ready').waitFor();
    await w.vscode.openFile('a.txt');
    await w.panel.open();
  }
  model.will([calls('apply_patch', { input: patch('a.txt', ' 1', '-2', '+two-from-1', ' 3') })], [says('Done 1.')]);
  await one.panel.send('patch one');
  await one.panel.ended();
  await two.vscode.editor().getByText('two-from-1').waitFor();
  model.will([calls('apply_patch', { input: patch('a.txt', ' 7', '-8', '+eight-from-2', ' 9') })], [says('Done 2.')]);
  await two.panel.send('patch two');
  await two.panel.ended();
  await one.panel.write('draft in one');
  await nap(1000);
  await two.panel.write('draft in two');
  await nap(1000);
  const review = async (w: typeof one) => (await w.panel.get('review').locator('summary').allInnerTexts()).join();
  console.log('::', await review(one), '|', await review(two));
  for (const w of [one, two]) {
    await w.vscode.reload();
    await w.panel.open();
    await w.panel.get('composer-input').waitFor();
    await w.panel.get('review').waitFor();
    await nap(1500);
    console.log(
      '::',
      await review(w),
      await w.panel.get('composer-input').inputValue(),
      await w.panel.get('thread-title').innerText(),
      await w.panel.get('read-only-banner').allInnerTexts(),
    );
    await w.vscode.screenshot(`two/after-reload-${w === one ? 1 : 2}`);
  }
  await two.vscode.command('Tiller: Keep All Changes');
  await nap(1000);
  console.log('::', await review(one), '|', await review(two));
  await one.vscode.reload();
  await one.panel.open();
  await one.panel.get('composer-input').waitFor();
  await nap(3000);
  console.log(
    '::',
    await review(one),
    await one.panel.get('composer-input').inputValue(),
    await one.panel.get('thread-title').innerText(),
  );
  await expect.poll(() => one.panel.get('composer-input').inputValue(), soon).toBe('draft in one');
}, 200_000);
