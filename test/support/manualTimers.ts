/** Timers that run when the test says that time passes. */
export class ManualTimers {
  #now = 0;
  readonly #waiting = new Map<object, { readonly due: number; readonly action: () => void }>();

  readonly after = (milliseconds: number, action: () => void): (() => void) => {
    const key = {};
    this.#waiting.set(key, { due: this.#now + milliseconds, action });
    return () => void this.#waiting.delete(key);
  };

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const [key, { due, action }] of this.#waiting) {
      if (due > this.#now) continue;
      this.#waiting.delete(key);
      action();
    }
  }
}
