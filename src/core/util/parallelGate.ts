/**
 * Runs tasks that change nothing together, and every other one alone, in order of arrival (codex-behaviour.md §3.2
 * step 4).
 */
export class ParallelGate {
  readonly #most: number;
  /** Settles when the next task may be looked at: the one before has started, and has ended if it runs alone. */
  #admission: Promise<void> = Promise.resolve();
  readonly #shared = new Set<Promise<void>>();

  /** `most`: how many tasks run together at most. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Runs `task` when its turn has come. Settles as `task` does; a task that rejects does not block the next one.
   * `mayShare` is asked in order of arrival, while no task runs that must run alone; when it rejects, so does this.
   * `hasWaited` is true when other tasks may have ended since `mayShare` was asked.
   */
  async run<Result>(mayShare: () => Promise<boolean>, task: (hasWaited: boolean) => Promise<Result>): Promise<Result> {
    const admitted = this.#admission;
    let admitNext = () => {};
    this.#admission = new Promise((resolve) => {
      admitNext = resolve;
    });
    await admitted;
    let running: Promise<Result>;
    try {
      while (this.#shared.size >= this.#most) await Promise.race(this.#shared);
      if (!(await mayShare())) {
        const hasWaited = this.#shared.size > 0;
        await Promise.all(this.#shared);
        return await task(hasWaited);
      }
      running = task(false);
      this.#share(running);
    } finally {
      admitNext();
    }
    return running;
  }

  #share(running: Promise<unknown>): void {
    const ended: Promise<void> = running
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        this.#shared.delete(ended);
      });
    this.#shared.add(ended);
  }
}
