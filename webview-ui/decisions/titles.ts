/** What is asked, in words; shared by the card and by the announcement. */
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { inOneLine } from '../../src/protocol/text/truncate.ts';
import type { DecisionReason } from '../../src/protocol/policy.ts';
import { rulePlaceOf, wordsOfRule } from '../../src/protocol/text/ruleLabels.ts';
import { visibleName, visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { plural, t } from '../l10n.ts';
import type { Waiting } from '../store.ts';

export function decisionTitle(waiting: Waiting): string {
  if (waiting.type === 'approval') return approvalTitle(waiting.request);
  if (waiting.type === 'interrupted') {
    return plural(waiting.patch.count, 'A patch to {0} file was interrupted', 'A patch to {0} files was interrupted');
  }
  const { request } = waiting;
  if (request.source === 'mcp') return t('{0} asks for details', request.server);
  return request.questions.length === 1 ? (request.questions[0]?.question ?? '') : t('Tiller has some questions');
}

/** What the question is about, for somebody who only hears it; empty where the title says it all. */
export function decisionSubject(waiting: Waiting): string {
  if (waiting.type !== 'approval') return '';
  const { kind, command = '', changes = [] } = waiting.request;
  return kind === 'patch' ? changes.map(({ path }) => path).join(', ') : inOneLine(command);
}

function approvalTitle(request: ApprovalRequest): string {
  switch (request.kind) {
    case 'command':
      return t('Run this command?');
    case 'escalation':
      return t('Run outside the sandbox?');
    case 'network':
      return t('Let this command use the network?');
    case 'patch':
      return plural(request.changes?.length ?? 0, 'Apply changes to {0} file?', 'Apply changes to {0} files?');
    case 'tool':
      return t('Call this tool?');
  }
}

/** The rule or heuristic by name, so that it can be looked up: `rule 2 of rules.json: ask before “git push…”`, `dangerous`. */
export function reasonName(reason: DecisionReason): string {
  const place = rulePlaceOf(reason);
  if (place === null) return reason.id;
  const name =
    place.file === null
      ? t('rule {0} of this thread', place.number)
      : t('rule {0} of {1}', place.number, visibleName(place.file));
  const words = wordsOfRule(reason);
  if (words === null || reason.rule === undefined) return name;
  switch (reason.rule.decision) {
    case 'allow':
      return t('{0}: allow “{1}”', name, words);
    case 'prompt':
      return t('{0}: ask before “{1}”', name, words);
    case 'forbidden':
      return t('{0}: forbid “{1}”', name, words);
  }
}

/** Why, and which rule says so; what it says of itself, somebody else may have written. */
export function reasonInFull(reason: DecisionReason): string {
  if (reason.source !== 'rule') return visibleText(reason.text);
  return t('{0} ({1})', visibleText(reason.text), reasonName(reason));
}
