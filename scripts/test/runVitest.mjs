// Runs a suite of vitest and reports the outcomes of its tests, also when it is stopped before its end.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from '../bootstrap.mjs';
import { countsOf, outcomesFile, readOutcomes, shortened, startOutcomes } from './outcomes.mjs';

/** A suite that does not end after a signal is killed after this time. */
const END_LIMIT_MS = 10_000;

/**
 * Runs the suite once, and the files of failed tests again, each time in new processes.
 * @param {string} suite  names the file of outcomes
 * @param {string[]} words  for vitest
 * @param {{ attempts?: number }} [options]  the most runs of a file
 * @returns {Promise<number>} the exit code
 */
export async function runVitest(suite, words, { attempts = 1 } = {}) {
  const outcomes = outcomesFile(suite);
  startOutcomes(outcomes);
  const run = stoppable();
  let code = 0;
  let again = [];
  for (let attempt = 1; attempt <= attempts && !run.stoppedBy; attempt++) {
    code = await run.start(words, {
      TILLER_TEST_OUTCOMES: outcomes,
      TILLER_TEST_ATTEMPT: String(attempt),
      ...(again.length > 0 && { TILLER_TEST_FILES: again.join('\n') }),
    });
    const { failures } = readOutcomes(outcomes);
    again = [...new Set(failures.flatMap(({ file, isFinal }) => (file && !isFinal ? [file] : [])))];
    if (again.length === 0) break;
    if (attempt < attempts && !run.stoppedBy) console.log(`\nOnce more, for its failed tests: ${again.join(', ')}`);
  }
  return conclude(suite, code, run.stoppedBy);
}

/** Forwards the signals that end this process. */
function stoppable() {
  const run = {
    /** @type {NodeJS.Signals | undefined} */
    stoppedBy: undefined,
    /** Resolves with the exit code. @param {string[]} words @param {Record<string, string>} env */
    start(words, env) {
      return new Promise((resolve) => {
        const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
        const reporter = path.join(root, 'scripts/test/vitestReporter.mjs');
        const child = spawn(process.execPath, [vitest, 'run', ...words, `--reporter=${reporter}`], {
          cwd: root,
          stdio: ['ignore', 'inherit', 'inherit'],
          env: { ...process.env, ...env },
        });
        const stop = (signal) => {
          run.stoppedBy = signal;
          child.kill(signal);
          setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS).unref();
        };
        const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
        for (const signal of signals) process.on(signal, stop);
        child.once('close', (code, signal) => {
          for (const one of signals) process.off(one, stop);
          run.stoppedBy ??= signal ?? undefined;
          resolve(code ?? 1);
        });
      });
    },
  };
  return run;
}

/** Prints the counts, and the names of flaky and failed tests. Returns the exit code. */
function conclude(suite, code, stoppedBy) {
  const summary = readOutcomes(outcomesFile(suite));
  for (const { name, message } of summary.flaky) console.log(`flaky: ${name}\n${shortened(message)}`);
  if (stoppedBy) for (const { name } of summary.failures) console.log(`failed: ${name}`);
  console.log(`${countsOf(summary)}${stoppedBy ? `; stopped by ${stoppedBy} before its end` : ''}`);
  if (summary.failed > 0 || stoppedBy) return 1;
  // vitest does not know of tests that passed in another attempt, and may have failed without a test.
  return summary.flaky.length > 0 ? 0 : code;
}
