// A model that streams very fast.
import { expect, test } from 'vitest';
import { says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const DELTAS = 20_000;
const LONG_TASK_MS = 50;

const window = useWindow({ model: 'scripted' });

test('20,000 deltas all arrive, and the page stays responsive', async () => {
  const { panel, model } = window();
  await panel.open();
  const paragraphs = Array.from(
    { length: 500 },
    (_, index) => `Paragraph ${index} says \`code${index}\` and **more**.`,
  );
  const text = paragraphs.join('\n\n');
  model.will([says(text, { deltas: DELTAS })]);
  const frame = await panel.frame();
  await frame.evaluate(() => {
    const seen: { name: string; ms: number }[] = [];
    Object.assign(globalThis, { seenLongTasks: seen });
    new PerformanceObserver((list) => {
      seen.push(...list.getEntries().map(({ name, duration }) => ({ name, ms: Math.round(duration) })));
    }).observe(JSON.parse('{ "entryTypes": ["longtask"] }'));
  });
  const started = Date.now();
  await panel.send('Talk.');
  await panel.ended();
  const seconds = (Date.now() - started) / 1000;
  const message = await panel.lastMessage().innerText();
  expect(message).toContain('Paragraph 0 says code0 and more.');
  expect(message.match(/Paragraph \d+ says code\d+ and more\./g)).toHaveLength(paragraphs.length);
  const longTasks: { name: string; ms: number }[] = await frame.evaluate('seenLongTasks');
  console.log(`20,000 deltas in ${seconds.toFixed(1)} s; long tasks: ${JSON.stringify(longTasks)}`);
  const own = longTasks.filter(({ name }) => name === 'self');
  expect(own.filter(({ ms }) => ms > 4 * LONG_TASK_MS)).toEqual([]);
  expect(own.length).toBeLessThanOrEqual(10);
});
