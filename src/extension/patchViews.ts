import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import type { RevertedFiles } from '../core/session/sessionOptions.ts';
import type { ThreadState } from '../protocol/thread.ts';
import type { DiffPreview } from '../vscode/proposals/proposalTabs.ts';
import type { Threads } from '../vscode/threads.ts';
import type { UndoPatch, UndoReport } from '../vscode/undo/undoPatch.ts';
import { leftAloneInWords } from '../vscode/ui/workspacePaths.ts';

/** Patches in editors: what is proposed, what has landed, and taking it back. */
export class PatchViews implements Disposable {
  readonly #threads: Threads;
  readonly #preview: DiffPreview;
  readonly #undo: UndoPatch;
  readonly #store = new DisposableStore();
  /** Undone by name already; the thread is only to be told. */
  #undone: { readonly turnId: string; readonly files: RevertedFiles } | undefined;

  constructor(parts: { readonly threads: Threads; readonly preview: DiffPreview; readonly undo: UndoPatch }) {
    this.#threads = parts.threads;
    this.#preview = parts.preview;
    this.#undo = parts.undo;
    this.#store.add(
      // Of every thread: the diff of one that is not shown may still be open.
      parts.threads.onEvent(({ event: { msg } }) => {
        if (msg.type === 'approval_resolved') void this.#preview.close(msg.approvalId, msg.by !== 'turn_ended');
      }),
    );
  }

  /** The proposal of one approval, or of the one that waits. */
  async openProposal(approvalId: string | undefined): Promise<void> {
    const waiting = this.#threads.state?.approvals.find(({ kind }) => kind === 'patch')?.approvalId;
    const id = approvalId ?? waiting;
    if (id !== undefined) await this.#preview.show(id, { focus: true });
  }

  /** `id` is an approval, the item of a patch or a turn: what waits is shown as a proposal, what has landed as a diff. */
  async open(id: string, file: string | undefined): Promise<void> {
    const { state } = this.#threads;
    const waiting = state?.approvals.find(({ approvalId, itemId }) => approvalId === id || itemId === id);
    if (waiting) {
      await this.#preview.show(waiting.approvalId, { focus: true }, file);
      return;
    }
    const diff = state ? landedDiff(state, id) : undefined;
    if (diff === undefined) return;
    const document = await vscode.workspace.openTextDocument({ content: diff, language: 'diff' });
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Of the turn, or of the patch that landed last. A turn none of whose patches stands any more is shown as undone. */
  async undo(id: string | undefined): Promise<void> {
    const { latest } = this.#undo;
    const wanted = id ?? latest?.itemId;
    if (wanted === undefined || !this.#undo.canUndo(wanted)) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no patch of this window to undo.'));
      return;
    }
    const files = await this.#takeBack(wanted);
    const turnId = id ?? latest?.turnId;
    if (turnId === undefined || this.#undo.canUndo(turnId)) return;
    this.#undone = { turnId, files };
    await this.#threads.submit({ type: 'undo', turnId });
  }

  /** What the thread does when it is told to undo a turn. Says what happened; never rejects. */
  async takeBack(turnId: string): Promise<RevertedFiles> {
    const undone = this.#undone;
    this.#undone = undefined;
    return undone?.turnId === turnId ? undone.files : this.#takeBack(turnId);
  }

  async #takeBack(id: string): Promise<RevertedFiles> {
    const report = await this.#undo.undo(id);
    tell(report);
    return { paths: report.restored, skipped: report.leftAlone };
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** The diff of an item or of a whole turn. */
function landedDiff(state: ThreadState, id: string): string | undefined {
  const turn = state.turns.find((known) => known.id === id);
  if (turn) return turn.diff;
  const item = state.turns.flatMap(({ items }) => items).find((known) => known.id === id);
  return item?.type === 'file_change' ? item.diff : undefined;
}

function tell({ restored, leftAlone }: UndoReport): void {
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
