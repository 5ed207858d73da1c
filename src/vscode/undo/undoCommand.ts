import * as vscode from 'vscode';
import type { RevertedFiles } from '../../core/session/sessionOptions.ts';
import { leftAloneInWords } from '../ui/workspacePaths.ts';
import type { UndoPatch, UndoReport } from './undoPatch.ts';

/** "Tiller: Undo Patch", and what a thread's `undo` op does. */
export class UndoCommand {
  readonly #undo: UndoPatch;
  /** Already undone by `undo`; the op that follows reports these files and undoes nothing. */
  #undone: { readonly turnId: string; readonly files: RevertedFiles } | undefined;

  constructor(undo: UndoPatch) {
    this.#undo = undo;
  }

  /**
   * Undoes the patches of a turn, one patch, or the last applied patch, and tells the user how it went. Returns the turn
   * for which the caller submits `undo`: one that has no applied patch left. Undefined otherwise.
   */
  async undo(id: string | undefined): Promise<string | undefined> {
    const { latest } = this.#undo;
    const wanted = id ?? latest?.itemId;
    if (wanted === undefined || !this.#undo.canUndo(wanted)) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no patch of this window to undo.'));
      return undefined;
    }
    const files = await this.#revert(wanted);
    const turnId = id ?? latest?.turnId;
    if (turnId === undefined || this.#undo.canUndo(turnId)) return undefined;
    this.#undone = { turnId, files };
    return turnId;
  }

  /** Carries out a thread's `undo` op. Tells the user how it went; never rejects. */
  async undoTurn(turnId: string): Promise<RevertedFiles> {
    const undone = this.#undone;
    this.#undone = undefined;
    return undone?.turnId === turnId ? undone.files : this.#revert(turnId);
  }

  async #revert(id: string): Promise<RevertedFiles> {
    const report = await this.#undo.undo(id);
    showReport(report);
    return { paths: report.restored, skipped: report.leftAlone };
  }
}

function showReport({ restored, leftAlone }: UndoReport): void {
  if (leftAlone.length === 0) {
    const count = restored.length;
    const sentence =
      count === 1 ? vscode.l10n.t('Undid the patch in 1 file.') : vscode.l10n.t('Undid the patch in {0} files.', count);
    void vscode.window.showInformationMessage(sentence);
    return;
  }
  void vscode.window.showWarningMessage(
    vscode.l10n.t('Files restored: {0}. Left alone: {1}', restored.length, leftAloneInWords(leftAlone)),
  );
}
