import * as vscode from 'vscode';
import type { TurnSettings } from '../../protocol/event.ts';
import type { Settings } from '../../protocol/settings.ts';
import { issueReport } from './issueReport.ts';

export interface ReportIssueDeps {
  readonly version: string;
  /** From package.json. */
  readonly issuesUrl: string;
  readonly settings: () => Settings;
  readonly current: () => TurnSettings;
  /** The last lines of the log. */
  readonly logTail: () => readonly string[];
  readonly redact: (text: string) => string;
}

/**
 * "Tiller: Report Issue": opens the report as a document that the user can read and edit, and copies it from there only
 * when the user confirms. Tiller sends nothing.
 */
export async function reportIssue(deps: ReportIssueDeps): Promise<void> {
  const { settings, logTail, redact, issuesUrl } = deps;
  const content = issueReport({ environment: environmentOf(deps), settings: settings(), log: logTail() }, redact);
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document, { preview: false });
  const copy = vscode.l10n.t('Copy and Open Issues');
  const question = vscode.l10n.t(
    'Read the report and remove what you do not want to publish. “{0}” takes the text as it stands in the editor then.',
    copy,
  );
  if ((await vscode.window.showInformationMessage(question, copy)) !== copy) return;
  await vscode.env.clipboard.writeText(document.getText());
  await vscode.env.openExternal(vscode.Uri.parse(issuesUrl));
}

function environmentOf({ version, current }: ReportIssueDeps): readonly (readonly [string, string])[] {
  const { workspaceFolders: folders = [], isTrusted } = vscode.workspace;
  const { box, noSandboxCause, approvalPolicy, sandboxPolicy } = current();
  const remote = vscode.env.remoteName === undefined ? '' : `, remote: ${vscode.env.remoteName.split(':')[0]}`;
  return [
    ['Tiller', version],
    ['VS Code', `${vscode.version} (${vscode.env.appName}${remote})`],
    ['System', `${process.platform} ${process.arch}, Node ${process.versions.node}`],
    ['Sandbox', `${sandboxPolicy.type}, ${box}${noSandboxCause === undefined ? '' : `: ${noSandboxCause}`}`],
    ['Approval policy', approvalPolicy],
    ['Workspace', `folders: ${folders.length}, trusted: ${isTrusted ? 'yes' : 'no'}`],
  ];
}
