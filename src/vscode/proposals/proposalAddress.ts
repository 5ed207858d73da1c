/** Each side of a proposed change has a URI scheme of its own. */
import * as vscode from 'vscode';

/** The text before: read-only. */
export const BEFORE_SCHEME = 'tiller-proposal';
/** The text after: a file system, so that it can be edited hunk by hunk (review-ui.md §1). */
export const AFTER_SCHEME = 'tiller-edit';

export type ProposalSide = 'before' | 'after';

/** Keeps the real path: VS Code takes tab title, icon, language and tooltip from it. */
export function proposalUri(approvalId: string, side: ProposalSide, path: string): vscode.Uri {
  const query = new URLSearchParams({ approval: approvalId, side }).toString();
  return vscode.Uri.file(path).with({ scheme: side === 'before' ? BEFORE_SCHEME : AFTER_SCHEME, query });
}

/** The approval that a title button or a tab belongs to; `undefined` for other URIs. */
export function approvalOf(uri: vscode.Uri | undefined): string | undefined {
  if (uri?.scheme !== BEFORE_SCHEME && uri?.scheme !== AFTER_SCHEME) return undefined;
  return new URLSearchParams(uri.query).get('approval') ?? undefined;
}
