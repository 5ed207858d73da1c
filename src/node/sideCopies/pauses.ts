import { setImmediate } from 'node:timers/promises';
import { pauseEvery } from '../baseline/pauseEvery.ts';

/** Milliseconds of work on the event loop at a time. */
const PIECE_MS = 4;

/**
 * Returns a function to call often during long work: it yields the event loop from time to time. Throws the signal's
 * reason.
 */
export function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  const pause = pauseEvery(PIECE_MS, () => setImmediate());
  return () => {
    signal?.throwIfAborted();
    return pause();
  };
}
