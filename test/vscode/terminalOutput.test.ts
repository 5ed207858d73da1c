/** The record of commands in terminals. VS Code's shell integration is imitated. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { TerminalOutput } from '../../src/vscode/mentions/terminalOutput.ts';
import { until } from './support/editorPlace.ts';

type Started = vscode.TerminalShellExecutionStartEvent;
type Ended = vscode.TerminalShellExecutionEndEvent;

/** Runs a story with terminals whose commands the test starts and ends. */
async function withShells(story: (run: Run, output: TerminalOutput) => Promise<void>): Promise<void> {
  const { onDidStartTerminalShellExecution, onDidEndTerminalShellExecution } = vscode.window;
  const started = new vscode.EventEmitter<Started>();
  const ended = new vscode.EventEmitter<Ended>();
  let listeners = 0;
  const countedEnd: vscode.Event<Ended> = (...args) => {
    listeners++;
    return ended.event(...args);
  };
  Object.assign(vscode.window, {
    onDidStartTerminalShellExecution: started.event,
    onDidEndTerminalShellExecution: countedEnd,
  });
  const output = new TerminalOutput();
  const run: Run = async (terminal, command, printed, exitCode) => {
    async function* read() {
      yield printed;
    }
    const execution = { commandLine: { value: command }, read } as unknown as vscode.TerminalShellExecution;
    const [word = ''] = printed.split(' ');
    started.fire({ terminal, execution } as unknown as Started);
    await until(() => output.terminals.some(({ id }) => output.textOf(id)?.text.includes(word) === true), 20_000);
    ended.fire({ terminal, execution, exitCode } as unknown as Ended);
  };
  try {
    await story(run, output);
    assert.equal(listeners, 1, 'listeners for the ends of commands');
  } finally {
    output.dispose();
    Object.assign(vscode.window, { onDidStartTerminalShellExecution, onDidEndTerminalShellExecution });
  }
}

type Run = (terminal: vscode.Terminal, command: string, printed: string, exitCode: number) => Promise<void>;

suite('the last failed command of a terminal', () => {
  test('is the last one that ended with another code than 0, with its output', () =>
    withShells(async (run, output) => {
      const terminal = { name: 'bash', shellIntegration: { cwd: vscode.Uri.file('/work') } } as vscode.Terminal;
      await run(terminal, 'true', 'first fine', 0);
      const failed = () => output.lastFailed;
      assert.equal(failed(), undefined);
      await run(terminal, 'npm test', 'not \u001b[31mequal\u001b[0m', 1);
      await run(terminal, 'ls', 'second fine', 0);
      assert.deepEqual(failed(), {
        command: 'npm test',
        text: '$ npm test\nnot equal\n(exit code 1)',
        cwds: ['/work'],
      });
      await run(terminal, 'npm run lint', 'two faults', 2);
      assert.equal(failed()?.command, 'npm run lint');
    }));
});
