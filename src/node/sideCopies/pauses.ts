import { setImmediate } from 'node:timers/promises';
import { pauseEvery } from '../baseline/pauseEvery.ts';

/** Milliseconds of work on the event loop at a time. */
const PIECE_MS = 4;

/** To call often during long work: lets others have their turn now and then. Throws the signal's reason. */
export function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  const pause = pauseEvery(PIECE_MS, () => setImmediate());
  return () => {
    signal?.throwIfAborted();
    return pause();
  };
}
