/** Labels of decisions and outcomes in the table. */
import type { AuditLine } from '../../src/protocol/auditWire.ts';
import { reasonName } from '../text/reasons.ts';
import { t } from '../l10n.ts';
import { duration } from '../text/format.ts';

/** The user, or what decided for the user. */
export function decidedBy({ by, reason }: AuditLine): string {
  switch (by) {
    case 'user':
      return t('you');
    case 'memory':
      return t('you, earlier');
    case 'non_interactive':
      return t('no user present');
    case 'turn_ended':
      return t('the turn ended');
    case 'rule':
      return reasonName(reason);
    case 'heuristic':
    case 'policy':
    case 'sandbox':
    case 'hint':
    case 'hook':
      return reason.id;
  }
}

export function outcomeWord({ outcome }: AuditLine): string {
  switch (outcome) {
    case 'allowed':
      return t('allowed');
    case 'denied':
      return t('denied');
    case 'forbidden':
      return t('forbidden');
  }
}

export function endWord({ end, outcome }: AuditLine): string {
  if (end === null) return outcome === 'allowed' ? t('open') : '';
  const time = end.durationMs > 0 ? duration(end.durationMs) : '';
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

export function sandboxLabel({ box, escalated, outcome, kind }: AuditLine): string {
  if (outcome !== 'allowed' || kind !== 'command') return '';
  if (escalated) return t('outside');
  return box === 'none' ? t('none') : t('inside');
}
