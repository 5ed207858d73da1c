/** Labels of decisions and outcomes in the table. */
import type { AuditLine } from '../../src/protocol/auditWire.ts';
import { reasonName } from '../text/reasons.ts';
import { t } from '../l10n.ts';
import { duration, notable } from '../text/format.ts';

/** Returns the date and time in the short form of the user's locale. */
export function timeLabel({ at }: AuditLine): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' });
}

/** Returns the title of the thread, or “(deleted thread)”. */
export function threadLabel({ threadTitle }: AuditLine): string {
  return threadTitle ?? t('(deleted thread)');
}

/** Names the sub-agent that made the call; empty for a call of the thread itself. */
export function agentLabel({ agentId }: AuditLine): string {
  return agentId === null ? '' : t('agent {0}', agentId);
}

/** Names the working directory; empty for an act without one. */
export function cwdLabel({ cwd }: AuditLine): string {
  return cwd === null ? '' : t('in {0}', cwd);
}

/** Returns who decided: the user, a model that answers for the user, or the rule or policy that decided without asking. */
export function decidedBy({ by, reason, reviewer }: AuditLine): string {
  switch (by) {
    case 'user':
      return t('you');
    case 'reviewer':
      return t('reviewer {0}', reviewer?.model ?? '');
    case 'memory':
      return t('earlier approval');
    case 'non_interactive':
      return t('no user present');
    case 'turn_ended':
      return t('the turn ended');
    case 'rule':
      return reasonName(reason);
    case 'heuristic':
      return reason.id === 'known-safe' ? t('read-only command') : t('command check');
    case 'policy':
      return t('approval policy');
    case 'sandbox':
      return t('sandbox');
    case 'hint':
      return t('MCP server');
    case 'hook':
      return t('hook');
  }
}

/** The decision, in the user's language. */
export function outcomeLabel({ outcome }: AuditLine): string {
  switch (outcome) {
    case 'allowed':
      return t('allowed');
    case 'denied':
      return t('denied');
    case 'forbidden':
      return t('blocked');
  }
}

/** Describes how the act ended and how long it took; empty if it was not allowed. */
export function endLabel({ end, outcome }: AuditLine): string {
  if (end === null) return outcome === 'allowed' ? t('open') : '';
  const time = notable(end.durationMs) === null ? '' : duration(end.durationMs);
  const how = end.exit === null ? statusWord(end.status) : t('exit {0}', String(end.exit));
  return [how, time].filter(Boolean).join(' · ');
}

function statusWord(status: NonNullable<AuditLine['end']>['status']): string {
  switch (status) {
    case 'in_progress':
      return t('open');
    case 'completed':
      return t('done');
    case 'failed':
      return t('failed');
    case 'declined':
      return t('declined');
    case 'aborted':
      return t('stopped');
  }
}

/** Describes the sandbox of an allowed command; empty for everything else. */
export function sandboxLabel({ box, escalated, outcome, kind }: AuditLine): string {
  if (outcome !== 'allowed' || kind !== 'command') return '';
  if (escalated) return t('not sandboxed');
  return box === 'none' ? t('no sandbox') : t('sandboxed');
}
