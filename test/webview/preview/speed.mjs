// The main thread time of the panel (design §5). CPU time, because the machine may be busy.
import { send } from './stage.mjs';

const TURN_COUNT = 1_000;
const SETTLE = 600;

function event(seq, msg, turnId = 't1') {
  return { v: 1, seq, at: new Date().toISOString(), threadId: 'speed', turnId, submissionId: null, msg };
}

const settings = (scene) => scene.messages[0].settings;
const snapshot = (scene, thread) => ({ ...scene.messages[0], thread, settings: settings(scene) });

/** A thread of many finished turns with prose, code and commands. */
function heavyThread(doneThread) {
  const turns = Array.from({ length: TURN_COUNT }, (_, index) => ({
    ...doneThread.turns[index % doneThread.turns.length],
    id: `turn-${index}`,
  }));
  return { ...doneThread, threadId: 'speed', turns };
}

function running(stage) {
  const empty = { ...stage.threadOf(stage.scenes.done), threadId: 'speed', turns: [], lastSeq: 0, activeTurnId: null };
  const turnSettings = stage.threadOf(stage.scenes.done).settings;
  return {
    thread: empty,
    start: event(1, { type: 'turn_started', settings: turnSettings, contextWindow: null }),
  };
}

/** A page on which an item of a running turn has just begun; its deltas start at `FIRST_DELTA`. */
async function writing(stage, item) {
  const { thread, start } = running(stage);
  const page = await stage.show(stage.scenes.empty);
  const begin = event(2, { type: 'item_started', item });
  await send(page, [snapshot(stage.scenes.done, thread), events([start, begin])]);
  return page;
}

const MESSAGE = { type: 'agent_message', id: 'm', status: 'in_progress', text: '' };
const FIRST_DELTA = 3;

const PARAGRAPH = 'A sentence of **prose** with `code` in it, and one more.\n\n- a point\n- another\n\n';
const FENCE = '```ts\nconst a = 1;\nfunction b() { return a; }\n```\n\n';

function deltasOf(text, size, first) {
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return pieces.map((piece, index) =>
    event(first + index, { type: 'item_delta', itemId: 'm', kind: 'text', text: piece }),
  );
}

/** Posts batches of events at an interval and measures until the page is idle again. */
async function measure(page, batches, interval) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  await page.evaluate((batches) => (globalThis.batches = batches), batches);
  await page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) =>
      globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ type: 'longtask' });
  });
  const times = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1_000]));
  };
  await page.waitForTimeout(200);
  const before = await times();
  await page.evaluate(async (interval) => {
    for (const batch of globalThis.batches) {
      window.postMessage(batch, '*');
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }, interval);
  await page.waitForTimeout(SETTLE);
  const after = await times();
  const spent = (name) => Math.round(after[name] - before[name]);
  const longTasks = (await page.evaluate(() => globalThis.longTasks)).map(Math.round);
  await page.close();
  const parts = `script ${spent('ScriptDuration')}, style ${spent('RecalcStyleDuration')}, layout ${spent('LayoutDuration')}`;
  return { cpu: spent('ThreadTime'), parts, longTasks };
}

const events = (list) => ({ type: 'events', build: 'preview', events: list });

function inBatches(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    events(list.slice(index * size, (index + 1) * size)),
  );
}

const RUNS = {
  async 'first picture of 1,000 turns'(stage) {
    const { done, empty } = stage.scenes;
    const page = await stage.show(empty);
    return measure(page, [snapshot(done, heavyThread(stage.threadOf(done)))], 0);
  },
  async '500 deltas a second for 5 s'(stage) {
    const page = await writing(stage, MESSAGE);
    return measure(page, inBatches(deltasOf((PARAGRAPH + FENCE).repeat(100), 5, FIRST_DELTA).slice(0, 2_500), 8), 16);
  },
  async '20,000 deltas at once'(stage) {
    const page = await writing(stage, MESSAGE);
    return measure(page, inBatches(deltasOf((PARAGRAPH + FENCE).repeat(700), 5, FIRST_DELTA).slice(0, 20_000), 400), 0);
  },
  async '98 kB of prose in one message, joined as by the host'(stage) {
    const page = await writing(stage, MESSAGE);
    const list = deltasOf((PARAGRAPH + FENCE).repeat(700).slice(0, 98_000), 3_000, FIRST_DELTA);
    return measure(page, [events(list)], 0);
  },
  async '50,000 lines of output in 2 s'(stage) {
    const page = await writing(stage, {
      type: 'command_execution',
      id: 'c',
      status: 'in_progress',
      callId: 'c',
      command: 'make',
      argv: [],
      cwd: '/',
      box: 'none',
      exitCode: null,
      durationMs: 0,
      output: '',
    });
    const lines = (from) =>
      Array.from({ length: 400 }, (_, index) => `\u001b[32m✓\u001b[0m line ${from + index} of the build\n`).join('');
    const chunks = Array.from({ length: 125 }, (_, index) =>
      events([
        event(FIRST_DELTA + index, { type: 'item_delta', itemId: 'c', kind: 'output', text: lines(index * 400) }),
      ]),
    );
    return measure(page, chunks, 16);
  },
};

const LONG_TASK = 50;

/** Prints the measurements; returns what exceeds the budget: a first picture of more than 100 ms, or any long task. */
export async function measureSpeed(stage) {
  const findings = [];
  for (const [title, run] of Object.entries(RUNS)) {
    const { cpu, parts, longTasks } = await run(stage);
    console.log(`speed: ${title}: ${cpu} ms CPU (wall: ${parts}), long tasks: ${longTasks.join(', ') || 'none'}`);
    const isFirst = title.startsWith('first');
    if (isFirst && cpu > 100) findings.push(`speed: ${title}: ${cpu} ms CPU`);
    if (!isFirst && longTasks.some((duration) => duration > LONG_TASK))
      findings.push(`speed: ${title}: long tasks ${longTasks.join(', ')}`);
  }
  return findings;
}
