import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Event } from '../../protocol/event.ts';
import type { ProcessState, ThreadState } from '../../protocol/thread.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { TerminalMirror } from './terminalMirror.ts';

/** Characters of a terminal tab's name. */
const MAX_NAME = 40;

interface OpenMirror {
  readonly terminal: vscode.Terminal;
  readonly mirror: TerminalMirror;
  readonly threadId: string;
  readonly processId: string;
  readonly itemId: string;
}

/** One terminal for each process that the user has opened. */
export class ProcessTerminals implements Disposable {
  readonly #threads: ShownThread;
  readonly #store = new DisposableStore();
  #open: readonly OpenMirror[] = [];

  constructor(threads: ShownThread) {
    this.#threads = threads;
    this.#store.add(threads.onEvent(({ event }) => this.#take(event)));
  }

  /** Opens a terminal, or shows the existing one. */
  show(state: ThreadState, process: ProcessState): void {
    const { threadId } = state;
    const { processId, itemId } = process;
    const known = this.#open.find((open) => open.threadId === threadId && open.processId === processId);
    if (known) return known.terminal.show();
    const mirror = new TerminalMirror({
      tty: process.tty ?? false,
      printed: printedSoFar(state, process),
      type: (chars) => this.#threads.submitTo(threadId, { type: 'process_input', processId, chars }),
      resize: (columns, rows) => this.#threads.submitTo(threadId, { type: 'process_resize', processId, columns, rows }),
      onClosed: () => {
        this.#open = this.#open.filter((open) => open.mirror !== mirror);
      },
    });
    const terminal = vscode.window.createTerminal({
      name: vscode.l10n.t('Tiller: {0}', inOneLine(process.command, MAX_NAME)),
      pty: mirror,
      iconPath: new vscode.ThemeIcon('server-process'),
      isTransient: true,
    });
    this.#open = [...this.#open, { terminal, mirror, threadId, processId, itemId }];
    terminal.show();
  }

  dispose(): void {
    this.#store.dispose();
    for (const { terminal } of this.#open) terminal.dispose();
  }

  #take({ threadId, msg }: Event): void {
    for (const open of this.#open) {
      if (open.threadId !== threadId) continue;
      if (msg.type === 'process_output' && msg.processId === open.processId) open.mirror.show(msg.text);
      else if (msg.type === 'item_delta' && msg.kind === 'output' && msg.itemId === open.itemId)
        open.mirror.show(msg.text);
      else if (msg.type === 'process_exited' && msg.processId === open.processId) open.mirror.end(msg.exitCode);
    }
  }
}

/** The output until its call has returned is in the item, later output in the process. */
function printedSoFar(state: ThreadState, process: ProcessState): string {
  const items = state.turns.flatMap((turn) => turn.items);
  const item = items.findLast(({ id }) => id === process.itemId);
  return (item?.type === 'command_execution' ? item.output : '') + process.output;
}
