/** Cancellable waits. */

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  promise.catch(() => {});
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Calls `callback` when the signal aborts, at once if it has; the returned function removes the listener. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Resolves when `promise` settles, at the latest after `milliseconds`. */
export function settledWithin(
  promise: Promise<unknown>,
  milliseconds: number,
  clock: { after(milliseconds: number, callback: () => void): () => void },
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    const settled = () => {
      cancel();
      resolve();
    };
    promise.then(settled, settled);
  });
}

/** A time limit for one operation. The owner calls `end` when the operation is over. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Cancels the limit; the signal does not abort any more. */
  end(): void;
}

/** The signal aborts with `late` after `milliseconds`, or with the reason of `caller` as soon as that aborts. */
export function deadline(
  clock: { after(milliseconds: number, callback: () => void): () => void },
  milliseconds: number,
  late: Error,
  caller?: AbortSignal,
): Deadline {
  const controller = new AbortController();
  const cancel = clock.after(milliseconds, () => controller.abort(late));
  const forget = caller === undefined ? () => {} : onAbort(caller, () => controller.abort(caller.reason));
  return {
    signal: controller.signal,
    end: () => {
      cancel();
      forget();
    },
  };
}
