import type { Event } from '../../protocol/event.ts';

/** Waits for events of a session, until the replay has failed or no event comes in time. */
export class EventWaits {
  readonly #patienceMs: number;
  readonly #stuck: () => Error;
  readonly #failed: Promise<never>;
  readonly #listeners = new Set<(event: Event) => void>();
  /** Rejects all waits, present and later ones, with the first problem. */
  readonly fail: (problem: Error) => void;

  /** `patienceMs`: the longest wait. `stuck` makes the error of a wait that takes longer. */
  constructor(patienceMs: number, stuck: () => Error) {
    this.#patienceMs = patienceMs;
    this.#stuck = stuck;
    let fail: (problem: Error) => void = () => {};
    this.#failed = new Promise((_resolve, reject) => {
      fail = reject;
    });
    this.fail = fail;
    // Each wait rejects with it; without a wait it is no unhandled rejection.
    this.#failed.catch(() => {});
  }

  /** Call for each event. */
  note(event: Event): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Resolves with the next event that matches. */
  next(matches: (event: Event) => boolean): Promise<void> {
    return this.orFailed(
      new Promise((resolve) => {
        const listener = (event: Event) => {
          if (!matches(event)) return;
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      }),
    );
  }

  /** Settles as `promise` does, unless the replay fails or is stuck before. */
  async orFailed(promise: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(this.#stuck()), this.#patienceMs);
    });
    try {
      await Promise.race([promise, this.#failed, stuck]);
    } finally {
      clearTimeout(timer);
    }
  }
}
