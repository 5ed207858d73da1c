/** Counts work that is not done, so that a caller can wait until there is none. */
export class OpenWork {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    this.#resolve();
  }

  get isNone(): boolean {
    return this.#count === 0;
  }

  /** Resolves when all work that was begun has ended. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#resolve();
    });
  }

  #resolve(): void {
    if (!this.isNone) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
