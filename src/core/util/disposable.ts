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

  dispose(): void {
    this.#disposed = true;
    const open = [...this.#open].toReversed();
    this.#open.clear();
    for (const disposable of open) disposable.dispose();
  }
}
