/** Contents that Tiller keeps of files, as read-only documents: both sides of the diffs of turns, commands and undos. */
import * as vscode from 'vscode';
import type { BaselineStore } from '../../core/ports.ts';
import { decodeText } from '../../core/util/textBytes.ts';

const SCHEME = 'tiller-kept';

/** One file of a diff: names of kept contents, `null` where there is no file. */
export interface KeptDiff {
  /** Absolute. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Call once. Dispose the result. */
export function provideKeptDocuments(store: Pick<BaselineStore, 'read'>): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent({ query }) {
      if (query === '') return '';
      const bytes = await store.read(query);
      if (bytes === undefined) return vscode.l10n.t('This content is no longer kept.');
      return decodeText(bytes)?.text ?? vscode.l10n.t('This file is not text.');
    },
  });
}

/** Files in one diff editor, which creates documents for all of them. */
const MOST_SHOWN = 300;

/** Opens the files in one diff editor; of very many the first ones. */
export async function showKeptDiffs(title: string, files: readonly KeptDiff[]): Promise<void> {
  const more = files.length - MOST_SHOWN;
  const whole = more > 0 ? vscode.l10n.t('{0} (without {1} more files)', title, more) : title;
  const resources = files
    .slice(0, MOST_SHOWN)
    .map(({ path, before, after }) => [
      vscode.Uri.file(path),
      before === null ? undefined : keptUri(path, before),
      after === null ? undefined : keptUri(path, after),
    ]);
  await vscode.commands.executeCommand('vscode.changes', whole, resources);
}

/** Keeps the real path: VS Code takes name, icon and language from it. */
function keptUri(path: string, hash: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: SCHEME, query: hash });
}
