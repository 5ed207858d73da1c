/** The filter of the page "Audit Log". */
import type { AuditLine } from '../../src/protocol/auditWire.ts';
import { reasonInFull } from '../text/reasons.ts';
import { plural, t } from '../l10n.ts';
import {
  agentLabel,
  cwdLabel,
  decidedBy,
  endWord,
  outcomeWord,
  sandboxLabel,
  threadLabel,
  timeLabel,
} from './labels.ts';

/** Every text of the row, and the names by which `audit.jsonl` has the same; in lower case. */
export function searchText(line: AuditLine): string {
  const { at, threadId, what, outcome, reason, word, reviewer, box } = line;
  const shown = [
    timeLabel(line),
    threadLabel(line),
    agentLabel(line),
    what,
    cwdLabel(line),
    outcomeWord(line),
    decidedBy(line),
    word,
    reviewer?.text,
    sandboxLabel(line),
    endWord(line),
    reasonInFull(reason),
  ];
  return [...shown, at, threadId, outcome, reason.id, box].join(' ').toLowerCase();
}

/** The number of shown decisions, or the reason why there is none; `hasMore`: earlier decisions are not loaded. */
export function countLabel(found: number, isFiltered: boolean, hasMore: boolean): string {
  if (found > 0) return plural(found, '{0} decision', '{0} decisions');
  if (!isFiltered) {
    return t('No decisions yet. Each approval and denial of a command, a patch or a tool will be listed here.');
  }
  return hasMore ? t('None of the loaded decisions contains this text.') : t('No decision contains this text.');
}
