import * as vscode from 'vscode';
import { plainTerminalText } from '../../protocol/text/terminalText.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';

export const OUTPUT_SCHEME = 'tiller-output';

/** Characters of a command in the name of a tab. */
const TAB_LENGTH = 40;

/**
 * The output of commands as read-only documents that can be searched and never ask to be saved. Colours and overwritten
 * text of progress bars are removed, as an editor would show the control codes.
 */
export class OutputDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #store = new DisposableStore();
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#store.add(this.#changed);
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(OUTPUT_SCHEME, this));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())));
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  /** The complete output where it was stored, else what is known of it. Opening it again adds the newer output. */
  async open(itemId: string, state: ThreadState | null): Promise<void> {
    const item = state?.turns.flatMap((turn) => turn.items).find(({ id }) => id === itemId);
    if (item?.type !== 'command_execution') return;
    const since = state?.processes.find((process) => process.itemId === itemId)?.output ?? '';
    const text = plainTerminalText((await logOf(item.logPath)) ?? item.output + since);
    const uri = addressOf(itemId, item.command);
    const isShown = this.#texts.has(uri.toString());
    this.#texts.set(uri.toString(), text);
    if (isShown) this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.#store.dispose();
    this.#texts.clear();
  }
}

/** The tab's name is the part after the last slash. */
function addressOf(itemId: string, command: string): vscode.Uri {
  const name = vscode.l10n.t('Output of {0}', inOneLine(command, TAB_LENGTH)).replaceAll('/', '∕');
  return vscode.Uri.from({ scheme: OUTPUT_SCHEME, path: `/${name}`, query: itemId });
}

/** Old logs are deleted, so the file may be missing. */
async function logOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(path)));
  } catch {
    return undefined;
  }
}
