/** The filter of the page "Audit Log". */
import type { AuditLine } from '../../src/protocol/auditWire.ts';
import { reasonInFull } from '../text/reasons.ts';
import { plural, t } from '../l10n.ts';
import {
  agentLabel,
  cwdLabel,
  decidedBy,
  endLabel,
  outcomeLabel,
  sandboxLabel,
  threadLabel,
  timeLabel,
} from './labels.ts';

/** Returns all texts of the row and their names in `audit.jsonl`, in lower case, for the filter to search. */
export function searchText(line: AuditLine): string {
  const { at, threadId, what, outcome, reason, word, reviewer, box } = line;
  const shown = [
    timeLabel(line),
    threadLabel(line),
    agentLabel(line),
    what,
    cwdLabel(line),
    outcomeLabel(line),
    decidedBy(line),
    word,
    reviewer?.text,
    sandboxLabel(line),
    endLabel(line),
    reasonInFull(reason),
  ];
  return [...shown, at, threadId, outcome, reason.id, box].join(' ').toLowerCase();
}

/** Describes the number of shown decisions, or why none is shown. `hasMore`: earlier decisions are not loaded. */
export function countLabel(found: number, isFiltered: boolean, hasMore: boolean): string {
  if (found > 0) return plural(found, '{0} decision', '{0} decisions');
  if (!isFiltered) {
    return t('No decisions yet. Each approval and denial of a command, a patch or a tool will be listed here.');
  }
  return hasMore ? t('None of the loaded decisions contains this text.') : t('No decision contains this text.');
}
