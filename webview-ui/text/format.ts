/** Formats numbers. */
import { shortened } from '../../src/protocol/text/truncate.ts';
import { t } from '../l10n.ts';

/** Formats a duration: `0.8 s`, `12 s`, `2 m`, `2 m 4 s`, `1 h 3 m`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return t('{0} s', seconds.toFixed(1));
  if (seconds < 59.5) return t('{0} s', Math.round(seconds));
  const minutes = Math.floor(Math.round(seconds) / 60);
  const [rest, hours, restOfHour] = [Math.round(seconds) % 60, Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return rest === 0 ? t('{0} m', minutes) : t('{0} m {1} s', minutes, rest);
  return restOfHour === 0 ? t('{0} h', hours) : t('{0} h {1} m', hours, restOfHour);
}

/** Returns a duration if it is long enough to be shown; `null` below a second. */
export function notable(milliseconds: number | null): number | null {
  return milliseconds === null || milliseconds < 1_000 ? null : milliseconds;
}

/** Formats an estimated duration, without fractions: `6 s`. */
export function roughly(milliseconds: number): string {
  return milliseconds < 9_500 ? t('{0} s', Math.round(milliseconds / 1000)) : duration(milliseconds);
}

/** Formats a duration that is still counting: `0:12`, `1:02:05`. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** Formats a number of tokens: `950`, `5.8k`, `272k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 100_000) return `${trimmed(count / 1_000)}k`;
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** Formats an amount of money in an unknown currency: `0.0042`, `0.31`, `12.50`. */
export function amount(value: number): string {
  return value.toFixed(value > 0 && value < 0.1 ? 4 : 2);
}

/** Shows control characters as keys: `y⏎`, `^C`. */
export function visibleKeys(chars: string, limit = 60): string {
  const shown = chars
    .replaceAll(/\r?\n|\r/g, '⏎')
    .replaceAll('\t', '⇥')
    // oxlint-disable-next-line no-control-regex -- control characters are searched for
    .replaceAll(/[\u0000-\u001f]/g, (key) => `^${String.fromCharCode(key.charCodeAt(0) + 64)}`);
  return shortened(shown, limit);
}

/** Formats a number of bytes: `950 B`, `120 kB`, `1.4 MB`. */
export function bytes(count: number): string {
  if (count < 1_000) return t('{0} B', count);
  return count < 999_500 ? t('{0} kB', Math.round(count / 1_000)) : t('{0} MB', trimmed(count / 1_000_000));
}
