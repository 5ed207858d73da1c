import * as vscode from 'vscode';
import { countHunks, isTouched, type ReviewedFile, type ReviewState } from '../../protocol/review.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { AFTER_SCHEME, approvalOf } from './proposalAddress.ts';
import type { OpenProposal, Proposals } from './proposals.ts';
import { isWhole } from './proposedText.ts';

/** The command that rejects or restores a hunk of a proposal: the URI of the right side, and the hunk's index. */
const TOGGLE = 'tiller.toggleHunk';
/** The command that asks why a hunk is rejected: the same arguments. */
const EXPLAIN = 'tiller.rejectHunkWithReason';

/** Characters of a reason in a lens. */
const SHOWN_REASON = 60;

/** Code lenses for each hunk of a proposal, and for the answer to all of it. */
export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #proposals: Proposals;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
    this.#registration = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider({ scheme: AFTER_SCHEME }, this),
      proposals.onDidChange(() => this.#changed.fire()),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const open = this.#proposals.find(document.uri);
    const approvalId = approvalOf(document.uri);
    if (open === undefined || approvalId === undefined) return [];
    const lastLine = document.lineCount - 1;
    const at = (line: number, title: string, command: string, ...more: unknown[]) =>
      new vscode.CodeLens(new vscode.Range(Math.min(line, lastLine), 0, Math.min(line, lastLine), 0), {
        title,
        command,
        arguments: [document.uri, ...more],
      });
    const { files } = this.#proposals.stateOf(approvalId);
    const takesReasons = this.#proposals.takesReasons(approvalId);
    // In one of several files "Approve" would seem to be about that file only: there it is in the editor's title.
    const lenses = files.length > 1 ? [] : answers(files).map(({ title, command }) => at(0, title, command));
    const file = files.find(({ path }) => path === open.file.name);
    const isFileOut = file?.isOut ?? false;
    const ofFile = [at(0, isFileOut ? restoreFile() : rejectFile(), TOGGLE, null)];
    if (isFileOut && takesReasons) ofFile.push(at(0, why(file, null), EXPLAIN, null));
    if (isWhole(open.file) || (isFileOut && open.file.hunks.length === 0)) return [...lenses, ...ofFile];
    if (files.length > 1) lenses.push(...ofFile);
    return [...lenses, ...this.#ofHunks(open, file, takesReasons, at)];
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  #ofHunks(
    { after, file: proposed }: OpenProposal,
    file: ReviewedFile | undefined,
    takesReasons: boolean,
    at: (line: number, title: string, command: string, ...more: unknown[]) => vscode.CodeLens,
  ): vscode.CodeLens[] {
    const reject = `$(discard) ${vscode.l10n.t('Reject')}`;
    const restore = `$(redo) ${vscode.l10n.t('Restore')}`;
    return this.#proposals.placesIn(after).flatMap(({ state, start }, index) => {
      if (state === 'out') {
        if (proposed.hunks[index]?.isConflict === true) {
          const take = vscode.l10n.t('Conflict: Take the Lines of the Side Copy');
          return [at(start, `$(warning) ${take}`, TOGGLE, index, 'in')];
        }
        const restoring = at(start, `${restore} ${vscode.l10n.t('(rejected)')}`, TOGGLE, index, 'in');
        return takesReasons ? [restoring, at(start, why(file, index), EXPLAIN, index)] : [restoring];
      }
      const out = at(start, reject, TOGGLE, index, 'out');
      return state === 'in' ? [out] : [out, at(start, `${restore} ${vscode.l10n.t('(edited)')}`, TOGGLE, index, 'in')];
    });
  }
}

/** The reason that the user has given, else the offer to give one. */
function why(file: ReviewedFile | undefined, hunk: number | null): string {
  const reason = file?.reasons.find((each) => each.hunk === hunk)?.text;
  if (reason === undefined) return `$(comment) ${vscode.l10n.t('Add Reason…')}`;
  return `$(comment) “${withoutIcons(inOneLine(reason, SHOWN_REASON))}”`;
}

function answers(files: ReviewState['files']): readonly { readonly title: string; readonly command: string }[] {
  const { taken, total } = countHunks(files);
  const deny = { title: `$(close) ${vscode.l10n.t('Deny…')}`, command: 'tiller.deny' };
  if (taken === 0) return [deny];
  return [{ title: `$(check) ${approveLabel(taken, total, files.some(isTouched))}`, command: 'tiller.approve' }, deny];
}

/** The label of the approve action; it names the number of hunks when some are left out. */
export function approveLabel(taken: number, total: number, touched: boolean): string {
  if (!touched) return vscode.l10n.t('Approve');
  if (taken === total) return vscode.l10n.t('Approve as Edited');
  return vscode.l10n.t('Approve {0} of {1} Hunks', taken, total);
}

function rejectFile(): string {
  return `$(discard) ${vscode.l10n.t('Reject File')}`;
}

function restoreFile(): string {
  return `$(redo) ${vscode.l10n.t('Restore File')}`;
}
