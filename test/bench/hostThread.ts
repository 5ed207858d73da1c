/** The work of the thread of an extension host. Milliseconds. */

/** A turn of the event loop that only watches takes less. */
const IDLE_MS = 0.1;

/** Of all turns of the event loop that do something, and of the longest. */
export interface Turns {
  readonly allMs: number;
  readonly longestMs: number;
}

/** Watches this thread until `end`, in real time: the system counts the processor time of single turns too coarsely. */
export function watchThread(): { end(): Turns } {
  let isWatching = true;
  let before = performance.now();
  let allMs = 0;
  let longestMs = 0;
  const tick = () => {
    const now = performance.now();
    const slice = now - before;
    before = now;
    if (slice > IDLE_MS) allMs += slice;
    longestMs = Math.max(longestMs, slice);
    if (isWatching) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    end() {
      isWatching = false;
      return { allMs, longestMs };
    },
  };
}

interface ProcessorTime {
  readonly user: number;
  readonly system: number;
}

/** Processor time of this thread so far, or of the process in a Node older than 23.9. For work of 100 ms and more. */
export function processorMs(): number {
  const own = process as { threadCpuUsage?: () => ProcessorTime; cpuUsage(): ProcessorTime };
  const { user, system } = own.threadCpuUsage?.() ?? own.cpuUsage();
  return (user + system) / 1000;
}
