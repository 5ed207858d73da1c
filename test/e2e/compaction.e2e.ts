// A thread is compacted by the button, the palette and automatically; its card has the summary and the undo.
import { expect, test } from 'vitest';
import { fails, says } from '../support/modelServer.ts';
import { faultsOfFrame } from './support/faults.ts';
import { useWindow } from './support/window.ts';

const soon = { timeout: 10_000 };
const window = useWindow({ model: 'scripted' });

test('a thread is compacted, read, undone and compacted again', async () => {
  const { vscode, panel, model } = window();
  const statuses = () =>
    panel.get('compaction').evaluateAll((cards: HTMLElement[]) => cards.map((card) => card.dataset['status']));
  const lastRequest = () => model.requests.at(-1)?.text ?? '';
  await panel.open();
  model.will(
    [says('The word is marmalade.')],
    [says('**The word** is known.')],
    [says('Whole again.')],
    [says('A second summary.')],
    [fails(400, { code: 'context_length_exceeded', message: 'too long' })],
    [says('A third summary.')],
    [says('It went on.')],
  );
  await panel.send('What is the word?');
  await panel.ended();

  await panel.get('context-meter').click();
  expect(await panel.get('context-part').count()).toBe(6);
  await panel.get('context-compact').click();
  await expect.poll(statuses, soon).toEqual(['completed']);
  expect(await panel.get('compaction').innerText()).toMatch(/Compacted: [\d.]+k? → [\d.]+k? tokens/);
  await panel.get('compaction-summary').click();
  await vscode.screenshot('compaction/1-card', vscode.sideBar());
  expect(await panel.get('compaction').innerText()).toContain('The word is known.');
  expect(await faultsOfFrame(await panel.frame())).toEqual([]);

  await panel.get('compaction-undo').click();
  await expect.poll(statuses, soon).toEqual(['undone']);
  expect(await panel.get('compaction-undo').count()).toBe(0);
  await panel.send('Say it again.');
  await panel.ended();
  expect(lastRequest()).toContain('The word is marmalade.');
  expect(lastRequest()).not.toContain('thread_summary');

  await vscode.command('Tiller: Compact Thread');
  await expect.poll(statuses, soon).toEqual(['undone', 'completed']);
  await panel.send('And now?');
  await panel.ended();
  await expect.poll(statuses, soon).toEqual(['undone', 'completed', 'completed']);
  expect(await panel.get('compaction').last().innerText()).toContain('Auto-compacted');
  expect(await panel.lastMessage().innerText()).toBe('It went on.');
  expect(await panel.get('compaction-undo').count()).toBe(1);
  await vscode.screenshot('compaction/2-by-itself', vscode.sideBar());
});
