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

/** Call once. Dispose what it returns. */
export function provideKeptDocuments(store: Pick<BaselineStore, 'read'>): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent({ query }) {
      if (query === '') return '';
      const bytes = await store.read(query);
      if (bytes === undefined) return vscode.l10n.t('This content is not kept any more.');
      return decodeText(bytes)?.text ?? vscode.l10n.t('This file is not text.');
    },
  });
}

/** Opens all files in one diff editor. */
export async function showKeptDiffs(title: string, files: readonly KeptDiff[]): Promise<void> {
  const resources = files.map(({ path, before, after }) => [
    vscode.Uri.file(path),
    before === null ? undefined : keptUri(path, before),
    after === null ? undefined : keptUri(path, after),
  ]);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** Keeps the real path: VS Code takes name, icon and language from it. */
function keptUri(path: string, hash: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: SCHEME, query: hash });
}
