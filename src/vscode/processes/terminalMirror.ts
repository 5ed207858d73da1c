import * as vscode from 'vscode';

const CONTROL_C = '\u0003';

export interface TerminalMirrorDeps {
  /** The process has a terminal and accepts input. */
  readonly tty: boolean;
  /** The output so far. */
  readonly printed: string;
  readonly type: (chars: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly onClosed: () => void;
}

/** Shows a running command in a VS Code terminal. Closing the terminal does not end the command. */
export class TerminalMirror implements vscode.Pseudoterminal {
  readonly #deps: TerminalMirrorDeps;
  readonly #writes = new vscode.EventEmitter<string>();
  readonly #closes = new vscode.EventEmitter<void>();
  /** Output from before the terminal was opened. */
  #held: string;
  #isOpen = false;
  #hasEnded = false;
  #hasAdvised = false;
  readonly onDidWrite = this.#writes.event;
  readonly onDidClose = this.#closes.event;

  constructor(deps: TerminalMirrorDeps) {
    this.#deps = deps;
    this.#held = deps.printed;
  }

  open(dimensions: vscode.TerminalDimensions | undefined): void {
    if (dimensions) this.setDimensions(dimensions);
    this.#isOpen = true;
    this.show(this.#held);
    this.#held = '';
  }

  close(): void {
    this.#deps.onClosed();
    this.#writes.dispose();
    this.#closes.dispose();
  }

  handleInput(data: string): void {
    if (this.#hasEnded) this.#closes.fire();
    else if (this.#deps.tty || data === CONTROL_C) this.#deps.type(data);
    else this.#advise();
  }

  /** A process with a terminal gets the size of the one that shows it. */
  setDimensions({ columns, rows }: vscode.TerminalDimensions): void {
    if (this.#deps.tty && !this.#hasEnded && columns > 0 && rows > 0) this.#deps.resize(columns, rows);
  }

  show(text: string): void {
    if (!this.#isOpen) this.#held += text;
    else if (text !== '') this.#writes.fire(asTerminalText(text));
  }

  /** The terminal stays open until a key is pressed. */
  end(exitCode: number | null): void {
    this.#hasEnded = true;
    const how =
      exitCode === null
        ? vscode.l10n.t('The command has ended. Press any key to close.')
        : vscode.l10n.t('The command has ended with exit code {0}. Press any key to close.', exitCode);
    this.show(`\n${how}\n`);
  }

  #advise(): void {
    if (this.#hasAdvised) return;
    this.#hasAdvised = true;
    this.show(`\n${vscode.l10n.t('This command has no terminal: only Ctrl+C works.')}\n`);
  }
}

/** A terminal needs both carriage return and line feed; programs without a terminal write only the line feed. */
function asTerminalText(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}
