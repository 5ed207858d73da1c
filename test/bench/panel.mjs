// The panel in a browser: the work of its main thread for what the host sends, from traces of the browser.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from '../../scripts/bootstrap.mjs';
import { setStage } from '../webview/preview/stage.mjs';
import { newScratch } from './scratch.mjs';

/** `devtools.timeline` has the tasks of a thread, `__metadata` the names of the threads. */
const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];
/** The page has no work left when as many frames in sequence had none. */
const CALM_FRAMES = 20;

let stage;
let works;

/** Opens the browser at the first measurement; `closePanel` closes it. */
async function open() {
  if (stage !== undefined) return;
  const outfile = path.join(newScratch(), 'panelMessages.mjs');
  await esbuild.build({
    entryPoints: [path.join(root, 'test/bench/panelMessages.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  works = await import(pathToFileURL(outfile).href);
  stage = await setStage();
}

export async function closePanel() {
  await stage?.close();
  stage = undefined;
}

/**
 * Resolves with the milliseconds of processor time of the longest task and of all tasks, at the speed of the machine
 * and with a processor that is slowed down four times: { wallMs, longestMs, allMs, slowed: { longestMs, allMs } }.
 * @param {'burst' | 'wholeAnswer' | 'output'} name
 * @param {number} size
 */
export async function measurePanel(name, size) {
  await open();
  const started = performance.now();
  const work = works[name](size);
  const full = await traced(work, 1);
  const slowed = await traced(work, 4);
  return { wallMs: performance.now() - started, ...full, slowed };
}

async function traced(work, slowdown) {
  const page = await stage.show({ messages: work.before });
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await give(page, work.messages);
  const tasks = await tasksDuring(page, () => post(page, work.paceMs));
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await session.detach();
  return tasks;
}

/** A thread of `items`: opened, all of it loaded, scrolled from end to end, searched. Times as in `measurePanel`. */
export async function measureThread(items) {
  await open();
  const started = performance.now();
  const work = works.thread(items);
  const page = await stage.show({ messages: work.before });
  await give(page, work.messages);
  const opened = await tasksDuring(page, () => post(page, 0));
  await give(page, work.earlier);
  const loaded = await tasksDuring(page, () => loadEarlier(page));
  const turns = await page.getByTestId('turn').count();
  const scrolled = await tasksDuring(page, () => scroll(page));
  const searched = await tasksDuring(page, async () => {
    await page.keyboard.press('Control+f');
    await page.keyboard.type('delayFor');
    await page.waitForFunction(() => CSS.highlights.size > 0);
    for (let place = 0; place < 20; place++) await page.keyboard.press('Enter');
  });
  return { wallMs: performance.now() - started, turns, opened, loaded, scrolled, searched };
}

/** Some thousand lines up and back. */
function scroll(page) {
  return page.evaluate(async () => {
    const frame = document.querySelector('[data-testid=transcript]');
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
    for (const step of [-600, 600]) {
      for (let page = 0; page < 100; page++) {
        frame.scrollTop += step;
        await nextFrame();
      }
    }
  });
}

/** Presses "Load Earlier" until there is nothing earlier, and answers as the host would. */
function loadEarlier(page) {
  return page.evaluate(async () => {
    for (;;) {
      const button = document.querySelector('[data-testid=load-earlier]');
      if (button === null) return;
      globalThis.posted.length = 0;
      button.click();
      if (globalThis.posted.some(({ type }) => type === 'load_earlier'))
        window.postMessage(globalThis.given.shift(), '*');
      await globalThis.untilCalm(3);
    }
  });
}

/** Brings the messages into the page before the measurement: that is work for its main thread, too. */
async function give(page, messages) {
  await page.evaluate((given) => {
    globalThis.given = given;
    /** Resolves when the page has not changed for so many frames. */
    globalThis.untilCalm = async (frames) => {
      let changes = 0;
      const observer = new MutationObserver(() => changes++);
      observer.observe(document.getElementById('root'), { subtree: true, childList: true, characterData: true });
      for (let quiet = 0; quiet < frames; quiet++) {
        await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
        if (changes > 0) quiet = 0;
        changes = 0;
      }
      observer.disconnect();
    };
  }, messages);
}

/** Posts what the page was given as the host would, and resolves when the page has nothing left to do. */
function post(page, paceMs) {
  return page.evaluate(
    async ([paceMs, calm]) => {
      for (const message of globalThis.given) {
        window.postMessage(message, '*');
        if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
      }
      await globalThis.untilCalm(calm);
    },
    [paceMs, CALM_FRAMES],
  );
}

/** The work of the page's main thread while `act` runs; in processor time, which other programs do not change. */
async function tasksDuring(page, act) {
  await stage.browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const { traceEvents } = JSON.parse((await stage.browser.stopTracing()).toString());
  const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
  const isMain = ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain';
  const mains = new Set(traceEvents.filter(isMain).map(threadOf));
  const times = traceEvents.flatMap((event) =>
    event.name === 'RunTask' && event.ph === 'X' && mains.has(threadOf(event)) ? [(event.tdur ?? 0) / 1000] : [],
  );
  if (times.length === 0) throw new Error('The trace of the browser has no task of the page.');
  return { longestMs: Math.max(...times), allMs: times.reduce((sum, time) => sum + time, 0) };
}
