export interface Disposable {
  dispose(): void;
}

/** Who opens it closes it: hand every listener to a store on the line that creates it. */
export class DisposableStore implements Disposable {
  readonly #open = new Set<Disposable>();
  #disposed = false;

  /** Returns what it is given. After `dispose` a late arrival is disposed of at once. */
  add<Held extends Disposable>(disposable: Held): Held {
    if (this.#disposed) disposable.dispose();
    else this.#open.add(disposable);
    return disposable;
  }

  /** The last one first. One that throws does not keep the others open; its error is thrown when all are closed. */
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
