/** What is asked, in words; shared by the card and by the announcement. */
import type { ApprovalRequest } from '../src/protocol/event.ts';
import type { DecisionReason } from '../src/protocol/policy.ts';
import { plural, t } from './l10n.ts';
import type { Waiting } from './store.ts';

export function decisionTitle(waiting: Waiting): string {
  if (waiting.type === 'approval') return approvalTitle(waiting.request);
  const { request } = waiting;
  if (request.source === 'mcp') return t('{0} asks for details', request.server);
  return request.questions.length === 1 ? (request.questions[0]?.question ?? '') : t('Tiller has some questions');
}

function approvalTitle(request: ApprovalRequest): string {
  switch (request.kind) {
    case 'command':
      return t('Run this command?');
    case 'escalation':
      return t('Run outside the box?');
    case 'network':
      return t('Let this command use the network?');
    case 'patch':
      return plural(request.changes?.length ?? 0, 'Apply changes to {0} file?', 'Apply changes to {0} files?');
    case 'tool':
      return t('Call this tool?');
  }
}

/** The rule or heuristic by name, so that it can be looked up: `rule 2 of rules.json`, `dangerous`. */
export function reasonName({ source, id }: DecisionReason): string {
  const place = /^rule:(?:.*[/\\])?(.+)#(\d+)$/.exec(id);
  if (source !== 'rule' || place === null) return id;
  const [, file = '', index] = place;
  return file === 'thread'
    ? t('rule {0} of this thread', Number(index) + 1)
    : t('rule {0} of {1}', Number(index) + 1, file);
}
