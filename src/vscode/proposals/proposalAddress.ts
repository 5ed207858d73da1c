/** Each side of a proposed change has a URI scheme of its own. */
import * as vscode from 'vscode';
import { uriOf } from '../workspace/places.ts';

/** The text before: read-only. */
export const BEFORE_SCHEME = 'tiller-proposal';
/** The text after: a file system, so that it can be edited hunk by hunk (review-ui.md §1). */
export const AFTER_SCHEME = 'tiller-edit';

export type ProposalSide = 'before' | 'after';

/**
 * Its path is the one in the workspace where the file is inside: VS Code takes tab title, icon, language, tooltip and
 * breadcrumbs from it, and shortens no path of another scheme than `file`. The query has the whole path, because folders
 * of a workspace may have the same name. `isCells`: the text is that of the cells of a notebook, which VS Code would read
 * as JSON under the name of the file.
 */
export function proposalUri(
  approvalId: string,
  side: ProposalSide,
  path: string,
  { isCells = false }: { readonly isCells?: boolean } = {},
): vscode.Uri {
  const file = vscode.Uri.file(path);
  const isInside = vscode.workspace.getWorkspaceFolder(file) !== undefined;
  return file.with({
    scheme: side === 'before' ? BEFORE_SCHEME : AFTER_SCHEME,
    path: (isInside ? `/${vscode.workspace.asRelativePath(file)}` : file.path) + (isCells ? '.cells' : ''),
    query: new URLSearchParams({ approval: approvalId, side, file: path }).toString(),
  });
}

/** The file that a side of a proposal is about; `undefined` for other URIs. */
export function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  const file = approvalOf(uri) === undefined ? null : new URLSearchParams(uri.query).get('file');
  return file === null ? undefined : uriOf(file);
}

/** The approval that a title button or a tab belongs to; `undefined` for other URIs. */
export function approvalOf(uri: vscode.Uri | undefined): string | undefined {
  if (uri?.scheme !== BEFORE_SCHEME && uri?.scheme !== AFTER_SCHEME) return undefined;
  return new URLSearchParams(uri.query).get('approval') ?? undefined;
}
