/**
 * Lists of agents, skills, hooks and MCP servers of files and settings, and the decision about a proposal of a file.
 */
import * as vscode from 'vscode';
import type { TrustDecision } from '../../core/trust/trust.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { withoutIcons } from './escapeUiText.ts';

/** A row that does something when it is selected. */
export interface ListItem extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

/** An icon of VS Code, and a word for the state. */
export interface StateLabel {
  readonly icon: string;
  readonly word: string;
}

/** One thing in the list. Its texts may come from a file. */
export interface Listed extends StateLabel {
  readonly name: string;
  /** The path of its file. */
  readonly source?: string | undefined;
  readonly detail: string;
  readonly run: () => unknown;
}

export interface ListTexts {
  readonly title: string;
  readonly placeHolder: string;
}

/** A thing about which the user may decide, because a file of others proposes it. */
export interface Proposal {
  readonly state: 'used' | 'proposed' | 'refused';
  readonly approve: {
    /** With an icon; by default "Approve…". */
    readonly label?: string;
    readonly detail?: string;
    /** Shows all facts that the approval covers, and keeps the answer. */
    readonly run: () => unknown;
  };
  /** Keeps a decision. */
  readonly decide: (decision: TrustDecision) => unknown;
}

/** In characters, of one row. */
const MAX_DETAIL = 300;

/** Shows the rows until one is selected, and runs its action. */
export async function showList(items: readonly ListItem[], { title, placeHolder }: ListTexts): Promise<void> {
  const options = { title, placeHolder: withoutIcons(inOneLine(placeHolder, 200)) };
  const chosen = await vscode.window.showQuickPick(items, {
    ...options,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run?.();
}

/** A row with icons only where Tiller puts them; texts are cut to one line. */
export function listItem({ icon, name, word, source, detail, run }: Listed): ListItem {
  const sourceName = source === undefined ? [] : [vscode.workspace.asRelativePath(source)];
  return {
    label: `$(${icon}) ${withoutIcons(inOneLine(name, 100))}`,
    description: withoutIcons(inOneLine([word, ...sourceName].join(' · '), MAX_DETAIL)),
    detail: withoutIcons(inOneLine(detail, MAX_DETAIL)),
    run,
  };
}

/** Returns the row of a problem; it opens the file where `source` is one. */
export function problemItem(message: string, source?: string): ListItem {
  const text = withoutIcons(inOneLine(message, MAX_DETAIL));
  if (source === undefined) return { label: `$(error) ${text}` };
  const label = `$(error) ${withoutIcons(inOneLine(vscode.workspace.asRelativePath(source), 200))}`;
  // Some are about a whole folder.
  return source.endsWith('.md') ? { label, detail: text, run: () => openFile(source) } : { label, detail: text };
}

/** The icon and label of an unused entry of a file. */
export function unusedStateLabel(state: 'proposed' | 'refused' | 'shadowed'): StateLabel {
  switch (state) {
    case 'proposed':
      return { icon: 'question', word: vscode.l10n.t('Proposed, not used') };
    case 'refused':
      return { icon: 'circle-slash', word: vscode.l10n.t('Refused') };
    case 'shadowed':
      return { icon: 'circle-slash', word: vscode.l10n.t('Another file has this name') };
  }
}

/** Returns the rows of the decisions that the user can make about it now. */
export function decisionItems({ state, approve, decide }: Proposal): readonly ListItem[] {
  if (state === 'used') {
    return [
      {
        label: vscode.l10n.t('$(discard) Remove Approval'),
        detail: vscode.l10n.t('It is a proposal again, and is not used.'),
        run: () => decide('open'),
      },
    ];
  }
  const { label = vscode.l10n.t('$(check) Approve…'), detail, run } = approve;
  const refuse = { label: vscode.l10n.t('$(circle-slash) Refuse'), run: () => decide('refused') };
  return [{ label, run, ...(detail === undefined ? {} : { detail }) }, ...(state === 'proposed' ? [refuse] : [])];
}

/** The row that opens the file of a proposal. `file`: an absolute path. */
export function openItem(file: string): ListItem {
  return { label: vscode.l10n.t('$(go-to-file) Open File'), run: () => openFile(file) };
}

/** Opens the settings at one of Tiller's. */
export function settingItem(setting: string): ListItem {
  return {
    label: vscode.l10n.t('$(gear) Edit the Setting…'),
    run: () => vscode.commands.executeCommand('workbench.action.openSettings', setting),
  };
}

async function openFile(file: string): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}
