import type * as vscode from 'vscode';

/** A memento of VS Code in memory, for a window or a workspace. */
export class Memory implements vscode.Memento {
  readonly #values = new Map<string, unknown>();
  keys = () => [...this.#values.keys()];
  get = <Value>(key: string, otherwise?: Value) => (this.#values.get(key) as Value | undefined) ?? otherwise;
  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
  }
}
