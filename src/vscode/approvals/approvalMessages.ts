import * as vscode from 'vscode';
import { isDestructive } from '../../protocol/approval.ts';
import type { ApprovalRequest } from '../../protocol/event.ts';
import type { ApprovalDecision, DecisionReason } from '../../protocol/policy.ts';
import { rulePlaceOf, wordsOfRule } from '../../protocol/text/ruleLabels.ts';
import { insideOf } from '../../protocol/text/relativizePaths.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

/** Characters of a command in a notification; the rest is in the panel. */
const NOTIFIED_LENGTH = 160;

/** The request as a sentence for a notification, with the sub-agent that asks. */
export function questionOf(approval: ApprovalRequest): string {
  const sentence = sentenceOf(approval);
  return approval.agent === undefined
    ? sentence
    : vscode.l10n.t('{0} asks: {1}', withoutLinks(approval.agent.role), sentence);
}

function sentenceOf(approval: ApprovalRequest): string {
  const lost = (approval.changes ?? []).filter((change) => change.discardsUnsaved).map(({ path }) => path);
  if (lost.length > 0) {
    return vscode.l10n.t('Tiller wants to discard unsaved changes in {0}', withoutLinks(lost.join(', ')));
  }
  if (approval.kind === 'patch') {
    const [first] = approval.changes ?? [];
    const count = approval.changes?.length ?? 0;
    return count === 1 && first
      ? vscode.l10n.t('Tiller wants to change {0}', withoutLinks(first.path))
      : vscode.l10n.t('Tiller wants to change {0} files', count);
  }
  if (approval.url !== undefined) {
    return vscode.l10n.t(
      'Tiller wants to get a page from the web: {0}',
      withoutLinks(inOneLine(approval.url, NOTIFIED_LENGTH)),
    );
  }
  const command = withoutLinks(inOneLine(approval.command ?? approval.callId, NOTIFIED_LENGTH));
  if (approval.tool) {
    return vscode.l10n.t('Tiller wants to call a tool of {0}: {1}', withoutLinks(approval.tool.server), command);
  }
  if (isDestructive(approval)) {
    const reason = withoutLinks(insideOf(approval.cwd, whyAsked(approval)));
    return approval.kind === 'escalation'
      ? vscode.l10n.t('Tiller wants to run a destructive command outside the sandbox: {0}. {1}', command, reason)
      : vscode.l10n.t('Tiller wants to run a destructive command: {0}. {1}', command, reason);
  }
  if (approval.hosts !== undefined) {
    const hosts = withoutLinks(inOneLine(approval.hosts.join(', '), NOTIFIED_LENGTH));
    return vscode.l10n.t('Tiller wants to reach {0}: {1}', hosts, command);
  }
  if (approval.kind === 'escalation') return vscode.l10n.t('Tiller wants to run outside the sandbox: {0}', command);
  const rule = ruleName(approval.reason);
  return rule === null
    ? vscode.l10n.t('Tiller wants to run: {0}', command)
    : vscode.l10n.t('Tiller wants to run: {0} (asked because of {1})', command, withoutLinks(rule));
}

/** The reason for asking, with the rule that asks, if there is one. */
export function whyAsked({ reason }: ApprovalRequest): string {
  const rule = ruleName(reason);
  return rule === null ? reason.text : vscode.l10n.t('{0} ({1})', reason.text, rule);
}

/** `rule 2 of rules.json: “git push…”`; `null` where no rule asks. */
function ruleName(reason: DecisionReason): string | null {
  const place = rulePlaceOf(reason);
  const commands = wordsOfRule(reason);
  if (place === null || commands === null) return null;
  return place.file === null
    ? vscode.l10n.t('rule {0} of this thread: “{1}”', place.number, commands)
    : vscode.l10n.t('rule {0} of {1}: “{2}”', place.number, visibleName(place.file), commands);
}

export interface Yes {
  readonly label: string;
  readonly decision: ApprovalDecision;
}

/** The choices that approve; a choice that discards or ignores unsaved edits is labelled with that. */
export function approvalsOffered({ choices, changes = [] }: ApprovalRequest): readonly Yes[] {
  const paths = changes.filter((change) => change.discardsUnsaved).map(({ path }) => path);
  if (paths.length > 0) {
    return [{ label: vscode.l10n.t('Discard and Approve'), decision: { approved_discarding: { paths } } }];
  }
  if (!choices.includes('approved_saving')) return [{ label: vscode.l10n.t('Approve'), decision: 'approved' }];
  return [
    { label: vscode.l10n.t('Save and Run'), decision: 'approved_saving' },
    { label: vscode.l10n.t('Run Anyway'), decision: 'approved' },
  ];
}

/** True when approving can destroy work or discards unsaved edits: a habitual key must not confirm it. */
export function losesWork(approval: ApprovalRequest): boolean {
  return isDestructive(approval) || approvalsOffered(approval).some(({ decision }) => typeof decision === 'object');
}

/** The command or patch in one line of a list. */
export function subjectOf(approval: ApprovalRequest): string {
  if (approval.kind !== 'patch') return inOneLine(approval.command ?? approval.callId, 200);
  return vscode.l10n.t('Change {0}', (approval.changes ?? []).map(({ path }) => path).join(', '));
}
