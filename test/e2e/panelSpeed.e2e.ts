// A fast stream must not block the panel, in a browser as a user has it.
import { expect, test } from 'vitest';
import { says } from '../support/modelServer.ts';
import { panelTasks } from './support/panelTasks.ts';
import { useWindow } from './support/window.ts';

const DELTAS = 20_000;
/** In milliseconds of processor time. */
const LONG_TASK_MS = 50;

const window = useWindow({ model: 'scripted', browserForUser: true });

test('20,000 deltas arrive whole, and the page stays quick', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  const paragraphs = Array.from(
    { length: 500 },
    (_, index) => `Paragraph ${index} says \`code${index}\` and **more**.`,
  );
  const text = paragraphs.join('\n\n');
  model.will([says(text, { deltas: DELTAS })]);
  const tasks = await panelTasks(vscode.page, async () => {
    await panel.send('Talk.');
    await panel.ended();
  });
  // A long text is drawn a part per frame, and only near the view laid out.
  const shown = async () => (await panel.lastMessage().textContent())?.match(/Paragraph \d+ says code\d+ and more\./g);
  await expect.poll(shown).toEqual(paragraphs.map((_, index) => `Paragraph ${index} says code${index} and more.`));
  const long = tasks.filter((ms) => ms > LONG_TASK_MS);
  console.log(`${tasks.length} tasks of ${Math.round(sum(tasks))} ms; long: ${long.map(Math.round).join(', ')}`);
  expect(tasks.length).toBeGreaterThan(0);
  expect(long.filter((ms) => ms > 2 * LONG_TASK_MS)).toEqual([]);
  expect(long.length).toBeLessThanOrEqual(5);
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
