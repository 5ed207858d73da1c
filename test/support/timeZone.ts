import type { Host } from '../../src/core/ports.ts';
import { localDay } from '../../src/core/util/localDay.ts';

/** The time zone of a host. */
export function inTimeZone(timeZone: string): Pick<Host, 'timeZone' | 'localDay'> {
  return { timeZone, localDay: (at) => localDay(at, timeZone) };
}
