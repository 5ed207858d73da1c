import type { Disposable } from './disposable.ts';

export type Listener<Value> = (value: Value) => void;

/** Calls listeners in registration order; a throwing listener does not stop the rest. */
export class Emitter<Value> implements Disposable {
  readonly #listeners = new Set<Listener<Value>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event = (listener: Listener<Value>): Disposable => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  /** True when it has no listener. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  fire(value: Value): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
