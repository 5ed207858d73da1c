/** The place of one call among the calls of its response. */
export interface CallPlace {
  /** Settles when every call before this one has left its place. Never rejects. */
  readonly reached: Promise<void>;
  /** To be called once the step is taken, or will not be taken; a second time has no effect. */
  readonly leave: () => void;
}

/**
 * Brings one step of concurrent calls into the order of the calls, however long each call takes to get there: the user
 * sees rows and approval requests in the order in which the model has written the calls.
 */
export class CallOrder {
  #before: Promise<unknown> = Promise.resolve();

  /** Settles when every call so far has left its place. */
  get reached(): Promise<unknown> {
    return this.#before;
  }

  /** Returns the place after all earlier ones. */
  next(): CallPlace {
    const reached = this.#before.then(() => {});
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#before = Promise.all([reached, left]);
    return { reached, leave };
  }
}
