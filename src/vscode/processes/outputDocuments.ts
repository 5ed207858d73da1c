import * as vscode from 'vscode';
import { plainTerminalText } from '../../protocol/text/terminalText.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { ReadOnlyTexts } from '../ui/readOnlyTexts.ts';

/** Characters of a command in the name of a tab. */
const TAB_LENGTH = 40;

/**
 * The output of commands as documents that can be searched. Colours and overwritten text of progress bars are removed, as
 * an editor would show the control codes.
 */
export class OutputDocuments implements Disposable {
  readonly #texts = new ReadOnlyTexts('tiller-output');

  /** The complete output where it was stored, else the known part. Opening it again adds the newer output. */
  async open(itemId: string, state: ThreadState | null): Promise<void> {
    const item = state?.turns.flatMap((turn) => turn.items).find(({ id }) => id === itemId);
    if (item?.type !== 'command_execution') return;
    const since = state?.processes.find((process) => process.itemId === itemId)?.output ?? '';
    const text = plainTerminalText((await logOf(item.logPath)) ?? item.output + since);
    const name = vscode.l10n.t('Output of {0}', inOneLine(item.command, TAB_LENGTH));
    await vscode.window.showTextDocument(await this.#texts.open(itemId, name, text), { preview: true });
  }

  dispose(): void {
    this.#texts.dispose();
  }
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
