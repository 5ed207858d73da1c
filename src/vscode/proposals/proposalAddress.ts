/** Both sides of proposed changes have addresses of their own. */
import * as vscode from 'vscode';

/** What is: never to be written to. */
export const BEFORE_SCHEME = 'tiller-proposal';
/** What would land: a file system, so that it can be edited, hunk by hunk (review-ui.md §1). */
export const AFTER_SCHEME = 'tiller-edit';

export type ProposalSide = 'before' | 'after';

/** The path stays the real one: tab, icon, language and tooltip come from it. */
export function proposalUri(approvalId: string, side: ProposalSide, path: string): vscode.Uri {
  const query = new URLSearchParams({ approval: approvalId, side }).toString();
  return vscode.Uri.file(path).with({ scheme: side === 'before' ? BEFORE_SCHEME : AFTER_SCHEME, query });
}

/** The approval a title button or a tab speaks of; `undefined` for anything that is not ours. */
export function approvalOf(uri: vscode.Uri | undefined): string | undefined {
  if (uri?.scheme !== BEFORE_SCHEME && uri?.scheme !== AFTER_SCHEME) return undefined;
  return new URLSearchParams(uri.query).get('approval') ?? undefined;
}
