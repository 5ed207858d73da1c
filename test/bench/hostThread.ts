/** The work of the thread of an extension host. Milliseconds. */
import { closeSync, openSync, readSync } from 'node:fs';

/** A turn of the event loop that only watches takes less. */
const IDLE_MS = 0.1;

/** Milliseconds of all turns of the event loop that do work, and of the longest. */
export interface Turns {
  readonly allMs: number;
  readonly longestMs: number;
}

/**
 * Watches this thread until `end`: the time of its turns without that in which it was ready and other programs had the
 * processors. The system counts the processor time of single turns too coarsely.
 */
export function watchThread(): { end(): Turns } {
  const readiness = openReadiness();
  let isWatching = true;
  let before = performance.now();
  let readyBefore = readiness.readyMs();
  let allMs = 0;
  let longestMs = 0;
  const tick = () => {
    if (!isWatching) return;
    const now = performance.now();
    const slice = now - before;
    before = now;
    if (slice > IDLE_MS) {
      const ready = readiness.readyMs();
      const worked = Math.max(0, slice - (ready - readyBefore));
      readyBefore = ready;
      allMs += worked;
      longestMs = Math.max(longestMs, worked);
      // Reading it belongs to no turn.
      before = performance.now();
    }
    setImmediate(tick);
  };
  setImmediate(tick);
  return {
    end() {
      if (isWatching) readiness.close();
      isWatching = false;
      return { allMs, longestMs };
    },
  };
}

/**
 * The time for which this thread has waited for a processor so far: the second number of its schedstat, in nanoseconds.
 * Zero outside Linux.
 */
function openReadiness(): { readyMs(): number; close(): void } {
  const bytes = Buffer.alloc(100);
  let file: number;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return { readyMs: () => 0, close() {} };
  }
  return {
    readyMs: () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ')[1]) / 1e6,
    close: () => closeSync(file),
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
