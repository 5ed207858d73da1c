import type * as vscode from 'vscode';
import type { Secrets } from '../../core/ports.ts';
import type { Disposable } from '../../core/util/disposable.ts';

/** API keys, each stored under the origin it was entered for and sent to no other (docs/design.md decision 12). */
export class KeyStore implements Secrets, Disposable {
  readonly #storage: vscode.SecretStorage;
  readonly #onKey: (key: string) => void;
  /**
   * The keys that were read last, by name. VS Code's window takes 15 to 50 ms for each key, which every request would
   * wait for.
   */
  readonly #known = new Map<string, { readonly key: string | undefined }>();
  /** Counts changes of keys: a read that began before the last one may have an old key. */
  #changes = 0;
  readonly #listener: Disposable;

  /** `onKey` gets every key that is read or entered, to redact it from logs. */
  constructor(storage: vscode.SecretStorage, onKey: (key: string) => void) {
    this.#storage = storage;
    this.#onKey = onKey;
    this.#listener = storage.onDidChange(({ key: name }) => this.#forget(name));
  }

  /**
   * A key that was read before is returned at once and read again for the next call: not every VS Code reports keys that
   * another window has changed.
   */
  async keyFor(origin: string): Promise<string | undefined> {
    const name = nameOf(origin);
    const known = this.#known.get(name);
    const reading = this.#read(name);
    if (known === undefined) return reading;
    reading.catch(() => {});
    return known.key;
  }

  /** Reads the keys of these servers, so that keys of servers that are not in use are redacted, too. */
  async learn(baseUrls: readonly string[]): Promise<void> {
    await Promise.all([...new Set(baseUrls.map((url) => new URL(url).origin))].map((origin) => this.keyFor(origin)));
  }

  async store(origin: string, key: string): Promise<void> {
    this.#onKey(key);
    await this.#storage.store(nameOf(origin), key);
    this.#forget(nameOf(origin));
  }

  async remove(origin: string): Promise<void> {
    await this.#storage.delete(nameOf(origin));
    this.#forget(nameOf(origin));
  }

  dispose(): void {
    this.#listener.dispose();
  }

  async #read(name: string): Promise<string | undefined> {
    const changes = this.#changes;
    const key = await this.#storage.get(name);
    if (key !== undefined) this.#onKey(key);
    if (changes === this.#changes) this.#known.set(name, { key });
    return key;
  }

  #forget(name: string): void {
    this.#changes += 1;
    this.#known.delete(name);
  }
}

function nameOf(origin: string): string {
  return `key:${new URL(origin).origin}`;
}
