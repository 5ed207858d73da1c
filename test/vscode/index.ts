// What VS Code runs in the extension host: the same file for `npm run test:vscode`, `npm run test:electron` and F5.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { say } from './support/say.ts';

interface Outcome {
  title: string;
  state: 'passed' | 'failed' | 'skipped';
  ms?: number;
  /** Of a failure, also of one that a further attempt made good. */
  message?: string;
}

/** Rejects when a test failed. What happened is written to the file that TILLER_TEST_REPORT names. */
export async function run(): Promise<void> {
  // The suite is one bundle per file; this makes its stack traces name the sources.
  process.setSourceMapsEnabled(true);
  const { TILLER_TEST_REPORT: report, TILLER_TEST_GREP: grep } = process.env;
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: 30_000,
    // For a window that another program held up; the report names every test that needed it.
    retries: 2,
    color: false,
    reporter: Mocha.reporters.Base,
    ...(grep ? { grep } : {}),
  });
  const files = readdirSync(__dirname).filter((name) => name.endsWith('.test.js'));
  for (const name of files.toSorted()) mocha.addFile(path.join(__dirname, name));

  const tests: Outcome[] = [];
  const failedAttempts = new Map<string, string>();
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on('pass', (test) => {
        const message = failedAttempts.get(test.fullTitle());
        tell({ title: test.fullTitle(), state: 'passed', ms: test.duration ?? 0, ...(message && { message }) });
      })
      .on('retry', (test, error) => failedAttempts.set(test.fullTitle(), wordsOf(error)))
      .on('pending', (test) => tell({ title: test.fullTitle(), state: 'skipped' }))
      .on('fail', (test, error) => tell({ title: test.fullTitle(), state: 'failed', message: wordsOf(error) }));
  });
  if (report) writeFileSync(report, `${JSON.stringify({ tests }, null, 2)}\n`);
  if (failures > 0) throw new Error(`${failures} failed`);

  function tell(outcome: Outcome): void {
    tests.push(outcome);
    const sign = { passed: '✓', failed: '✗', skipped: '-' }[outcome.state];
    say(`${sign} ${outcome.title}${outcome.ms === undefined ? '' : ` (${outcome.ms} ms)`}`);
    if (outcome.message) say(outcome.message);
  }
}

/** Mocha hands on whatever was thrown. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { expected, actual } = error as { expected?: unknown; actual?: unknown };
  const values =
    expected === undefined && actual === undefined
      ? ''
      : `\n${Mocha.reporters.Base.generateDiff(text(actual), text(expected))}`;
  return `${error.stack ?? error.message}${values}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));
}
