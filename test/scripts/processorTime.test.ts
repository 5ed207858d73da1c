/** The processor time of the steps of `npm test`: how it is measured, and what they may take. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { processStats, StepTime } from '../../scripts/test/processorTime.mjs';
import { GROUPS } from '../../scripts/test/steps.mjs';

const process = (pid: number, parent: number, seconds: number, start = 1) => ({
  pid,
  parent,
  key: `${pid}:${start}`,
  seconds,
});

test('a step has the time of all that it has started, also after the end of a parent or of the process', () => {
  const step = new StepTime(10);
  const other = process(50, 1, 100);
  step.record([process(10, 1, 1), process(11, 10, 2), process(12, 11, 3), other]);
  // The parent of 12 has ended, and 13 is a child of 12.
  step.record([process(10, 1, 1.5), process(12, 1, 4), process(13, 12, 5), other]);
  step.record([process(13, 1, 6), other]);
  expect(step.seconds).toBe(1.5 + 2 + 4 + 6);
});

test('a number that is used again by another process does not count twice', () => {
  const step = new StepTime(10);
  step.record([process(10, 1, 1), process(11, 10, 2)]);
  step.record([process(10, 1, 1), process(11, 1, 50, 2)]);
  expect(step.seconds).toBe(3);
});

test.skipIf(globalThis.process.platform !== 'linux')('a program in a process group of its own counts', async () => {
  const busy = `child_process.spawn(process.execPath, ['-e', 'for (;;);'], { detached: true, stdio: 'ignore' })`;
  const child = spawn(globalThis.process.execPath, ['-e', `console.log(${busy}.pid); setInterval(() => {}, 1e6)`]);
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  try {
    const step = new StepTime(child.pid ?? 0);
    const seconds = () => {
      step.record(processStats());
      return step.seconds;
    };
    await expect.poll(seconds).toBeGreaterThan(1);
  } finally {
    globalThis.process.kill(Number(printed), 'SIGKILL');
    child.kill('SIGKILL');
  }
});

test('every step has a budget, and together they keep two cores busy for at most 12 minutes', () => {
  const budgets = GROUPS.flat().map(({ budget = 0 }) => budget);
  expect(budgets.every((budget) => budget > 0)).toBe(true);
  expect(budgets.reduce((sum, budget) => sum + budget, 0)).toBeLessThanOrEqual(2 * 12 * 60);
});

test('VS Code is started at most ten times', () => {
  const folder = path.join(import.meta.dirname, '../e2e');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const servers = new Set(
    texts.flatMap((text) => [...text.matchAll(/^\s+server: '([\w-]+)'/gm)].map(([, name]) => name)),
  );
  expect([...servers]).toContain('start');
  const config = readFileSync(path.join(folder, 'vitest.config.mjs'), 'utf8');
  const workers = Number(/maxWorkers: (\d+)/.exec(config)?.[1]);
  // Each worker of the scenarios has the common server, and may need each that has a name; then the host suite and the VSIX.
  expect(workers * (1 + servers.size) + 2).toBeLessThanOrEqual(10);
});
