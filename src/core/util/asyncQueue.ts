/** A first-in-first-out queue for one asynchronous reader. */
export class AsyncQueue<Value> implements AsyncIterable<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  get size(): number {
    return this.#values.length;
  }

  /** Ignored after `close`. */
  push(value: Value): void {
    if (this.#closed) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** Values that were pushed before are still delivered; then the reader's loop ends. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Value> {
    while (true) {
      while (this.#values.length > 0) yield this.#values.shift() as Value;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
