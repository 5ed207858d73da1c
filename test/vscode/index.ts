// The entry of the extension host for tests: the same file for `npm run test:vscode`, `npm run test:electron` and F5.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { AFTER_SCHEME } from '../../src/vscode/proposals/proposalAddress.ts';
import { say } from './support/say.ts';

/** A line of the file that scripts/test/outcomes.mjs reads. */
interface Outcome {
  name: string;
  state: 'passed' | 'failed' | 'skipped';
  ms?: number;
  message?: string;
  isFinal?: boolean;
  isBeside?: boolean;
}

/** Rejects when a test failed. Each outcome is appended to the file that TILLER_TEST_OUTCOMES names, as the test ends. */
export async function run(): Promise<void> {
  // The suite is one bundle; this makes its stack traces name the sources.
  process.setSourceMapsEnabled(true);
  leaveInstalledExtensionAlone();
  // The explorer would be drawn again with every file of a test.
  await vscode.commands.executeCommand('workbench.action.closeSidebar');
  const { TILLER_TEST_OUTCOMES: file, TILLER_TEST_GREP: grep } = process.env;
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: 30_000,
    color: false,
    reporter: Mocha.reporters.Base,
    ...(grep ? { grep } : {}),
  });
  mocha.addFile(path.join(__dirname, 'tests.js'));
  mocha.rootHooks({
    afterAll() {
      // Throws where a test has left its object graph, or the installed extension has made its own.
      vscode.workspace.registerFileSystemProvider(AFTER_SCHEME, new EmptyFileSystem()).dispose();
    },
  });

  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on('pass', (test) => tell({ name: test.fullTitle(), state: 'passed', ms: test.duration ?? 0 }))
      .on('pending', (test) => tell({ name: test.fullTitle(), state: 'skipped' }))
      .on('fail', (test: Mocha.Test | Mocha.Hook, error) => {
        // A suite with `retries(0)` is never run again (scripts/testVscode.mjs sets retries for the others).
        const kind = test.type === 'hook' ? { isBeside: true } : test.retries() === 0 ? { isFinal: true } : {};
        tell({ name: test.fullTitle(), state: 'failed', message: wordsOf(error), ...kind });
      });
  });
  if (failures > 0) throw new Error(`${failures} failed`);

  function tell(outcome: Outcome): void {
    const attempt = Number(process.env['TILLER_TEST_ATTEMPT'] ?? 1);
    if (file) appendFileSync(file, `${JSON.stringify({ ...outcome, attempt })}\n`);
    const sign = { passed: '✓', failed: '✗', skipped: '-' }[outcome.state];
    say(`${sign} ${outcome.name}${outcome.ms === undefined ? '' : ` (${outcome.ms} ms)`}`);
    if (outcome.message) say(outcome.message);
  }
}

/**
 * A test that composes the extension has a second copy of it beside the installed one. Both would register the same file
 * systems, which VS Code refuses; so a command of Tiller that the copy executes does not reach the installed one.
 */
function leaveInstalledExtensionAlone(): void {
  const { executeCommand } = vscode.commands;
  Object.assign(vscode.commands, {
    executeCommand: async (command: string, ...rest: readonly unknown[]) =>
      command.startsWith('tiller.') ? undefined : executeCommand(command, ...rest),
  });
}

class EmptyFileSystem implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  readonly watch = () => ({ dispose() {} });
  readonly stat = refuse;
  readonly readDirectory = refuse;
  readonly createDirectory = refuse;
  readonly readFile = refuse;
  readonly writeFile = refuse;
  readonly delete = refuse;
  readonly rename = refuse;
}

function refuse(): never {
  throw vscode.FileSystemError.Unavailable();
}

/** Mocha passes on any thrown value. */
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
