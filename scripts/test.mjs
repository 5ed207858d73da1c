// `npm test`: everything that must hold, in one command, on a clone without node_modules.
// The last line is always "N passed, N failed" (and "N skipped" where something was left out) with the tests of all suites; a gate that fails without a test of its own
// (build, check) counts as one failure, so that "0 failed" means exactly: exit code 0.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();

const reports = path.join(root, 'artifacts', 'test');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const node = (...args) => ({ command: process.execPath, args });
const vitestReport = path.join(reports, 'fast.json');

/** In order. `report` says where a suite leaves its result and who can read it; a step without one is a gate. */
const STEPS = [
  { name: 'build', ...node('scripts/build.mjs') },
  { name: 'check', ...node('scripts/check.mjs') },
  {
    name: 'test:fast',
    ...node(
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${vitestReport}`,
    ),
    report: () => readVitest(vitestReport),
  },
  { name: 'test:vscode', ...node('scripts/testVscode.mjs'), report: () => readHost('artifacts/vscode/host.json') },
  { name: 'test:e2e', ...node('scripts/testE2e.mjs'), report: () => readVitest('artifacts/e2e/report.json') },
  { name: 'test:vsix', ...node('scripts/testVsix.mjs') },
];
for (const old of ['artifacts/vscode/host.json', 'artifacts/e2e/report.json'])
  rmSync(path.join(root, old), { force: true });

const results = [];
for (const step of STEPS) {
  console.log(`\n── ${step.name} ${'─'.repeat(Math.max(0, 70 - step.name.length))}`);
  const started = Date.now();
  const code = await run(step);
  results.push({ name: step.name, ...verdict(step, code), seconds: (Date.now() - started) / 1000 });
}
summarise();

/** Resolves with the exit code; a signal or a failed start counts as 1. */
function run({ command, args }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function verdict(step, code) {
  if (!step.report) return { passed: 0, failed: code === 0 ? 0 : 1, skipped: [] };
  try {
    const counts = step.report();
    const nothingRan = counts.passed + counts.failed === 0;
    // A runner that ends badly without naming a test (an unhandled rejection, say) has still failed.
    const failed = counts.failed === 0 && (code !== 0 || nothingRan) ? 1 : counts.failed;
    const beside = failed > counts.failed ? 'it failed beside its tests, see what it printed' : undefined;
    return { ...counts, failed, note: nothingRan ? 'no test ran' : beside };
  } catch (error) {
    return { passed: 0, failed: 1, skipped: [], note: `no report: ${error.message}` };
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(path.resolve(root, file), 'utf8'));
}

/** What the suite in the extension host left. */
function readHost(file) {
  const { tests, problems, ...counts } = readJson(file);
  const messages = (wanted) =>
    tests.filter(({ state, message }) => state === wanted && message).map(({ title, message }) => [title, message]);
  const beside = problems.map((problem) => ['beside the tests', problem]);
  return { ...counts, failures: [...messages('failed'), ...beside], secondChances: messages('passed') };
}

/** A test file that could not even be loaded has no tests in the report; it counts as one failure. */
function readVitest(file) {
  const report = readJson(file);
  const counts = { passed: 0, failed: 0, skipped: [], failures: [], secondChances: [] };
  for (const suite of report.testResults) {
    const failedBefore = counts.failed;
    const named = (name) => `${path.relative(root, suite.name)}: ${name}`;
    for (const { status, fullName, failureMessages } of suite.assertionResults) {
      const said = [named(fullName), failureMessages.join('\n')];
      if (status === 'passed') counts.passed += 1;
      else if (status === 'failed') counts.failed += 1;
      else counts.skipped.push(named(fullName));
      if (status === 'failed') counts.failures.push(said);
      else if (failureMessages.length > 0) counts.secondChances.push(said);
    }
    if (suite.status === 'failed' && counts.failed === failedBefore) {
      counts.failed += 1;
      counts.failures.push([named('could not be run'), suite.message]);
    }
  }
  return counts;
}

function summarise() {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const skipped = results.flatMap((result) => result.skipped);
  console.log(`\n── summary ${'─'.repeat(63)}`);
  for (const { name, passed, failed, seconds, note } of results) {
    const tests = passed + failed > 1 || passed > 0 ? `${passed} passed${failed ? `, ${failed} failed` : ''}` : '';
    const words = [failed ? 'FAILED' : 'ok', `${seconds.toFixed(1)} s`.padStart(8), tests, note].filter(Boolean);
    console.log(`${name.padEnd(12)} ${words.join('  ')}`);
  }
  for (const name of skipped) console.log(`skipped: ${name}`);
  // Who reads only the end of a long log still learns what to look at.
  const tell = (what, key) => {
    for (const [title, error] of results.flatMap((result) => result[key] ?? [])) {
      console.log(`${what}: ${title}\n${shortened(error)}`);
    }
  };
  tell('passed the second time', 'secondChances');
  tell('failed', 'failures');
  process.exitCode = sum('failed') === 0 ? 0 : 1;
  console.log(
    `\n${sum('passed')} passed, ${sum('failed')} failed${skipped.length ? `, ${skipped.length} skipped` : ''}`,
  );
}

function shortened(error) {
  const lines = stripVTControlCharacters(error ?? '').split('\n');
  return lines
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n');
}
