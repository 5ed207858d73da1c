/** Records the output of VS Code's terminals, by its shell integration. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { plainTerminalText } from '../../protocol/text/terminalText.ts';
import { contextKey } from '../ui/contextKey.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';

/** Characters that are kept of one command, its last ones, and commands of one terminal, the last ones. */
const MAX_CHARACTERS = 32 * 1024;
const MAX_COMMANDS = 5;

interface Recorded {
  readonly command: string;
  /** `undefined` where the shell does not report it. */
  readonly cwd: string | undefined;
  output: string;
  /** `undefined` while it runs. Not every shell reports the exit code. */
  end: { readonly exitCode: number | undefined } | undefined;
}

/** A command that ended with another exit code than 0. */
export interface FailedCommand extends PrintedText {
  readonly command: string;
}

/** Commands with their output and exit codes, for the model, once secrets are redacted in it. */
export interface PrintedText {
  readonly text: string;
  /** The working directories of the commands. */
  readonly cwds: readonly string[];
}

/** A terminal with output. Several may have one name; the id is new in each window. */
export interface RecordedTerminal {
  readonly id: string;
  readonly name: string;
}

/**
 * Records the commands that the user runs in terminals from now on. VS Code cannot return earlier output, nor the
 * output of a shell without its integration.
 */
export class TerminalOutput implements Disposable {
  readonly #store = new DisposableStore();
  readonly #setHasFailed = contextKey<boolean>('tiller.hasFailedCommand');
  readonly #recorded = new Map<vscode.Terminal, { readonly id: string; readonly commands: readonly Recorded[] }>();
  readonly #byExecution = new WeakMap<vscode.TerminalShellExecution, Recorded>();

  constructor() {
    this.#store.add(
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        const command: Recorded = {
          command: execution.commandLine.value,
          cwd: terminal.shellIntegration?.cwd?.fsPath,
          output: '',
          end: undefined,
        };
        const { id = randomUUID(), commands = [] } = this.#recorded.get(terminal) ?? {};
        this.#recorded.set(terminal, { id, commands: [...commands, command].slice(-MAX_COMMANDS) });
        this.#byExecution.set(execution, command);
        void this.#read(execution, command);
      }),
    );
    this.#store.add(
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        const command = this.#byExecution.get(execution);
        if (command === undefined) return;
        command.end = { exitCode };
        this.#setHasFailed(this.lastFailed !== undefined);
      }),
    );
    this.#store.add(
      vscode.window.onDidCloseTerminal((terminal) => {
        this.#recorded.delete(terminal);
        this.#setHasFailed(this.lastFailed !== undefined);
      }),
    );
  }

  /** The terminals with output, the active one first. */
  get terminals(): readonly RecordedTerminal[] {
    const all = [...this.#recorded].toReversed();
    const sorted = all.toSorted(([one], [other]) => Number(isActive(other)) - Number(isActive(one)));
    return sorted.map(([{ name }, { id }]) => ({ id, name }));
  }

  /** Returns `undefined` for a terminal that is closed. */
  textOf(id: string): PrintedText | undefined {
    const commands = [...this.#recorded.values()].find((terminal) => terminal.id === id)?.commands;
    return commands && printedBy(commands);
  }

  /** The last command that has failed: in the active terminal, else in any. */
  get lastFailed(): FailedCommand | undefined {
    const active = [...this.#recorded].filter(([terminal]) => isActive(terminal));
    return lastFailedIn(active) ?? lastFailedIn([...this.#recorded]);
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #read(execution: vscode.TerminalShellExecution, into: Recorded): Promise<void> {
    for await (const data of execution.read()) into.output = (into.output + data).slice(-MAX_CHARACTERS);
  }
}

function printedBy(commands: readonly Recorded[]): PrintedText {
  return { text: commands.map(textOfCommand).join('\n'), cwds: commands.flatMap(({ cwd }) => cwd ?? []) };
}

function textOfCommand(recorded: Recorded): string {
  const { command, output, end } = recorded;
  const note = end === undefined ? '\n(running)' : hasFailed(recorded) ? `\n(exit code ${end.exitCode})` : '';
  return `$ ${command}\n${plainTerminalText(output).trimEnd()}${note}`;
}

function hasFailed({ end }: Recorded): boolean {
  return end?.exitCode !== undefined && end.exitCode !== 0;
}

function lastFailedIn(
  terminals: readonly (readonly [vscode.Terminal, { readonly commands: readonly Recorded[] }])[],
): FailedCommand | undefined {
  const all = terminals.flatMap(([, { commands }]) => commands);
  const failed = all.findLast(hasFailed);
  return failed && { command: failed.command, ...printedBy([failed]) };
}

function isActive(terminal: vscode.Terminal): boolean {
  return terminal === vscode.window.activeTerminal;
}
