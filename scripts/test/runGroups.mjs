// Runs the steps of `npm test`, some in parallel, and summarizes them.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, getPriority, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { root } from '../bootstrap.mjs';
import { countsOf, outcomesFile, readOutcomes, shortened, slowestOf, summaryOf } from './outcomes.mjs';
import { watchProcessorTime } from './processorTime.mjs';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} script
 * @property {string} [suite]  names the file of outcomes that the tests of this step write; a step without one is a gate
 * @property {number} [budget]  seconds of processor time that it may take; a step that takes more is named in the summary
 * @property {boolean} [inBackground]  runs beside the others, with what they leave of the processors
 */

/** A step that does not end after SIGTERM is killed after this time. */
const END_LIMIT_MS = 15_000;

/** As many steps run at a time as CI has cores, and one more, which runs in the background. */
const LANES = [{ isBackground: false }, { isBackground: false }, { isBackground: true }];
/** More is less; 19 is the last one of the system. */
const BACKGROUND_PRIORITY = Math.min(19, getPriority() + 10);

/** Seconds that the steps of each lane took. */
const laneSeconds = LANES.map(() => 0);

const results = [];
const running = new Set();
let stoppedBy;

/**
 * Runs one group after the other, and as many steps of a group at a time as there are lanes, in their order; the last lane only
 * those that run in the background. The last printed line is always
 * "N passed, N failed" (and "N skipped" if tests were skipped) with the tests of all suites; a gate that fails counts as
 * one failure, so that "0 failed" is equivalent to exit code 0. A suite that is stopped counts what it has reported until
 * then, and one failure.
 * @param {Step[][]} groups
 * @returns {Promise<number>} the exit code
 */
export async function runGroups(groups) {
  const started = Date.now();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  // Processor time used before belongs to no step: the installation of packages in a fresh clone.
  takeProcessorSeconds();
  for (const steps of groups) {
    const left = [...steps];
    await Promise.all(LANES.map((_, lane) => runNext(left, lane)));
  }
  return summarize((Date.now() - started) / 1000);
}

/** One step after the other from those that are left, until there is none. */
async function runNext(left, lane) {
  const { isBackground } = LANES[lane];
  for (let step = takeStep(left, isBackground); step; step = takeStep(left, isBackground)) {
    if (stoppedBy) return;
    const started = Date.now();
    const { processorSeconds: seen, ...end } = await run(step, step.inBackground ? BACKGROUND_PRIORITY : undefined);
    const seconds = (Date.now() - started) / 1000;
    laneSeconds[lane] += seconds;
    // Most of many short processes are missed; the system reports them with a step that has waited for them.
    const processorSeconds = Math.max(seen, takeProcessorSeconds());
    results.push({ name: step.name, budget: step.budget, ...verdict(step, end), seconds, processorSeconds });
  }
}

/** Takes the first step that is left, in the background the first that may run there. */
function takeStep(left, isBackground) {
  const at = left.findIndex(({ inBackground = false }) => inBackground || !isBackground);
  return at === -1 ? undefined : left.splice(at, 1)[0];
}

let processorSecondsTaken = 0;

/**
 * The processor time of the child processes that have ended since the last call, with their own children; 0 where the
 * system does not tell. On Linux /proc/self/stat has it in hundredths of a second.
 */
function takeProcessorSeconds() {
  let total = processorSecondsTaken;
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    total = (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {}
  const seconds = total - processorSecondsTaken;
  processorSecondsTaken = total;
  return seconds;
}

/**
 * Resolves with the exit code, or with the signal that ended the step, and its processor time.
 * @param {Step} step
 * @param {number} [priority]  of the system, also for what the step starts; by default that of this process
 */
function run({ name, script }, priority) {
  console.log(`── ${name} ${'─'.repeat(Math.max(0, 70 - name.length))}`);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a process group of its own: what it started ends with it.
      detached: true,
    });
    running.add(child);
    if (child.pid !== undefined && priority !== undefined) setPriority(child.pid, priority);
    const time = watchProcessorTime(child.pid ?? 0);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => console.log(`${name} │ ${line}`));
    }
    child.on('error', (error) => console.error(error.message));
    child.on('exit', () => endGroup(child));
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? 1, signal, processorSeconds: time.stop() });
    });
  });
}

/** Ends the remaining processes of a step. */
function endGroup(child) {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), END_LIMIT_MS).unref();
}

function signalGroup({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {}
}

/** Stops every step; the summary then contains what they have reported. */
function stop(signal) {
  stoppedBy ??= signal;
  for (const child of running) {
    child.kill('SIGTERM');
    setTimeout(() => signalGroup(child, 'SIGKILL'), END_LIMIT_MS).unref();
  }
}

function verdict({ suite }, { code, signal }) {
  const summary = suite ? readOutcomes(outcomesFile(suite)) : summaryOf([]);
  const ran = summary.passed + summary.failed;
  const by = signal ?? stoppedBy;
  if (by && code !== 0) {
    return { ...summary, failed: summary.failed + 1, note: `stopped by ${by}${suite ? ` after ${ran} tests` : ''}` };
  }
  if (!suite) return { ...summary, failed: code === 0 ? 0 : 1 };
  if (ran === 0) return { ...summary, failed: 1, note: 'no test ran' };
  if (code === 0 || summary.failed > 0) return summary;
  // A runner that fails without naming a test counts as a failure, too.
  return { ...summary, failed: 1, note: 'it failed beside its tests, see what it printed' };
}

function summarize(wallSeconds) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const all = (key) => results.flatMap((result) => result[key]);
  console.log(`\n── summary ${'─'.repeat(63)}`);
  for (const { seconds, processorSeconds, budget, note, ...summary } of results) {
    const tests = summary.passed + summary.failed > 1 || summary.passed > 0 ? countsOf(summary) : '';
    const most = budget === undefined ? '' : ` of ${budget}`;
    const cpu = processorSeconds > 0 ? `(CPU ${processorSeconds.toFixed(0)}${most} s)`.padStart(18) : '';
    const words = [summary.failed ? 'FAILED' : 'ok', `${seconds.toFixed(1)} s`.padStart(8), cpu, tests, note];
    console.log(`${summary.name.padEnd(12)} ${words.filter(Boolean).join('  ')}`);
  }
  console.log(`lanes: ${laneSeconds.map((seconds) => `${seconds.toFixed(0)} s`).join(', ')}`);
  const busy = sum('processorSeconds') / (wallSeconds * availableParallelism());
  console.log(`processor time: ${sum('processorSeconds').toFixed(0)} s, ${(busy * 100).toFixed(0)} % of all cores`);
  for (const { name, processorSeconds, budget } of process.env.TILLER_TEST_ALL ? [] : results) {
    if (processorSeconds > (budget ?? Infinity)) console.log(`over its budget of ${budget} s: ${name}`);
  }
  const slowest = slowestOf(all('slowest'));
  if (slowest.length > 0) console.log('slowest tests:');
  for (const { name, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`);
  for (const name of all('skipped')) console.log(`skipped: ${name}`);
  // Repeated at the end, where a long log is read.
  for (const { name, message } of all('flaky')) console.log(`flaky: ${name}\n${shortened(message)}`);
  for (const { name, message } of all('failures')) console.log(`failed: ${name}\n${shortened(message)}`);
  const skipped = all('skipped').length;
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return sum('failed') === 0 ? 0 : 1;
}
