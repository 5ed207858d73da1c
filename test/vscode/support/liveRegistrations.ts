import * as vscode from 'vscode';

type Registers = (...given: unknown[]) => { dispose(): unknown };

/** Counts what is registered with VS Code while it is in use: listeners, providers, kinds of decorations. */
export class LiveRegistrations {
  readonly #originals: (() => void)[] = [];
  readonly #live = new Set<object>();

  constructor() {
    const { workspace, window, languages } = vscode;
    for (const api of [workspace, window, languages])
      this.#watch(api, /^on(?:Did|Will)|^register|^createTextEditorDecorationType$/);
  }

  /** The number of registrations since that are not disposed. */
  get count(): number {
    return this.#live.size;
  }

  restore(): void {
    for (const restore of this.#originals) restore();
  }

  #watch(api: object, names: RegExp): void {
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(api))) {
      if (!names.test(name) || typeof value !== 'function' || writable !== true) continue;
      const original = value as Registers;
      const watched: Registers = (...given) => {
        const made = original.apply(api, given);
        const dispose = made.dispose.bind(made);
        this.#live.add(made);
        const value = () => {
          this.#live.delete(made);
          return dispose();
        };
        // VS Code freezes some of them.
        return Object.create(made, { dispose: { value } }) as typeof made;
      };
      Object.assign(api, { [name]: watched });
      this.#originals.push(() => Object.assign(api, { [name]: original }));
    }
  }
}
