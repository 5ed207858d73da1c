import * as vscode from 'vscode';
import { Emitter } from '../../core/util/emitter.ts';
import { leftAloneInWords } from '../ui/workspacePaths.ts';
import type { UndoPatch, UndoReport } from './undoPatch.ts';

/** The result of "Undo Patch". */
export interface UndonePatch {
  /** The id of the patch, or of the turn. */
  readonly id: string;
  /** Absolute paths; others of the patch may have been left alone. */
  readonly restored: readonly string[];
}

/** "Tiller: Undo Patch". */
export class UndoCommand {
  readonly #undo: UndoPatch;
  readonly #undone: Emitter<UndonePatch>;

  constructor(undo: UndoPatch, report: (error: unknown) => void) {
    this.#undo = undo;
    this.#undone = new Emitter(report);
  }

  /** Fires where at least one file was restored. */
  get onUndone(): Emitter<UndonePatch>['event'] {
    return this.#undone.event;
  }

  /** Undoes the patches of a turn, one patch, or the last applied patch, and shows the user the result. */
  async undo(id: string | undefined): Promise<void> {
    const wanted = id ?? this.#undo.latest?.itemId;
    if (wanted === undefined || !this.#undo.canUndo(wanted)) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no patch to undo in this window.'));
      return;
    }
    const report = await this.#undo.undo(wanted);
    if (report.restored.length > 0) this.#undone.fire({ id: wanted, restored: report.restored });
    showReport(report);
  }

  /** Call when the turn was undone by other means. */
  forget(turnId: string): void {
    this.#undo.forget(turnId);
  }
}

function showReport({ restored, leftAlone }: UndoReport): void {
  if (leftAlone.length === 0) {
    const count = restored.length;
    const sentence =
      count === 1 ? vscode.l10n.t('Changes undone in 1 file.') : vscode.l10n.t('Changes undone in {0} files.', count);
    void vscode.window.showInformationMessage(sentence);
    return;
  }
  void vscode.window.showWarningMessage(
    vscode.l10n.t('Files restored: {0}. Skipped: {1}', restored.length, leftAloneInWords(leftAlone)),
  );
}
