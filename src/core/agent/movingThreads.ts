/** Threads that are being opened or suspended: one move of a thread at a time. */
export class MovingThreads {
  readonly #moving = new Map<string, Promise<void>>();

  has(threadId: string): boolean {
    return this.#moving.has(threadId);
  }

  /**
   * Calls `next` when no move of this thread is in progress, without an `await` between that check and the call, so
   * that `next` can begin a move.
   */
  async after<Result>(threadId: string, next: () => Promise<Result>): Promise<Result> {
    while (this.#moving.has(threadId)) await this.#moving.get(threadId);
    return next();
  }

  /** Resolves when the moves that are under way now have ended, with or without success. */
  async allSettled(): Promise<void> {
    await Promise.all(this.#moving.values());
  }

  /** Call only while none of this thread is under way. Settles as `run` does. */
  async move<Result>(threadId: string, run: () => Promise<Result>): Promise<Result> {
    const moving = run();
    const settled = moving.then(
      () => {},
      () => {},
    );
    this.#moving.set(threadId, settled);
    await settled;
    this.#moving.delete(threadId);
    return moving;
  }
}
