/** Formats how long ago something was. */
import { t } from '../l10n.ts';

/** Formats a time relative to `now`: `just now`, `5 m ago`, `3 h ago`, `2 d ago`. */
export function ago(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 1) return t('just now');
  if (minutes < 60) return t('{0} m ago', minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? t('{0} h ago', hours) : t('{0} d ago', Math.floor(hours / 24));
}
