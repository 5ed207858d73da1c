/** Groups the list of threads: pinned ones first, then those that wait for the user, then by time. */
import type { ThreadRow } from '../../src/protocol/wire.ts';
import { t } from '../l10n.ts';

export interface ThreadGroup {
  readonly id: string;
  readonly label: string;
  readonly rows: readonly ThreadRow[];
}

/**
 * Groups the rows by pin, by whether they need the user, and by age, newest first. Groups without rows are left out.
 */
export function groupRows(rows: readonly ThreadRow[], now: Date): readonly ThreadGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const sorted = rows.toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
  const placeOf = ({ status, updatedAt, isPinned }: ThreadRow) => {
    if (isPinned) return 'pinned';
    if (status === 'waiting' || status === 'running') return status;
    return Date.parse(updatedAt) >= midnight ? 'today' : 'earlier';
  };
  const labels = {
    pinned: t('Pinned'),
    waiting: t('Needs you'),
    running: t('Running'),
    today: t('Today'),
    earlier: t('Earlier'),
  };
  return (['pinned', 'waiting', 'running', 'today', 'earlier'] as const)
    .map((id) => ({ id, label: labels[id], rows: sorted.filter((row) => placeOf(row) === id) }))
    .filter((group) => group.rows.length > 0);
}

/** Formats the age of a thread: `now`, `5 m`, `3 h`, `Mon`, `12 Nov`, `12 Nov 2025`. */
export function age(at: string, now: Date): string {
  const then = new Date(at);
  const minutes = Math.floor((now.getTime() - then.getTime()) / 60_000);
  if (minutes < 1) return t('now');
  if (minutes < 60) return t('{0} m', minutes);
  if (minutes < 24 * 60) return t('{0} h', Math.floor(minutes / 60));
  if (minutes < 6 * 24 * 60) return then.toLocaleDateString(undefined, { weekday: 'short' });
  const year = then.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const };
  return then.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year });
}
