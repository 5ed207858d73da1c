import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { plainTerminalText } from '../../protocol/text/terminalText.ts';
import { type ProcessState, runningInBackground, type ThreadState } from '../../protocol/thread.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import { ProcessTerminals } from './processTerminals.ts';

/** Characters of a command in a list, where its age follows. */
const MAX_LABEL = 50;

interface Running {
  readonly state: ThreadState;
  readonly process: ProcessState;
}

interface ProcessPick extends vscode.QuickPickItem {
  readonly running: Running;
}

/**
 * The background processes of all threads of this window: counted in the status bar, listed by a command, shown in
 * terminals.
 */
export class BackgroundProcesses implements Disposable {
  readonly #threads: ShownThread;
  readonly #openOutput: (itemId: string, state: ThreadState) => Promise<void>;
  readonly #item: vscode.StatusBarItem;
  readonly #terminals: ProcessTerminals;
  readonly #store = new DisposableStore();
  /** The text in the status bar. */
  #shown = '';

  constructor(threads: ShownThread, openOutput: (itemId: string, state: ThreadState) => Promise<void>) {
    this.#threads = threads;
    this.#openOutput = openOutput;
    this.#terminals = this.#store.add(new ProcessTerminals(threads));
    this.#item = this.#store.add(
      vscode.window.createStatusBarItem('tiller.processes', vscode.StatusBarAlignment.Right, 99),
    );
    this.#item.name = vscode.l10n.t('Tiller: Background Processes');
    this.#item.command = 'tiller.backgroundProcesses';
    this.#store.add(
      threads.onEvent(({ event: { msg } }) => {
        if (msg.type !== 'item_delta' && msg.type !== 'process_output') this.#count();
      }),
    );
    // A thread that leaves this window takes its processes with it, without an event for each.
    this.#store.add(threads.onActivity(() => this.#count()));
  }

  /** Lists the processes with their actions. */
  async pick(): Promise<void> {
    const running = this.#running();
    if (running.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There are no background processes.'));
      return;
    }
    const picked = await choose(running);
    if (!picked) return;
    const { state, process } = picked.running;
    switch (picked.action) {
      case 'terminal':
        return this.#terminals.show(state, process);
      case 'output':
        return this.#openOutput(process.itemId, state);
      case 'kill':
        return this.#threads.submitTo(state.threadId, { type: 'kill_process', processId: process.processId });
    }
  }

  /** Opens a terminal for a process of the shown thread. */
  openTerminal(processId: string): void {
    const { state } = this.#threads;
    const process = state?.processes.find((known) => known.processId === processId);
    if (state && process) this.#terminals.show(state, process);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #running(): readonly Running[] {
    return this.#threads.live.flatMap((state) => runningInBackground(state).map((process) => ({ state, process })));
  }

  #count(): void {
    const running = this.#running();
    const sentence =
      running.length === 1
        ? vscode.l10n.t('Tiller: 1 background process')
        : vscode.l10n.t('Tiller: {0} background processes', running.length);
    const commands = running.map(({ process }) => inOneLine(process.command, 2 * MAX_LABEL));
    const shown = running.length === 0 ? '' : [sentence, ...commands].join('\n');
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (shown === '') return this.#item.hide();
    this.#item.text = `$(server-process) ${running.length}`;
    this.#item.tooltip = shown;
    this.#item.accessibilityInformation = { label: sentence };
    this.#item.show();
  }
}

interface Choice {
  readonly running: Running;
  readonly action: 'terminal' | 'output' | 'kill';
}

function choose(running: readonly Running[]): Promise<Choice | undefined> {
  const output = { iconPath: new vscode.ThemeIcon('output'), tooltip: vscode.l10n.t('Open Full Output') };
  const kill = { iconPath: new vscode.ThemeIcon('close'), tooltip: vscode.l10n.t('Kill') };
  const pick = vscode.window.createQuickPick<ProcessPick>();
  pick.title = vscode.l10n.t('Background Processes');
  pick.placeholder = vscode.l10n.t('Select a background process to open it in a terminal');
  pick.matchOnDescription = true;
  pick.items = running.map((entry) => ({
    label: withoutIcons(inOneLine(entry.process.command, MAX_LABEL)),
    description: ageOf(entry.process),
    detail: withoutIcons(lastLine(entry.process.output)),
    iconPath: new vscode.ThemeIcon('server-process'),
    buttons: [output, kill],
    running: entry,
  }));
  return new Promise((resolve) => {
    const settle = (choice: Choice | undefined) => {
      resolve(choice);
      pick.hide();
    };
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      settle(chosen && { running: chosen.running, action: 'terminal' });
    });
    pick.onDidTriggerItemButton(({ item, button }) =>
      settle({ running: item.running, action: button === kill ? 'kill' : 'output' }),
    );
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

function ageOf({ startedAt }: ProcessState): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(startedAt)) / 1000));
  if (seconds < 60) return vscode.l10n.t('for {0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return vscode.l10n.t('for {0} min', minutes);
  return vscode.l10n.t('for {0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

/** Returns the last line without terminal control sequences. */
function lastLine(output: string): string {
  return plainTerminalText(output).trimEnd().split('\n').at(-1)?.slice(-200) ?? '';
}
