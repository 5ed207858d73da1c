import * as vscode from 'vscode';
import {
  CopyRefused,
  type MadeCopy,
  type MakeOptions,
  type SideCopy,
  type SideCopyStore,
} from '../../core/sideCopies/sideCopy.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { offerFolder, offerTrust } from '../ui/neededPlace.ts';
import { shownPath } from '../ui/workspacePaths.ts';
import { unsavedTexts } from './unsavedTexts.ts';

/** Paths in one message. */
const MOST_NAMED = 5;

/** The folders of which a side copy can be made; empty in Restricted Mode. */
export function localRoots(): readonly string[] {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** Shows the reason where there are none. */
export function offerRoots(): void {
  if (!vscode.workspace.isTrusted) offerTrust(vscode.l10n.t('Side copies are not available in Restricted Mode.'));
  else offerFolder(vscode.l10n.t('Open a folder on this machine first: a side copy is made of it.'));
}

/**
 * Makes a side copy of these folders with a progress notification, and reports what is not in it. `undefined` when the
 * user cancels, or after a message.
 */
export async function makeSideCopy(
  roots: readonly string[],
  { store, links }: { readonly store: Pick<SideCopyStore, 'make'>; readonly links: () => readonly string[] },
): Promise<SideCopy | undefined> {
  const unsaved = await unsavedTexts();
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Making a side copy'),
    cancellable: true,
  };
  const made = await vscode.window.withProgress(options, async (progress, token) => {
    const cancel = new AbortController();
    token.onCancellationRequested(() => cancel.abort());
    const given: MakeOptions = {
      roots,
      links: links(),
      unsaved,
      signal: cancel.signal,
      progress: (done, total) => progress.report({ message: vscode.l10n.t('{0} of {1} files', done, total) }),
    };
    return store.make(given).catch((error: unknown) => {
      if (cancel.signal.aborted) return undefined;
      if (!(error instanceof CopyRefused)) throw error;
      void vscode.window.showErrorMessage(withoutLinks(error.message));
      return undefined;
    });
  });
  if (made !== undefined) tellLeftOut(made);
  return made?.copy;
}

/** Reports files that could not be read, and repositories that are plain files in the copy. */
function tellLeftOut({ skipped, repositories }: MadeCopy): void {
  if (skipped.length > 0) {
    const names = skipped.slice(0, MOST_NAMED).map(shownPath).join(', ');
    const sentence =
      skipped.length === 1
        ? vscode.l10n.t('1 file could not be read and is not in the side copy: {0}', names)
        : vscode.l10n.t('{0} files could not be read and are not in the side copy: {1}', skipped.length, names);
    void vscode.window.showWarningMessage(withoutLinks(sentence));
  }
  if (repositories.length > 0) {
    const names = repositories.slice(0, MOST_NAMED).map(shownPath).join(', ');
    const sentence = vscode.l10n.t(
      'In the side copy these folders are plain files, without their git repository (submodules, for example): {0}',
      names,
    );
    void vscode.window.showInformationMessage(withoutLinks(sentence));
  }
}
