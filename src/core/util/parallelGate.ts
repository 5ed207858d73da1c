/**
 * Runs tasks that change nothing at the same time, and every other one alone, in order of arrival (codex-behaviour.md
 * §3.2 step 4).
 */
export class ParallelGate {
  readonly #most: number;
  /** Settles when the next task may be considered: the one before has started, and has ended if it runs alone. */
  #admission: Promise<void> = Promise.resolve();
  readonly #shared = new Set<Promise<void>>();
  /** Counts the starts and ends of tasks that run alone. */
  #changes = 0;

  /** `most`: maximum tasks that run at the same time. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Runs `task` in its turn, and settles as it does; a rejection does not block the next task. `mayShare` is called in
   * order of arrival, while no task runs that must run alone; `run` rejects if it does. Its argument is true if, since
   * `run` was called, no such task has run and none had to end first. `hasWaited` is true if tasks may have ended
   * between `mayShare` and `task`.
   */
  async run<Result>(
    mayShare: (isAsAtArrival: boolean) => Promise<boolean>,
    task: (hasWaited: boolean) => Promise<Result>,
  ): Promise<Result> {
    const arrival = this.#changes;
    const admitted = this.#admission;
    let admitNext = () => {};
    this.#admission = new Promise((resolve) => {
      admitNext = resolve;
    });
    await admitted;
    let running: Promise<Result>;
    try {
      const isFull = this.#shared.size >= this.#most;
      while (this.#shared.size >= this.#most) await Promise.race(this.#shared);
      if (!(await mayShare(!isFull && arrival === this.#changes))) {
        const hasWaited = this.#shared.size > 0;
        await Promise.all(this.#shared);
        this.#changes++;
        try {
          return await task(hasWaited);
        } finally {
          this.#changes++;
        }
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
