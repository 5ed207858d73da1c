import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { importAutoApprove } from '../../core/policy/importAutoApprove.ts';
import { importCodexRules } from '../../core/policy/importRules.ts';
import type { Rule } from '../../protocol/policy.ts';
import type { ImportedRules, RuleEdit, RuleEditResult } from '../../protocol/rules.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { reportImport } from '../ui/reportImport.ts';

interface SourceItem extends vscode.QuickPickItem {
  readonly read: () => Promise<ImportedRules | undefined>;
}

interface RuleItem extends vscode.QuickPickItem {
  readonly rule: Rule;
}

/**
 * Imports rules written for another tool. The user sees each rule and selects which to import; no permission is
 * loosened before that. @throws Error with a message for the user when a file cannot be read.
 */
export async function importRules(
  homeDirectory: string,
  edit: (edit: RuleEdit) => Promise<RuleEditResult>,
): Promise<void> {
  const source = await vscode.window.showQuickPick<SourceItem>(
    [
      {
        label: vscode.l10n.t("Codex's rules"),
        detail: vscode.l10n.t('A .rules file with prefix_rule(…)'),
        read: () => readCodex(homeDirectory),
      },
      {
        label: vscode.l10n.t("VS Code's terminal commands"),
        detail: vscode.l10n.t('Your setting chat.tools.terminal.autoApprove'),
        read: async () => importAutoApprove(userAutoApprove()),
      },
    ],
    // One step of several: a page that takes the focus late must not cancel it.
    { title: vscode.l10n.t('Import Rules'), ignoreFocusOut: true },
  );
  const found = await source?.read();
  if (!found) return;
  const picked = found.rules.length === 0 ? [] : await pickRules(found.rules);
  if (picked === undefined) return;
  const refused: ImportedRules['skipped'][number][] = [];
  for (const rule of picked) {
    const result = await edit({ type: 'add', scope: 'user', rule });
    if (result.type === 'refused') refused.push({ what: patternOf(rule), why: result.message });
  }
  const skipped = [...found.skipped, ...refused].map(({ what, why }) => `${what}\n    ${why}\n`);
  await reportImport(vscode.l10n.t('Rules added: {0}.', picked.length - refused.length), skipped);
}

async function readCodex(homeDirectory: string): Promise<ImportedRules | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Codex's rules"),
      defaultUri: vscode.Uri.file(path.join(homeDirectory, '.codex', 'rules')),
      filters: { [vscode.l10n.t('Rules')]: ['rules'] },
    })) ?? [];
  return file && importCodexRules(await readFile(file.fsPath, 'utf8'), file.fsPath);
}

/** Reads only the user's own setting: a workspace could have written the others. */
function userAutoApprove(): unknown {
  return vscode.workspace.getConfiguration('chat.tools.terminal').inspect('autoApprove')?.globalValue;
}

async function pickRules(rules: readonly Rule[]): Promise<readonly Rule[] | undefined> {
  const items = rules.map((rule): RuleItem => {
    const label = withoutIcons(patternOf(rule));
    const detail = rule.justification ?? '';
    return { rule, label, description: decisionOf(rule), detail, picked: true };
  });
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Select the rules to add for all workspaces'),
    placeHolder: vscode.l10n.t('Commands stay inside the sandbox, even if the imported rules ran them outside'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.map(({ rule }) => rule);
}

function patternOf({ pattern }: Rule): string {
  return pattern.map((word) => (typeof word === 'string' ? word : `(${word.join('|')})`)).join(' ');
}

function decisionOf({ decision }: Rule): string {
  switch (decision) {
    case 'allow':
      return vscode.l10n.t('Allow');
    case 'prompt':
      return vscode.l10n.t('Ask');
    case 'forbidden':
      return vscode.l10n.t('Forbid');
  }
}
