import { abortable } from './abort.ts';

/** Exclusive locks on paths, first come first served. Within this process. */
export class PathLock {
  readonly #lastInLine = new Map<string, Promise<void>>();

  /**
   * Acquires all paths at once, so that no deadlock is possible. Returns the function that releases them.
   * @throws the signal's reason when it aborts while waiting; the place in the queue is then given up.
   */
  async acquire(paths: Iterable<string>, signal?: AbortSignal): Promise<() => void> {
    const wanted = [...new Set(paths)];
    const before = Promise.all(wanted.flatMap((path) => this.#lastInLine.get(path) ?? []));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const ours = before.then(() => released);
    for (const path of wanted) this.#lastInLine.set(path, ours);
    void ours.then(() => this.#forget(wanted, ours));
    try {
      await (signal === undefined ? before : abortable(before, signal));
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  #forget(paths: readonly string[], ours: Promise<void>): void {
    for (const path of paths) if (this.#lastInLine.get(path) === ours) this.#lastInLine.delete(path);
  }
}
