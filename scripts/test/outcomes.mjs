// The outcomes of a suite's tests, one line of JSON each, written as each test ends, so that a suite that is stopped
// has reported everything up to then. Written by vitestReporter.mjs and test/vscode/index.ts, read by scripts/test.mjs.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../bootstrap.mjs';

/**
 * @typedef {object} Outcome
 * @property {string} name  of the test, the same in every attempt
 * @property {'passed' | 'failed' | 'skipped'} state
 * @property {number} [ms]
 * @property {string} [message]  of a failure, also of one before a retry that passed
 * @property {string} [file]  where the test is
 * @property {number} [attempt]  of the whole file; 1 without it
 * @property {boolean} [isFinal]  a failure that is not retried
 * @property {boolean} [isBeside]  not of a test, but of a hook or of a file that cannot be loaded
 */

/**
 * @typedef {object} Summary
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped
 * @property {{ name: string, message?: string, file?: string, isFinal?: boolean, isBeside?: boolean }[]} failures
 * @property {{ name: string, message?: string }[]} flaky  passed in another attempt
 * @property {{ name: string, ms: number }[]} slowest  the ten tests that took longest, the slowest first
 */

/** Tests that a summary names as its slowest. */
const SLOWEST = 10;

/** The file that a suite writes to. @param {string} suite */
export function outcomesFile(suite) {
  return path.join(root, 'artifacts', 'test', `${suite}.jsonl`);
}

/** An empty file for a new run. @param {string} file */
export function startOutcomes(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  rmSync(file, { force: true });
}

/** @param {string} file @param {Outcome} outcome */
export function writeOutcome(file, outcome) {
  appendFileSync(file, `${JSON.stringify(outcome)}\n`);
}

/**
 * The summary of a run. A test that failed and passed in another attempt counts as passed and is flaky.
 * @param {string} file
 */
export function readOutcomes(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return summaryOf(lines.flatMap((line) => parsed(line) ?? []));
}

/**
 * @param {readonly Outcome[]} outcomes  in the order they were written
 * @returns {Summary}
 */
export function summaryOf(outcomes) {
  /** @type {Summary} */
  const summary = { passed: 0, failed: 0, skipped: [], failures: [], flaky: [], slowest: slowestOf(outcomes) };
  const lastAttempts = new Map(outcomes.map(({ file, attempt = 1 }) => [file, attempt]));
  for (const [name, attempts] of grouped(outcomes)) {
    const failure = attempts.find(({ state, message }) => state === 'failed' || (state === 'passed' && message));
    const { file, attempt = 1, isBeside } = attempts.at(-1);
    const isFinal = attempts.some(({ isFinal }) => isFinal);
    const isMended = isBeside ? attempt < lastAttempts.get(file) : attempts.some(({ state }) => state === 'passed');
    if (!failure || (isMended && !isFinal)) {
      if (attempts.some(({ state }) => state === 'passed')) summary.passed += 1;
      else if (!failure) summary.skipped.push(name);
      if (failure) summary.flaky.push({ name, message: failure.message });
    } else {
      summary.failed += 1;
      summary.failures.push({ name, message: failure.message, file, isFinal, isBeside });
    }
  }
  return summary;
}

/**
 * The tests that took longest, in the slowest of their attempts. @template {{ name: string, ms?: number }} Timed
 * @param {readonly Timed[]} tests
 */
export function slowestOf(tests) {
  /** @type {Map<string, { name: string, ms: number }>} */
  const longest = new Map();
  for (const { name, ms } of tests) {
    if (ms !== undefined && ms >= (longest.get(name)?.ms ?? 0)) longest.set(name, { name, ms });
  }
  return [...longest.values()].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
}

/** Groups outcomes by name, in the order of the first attempt. */
function grouped(outcomes) {
  /** @type {Map<string, Outcome[]>} */
  const groups = new Map();
  for (const outcome of outcomes) {
    const group = groups.get(outcome.name);
    if (group) group.push(outcome);
    else groups.set(outcome.name, [outcome]);
  }
  return groups;
}

/** A process that is killed while it writes leaves an incomplete line. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** "3 passed, 1 failed, 1 flaky". @param {Omit<Summary, 'failures' | 'slowest'>} summary */
export function countsOf({ passed, failed, skipped, flaky }) {
  const words = [`${passed} passed`, `${failed} failed`];
  if (flaky.length > 0) words.push(`${flaky.length} flaky`);
  if (skipped.length > 0) words.push(`${skipped.length} skipped`);
  return words.join(', ');
}

/** The first lines of an error, indented. @param {string | undefined} message */
export function shortened(message) {
  const lines = stripVTControlCharacters(message ?? '').split('\n');
  return lines
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n');
}
