import { abortable } from './abort.ts';

/** Whoever wants the same path waits for its turn, first come first served. Within this process. */
export class PathLock {
  readonly #lastInLine = new Map<string, Promise<void>>();

  /**
   * All the paths at once, so that nobody can wait in a circle. Returns what gives them back.
   * @throws the signal's reason when it aborts while waiting; the place in line is then given up.
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
