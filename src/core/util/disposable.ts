export interface Disposable {
  dispose(): void;
}

/** The owner disposes: add every listener to a store on the line that creates it. */
export class DisposableStore implements Disposable {
  readonly #open = new Set<Disposable>();
  #disposed = false;

  /** Returns its argument. After `dispose`, it is disposed of at once. */
  add<Held extends Disposable>(disposable: Held): Held {
    if (this.#disposed) disposable.dispose();
    else this.#open.add(disposable);
    return disposable;
  }

  /** Disposes in reverse order. One that throws does not stop the others; errors are thrown afterwards. */
  dispose(): void {
    this.#disposed = true;
    const open = [...this.#open].toReversed();
    this.#open.clear();
    const errors: unknown[] = [];
    for (const disposable of open) {
      try {
        disposable.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
