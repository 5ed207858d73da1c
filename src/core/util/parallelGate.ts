/**
 * Runs calls that are parallel-safe together and every other one alone, in order of arrival (codex-behaviour.md §3.2
 * step 4).
 */
export class ParallelGate {
  /** Settles when the last exclusive call has ended. */
  #exclusive: Promise<void> = Promise.resolve();
  #shared: Promise<void>[] = [];

  /** Runs `task` when its turn has come. Settles as `task` does; a task that rejects does not block the next one. */
  async run<Result>(parallel: boolean, task: () => Promise<Result>): Promise<Result> {
    const before = parallel ? this.#exclusive : Promise.all([this.#exclusive, ...this.#shared]);
    const result = before.then(task);
    const settled = result.then(
      () => {},
      () => {},
    );
    if (parallel) {
      this.#shared.push(settled);
    } else {
      this.#exclusive = settled;
      this.#shared = [];
    }
    return result;
  }
}
