import { readFileSync } from 'node:fs';

/**
 * Returns the milliseconds of processor time that `run` takes. `run` must be synchronous, so that other programs and
 * other tests of this process do not count. If the system does not count per thread, returns the time of the whole
 * process.
 */
export function processorTime(run: () => void): number {
  const before = threadMilliseconds();
  run();
  return threadMilliseconds() - before;
}

/** Returns the user and system time of this thread, which /proc of Linux has in hundredths of a second. */
function threadMilliseconds(): number {
  try {
    const fields = readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
