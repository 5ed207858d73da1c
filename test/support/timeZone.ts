import type { Host } from '../../src/core/ports.ts';
import { localDay } from '../../src/core/util/localDay.ts';

/** Returns the parts of a host that depend on its time zone. */
export function inTimeZone(timeZone: string): Pick<Host, 'timeZone' | 'localDay'> {
  return { timeZone, localDay: (at) => localDay(at, timeZone) };
}
