/** What is asked, in words; shared by the card and by the announcement. */
import type { ApprovalRequest } from '../src/protocol/event.ts';
import type { DecisionReason, Rule } from '../src/protocol/policy.ts';
import { plural, t } from './l10n.ts';
import type { Waiting } from './store.ts';
import { inOneLine } from './text/format.ts';

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

/** What "always" would be said of: the words that a command begins with, or the script that a shell is given whole. */
export function ruleSubject({ pattern }: Rule): string {
  const script = scriptOf(pattern);
  if (script !== null) return inOneLine(script);
  const words = inOneLine(pattern.map((word) => (typeof word === 'string' ? word : word.join('|'))).join(' '));
  return words.endsWith('…') ? words : `${words}…`;
}

/** A rule for a script that cannot be taken apart is about that script and no other. */
export function scriptOf([program, flag, script, ...more]: Rule['pattern']): string | null {
  const isShell = typeof program === 'string' && /(^|[\\/])(ba|z|da|k|)sh$/.test(program);
  const isScript = isShell && typeof flag === 'string' && /^-[a-z]*c$/.test(flag) && more.length === 0;
  return isScript && typeof script === 'string' ? script : null;
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
