import type * as vscode from 'vscode';
import type { Secrets } from '../../core/ports.ts';

/** API keys, each stored under the origin it was entered for and sent to no other (docs/design.md decision 12). */
export class KeyStore implements Secrets {
  readonly #storage: vscode.SecretStorage;
  readonly #onKey: (key: string) => void;

  /** `onKey` gets every key that is read or entered, to redact it from logs. */
  constructor(storage: vscode.SecretStorage, onKey: (key: string) => void) {
    this.#storage = storage;
    this.#onKey = onKey;
  }

  async keyFor(origin: string): Promise<string | undefined> {
    const key = await this.#storage.get(nameOf(origin));
    if (key !== undefined) this.#onKey(key);
    return key;
  }

  /** Reads the keys of these servers, so that keys of servers that are not in use are redacted, too. */
  async learn(baseUrls: readonly string[]): Promise<void> {
    await Promise.all([...new Set(baseUrls.map((url) => new URL(url).origin))].map((origin) => this.keyFor(origin)));
  }

  async store(origin: string, key: string): Promise<void> {
    this.#onKey(key);
    await this.#storage.store(nameOf(origin), key);
  }

  async remove(origin: string): Promise<void> {
    await this.#storage.delete(nameOf(origin));
  }
}

function nameOf(origin: string): string {
  return `key:${new URL(origin).origin}`;
}
