/**
 * Headers of HTTP: what Tiller and the `openai` package use of the global `Headers`. The first use of that, of `Request` or of
 * `Response` makes Node.js load a module for 14 ms, in each start of the command line before its first request.
 */
export class HeaderList implements Iterable<[string, string]> {
  /** By their names in lower case. */
  readonly #values = new Map<string, string>();

  constructor(given: Iterable<readonly [name: string, value: string]> = []) {
    for (const [name, value] of given) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), trimmed(value));
  }

  /** Adds it to the value that the header has. */
  append(name: string, value: string): void {
    const known = this.get(name);
    this.set(name, known === null ? value : `${known}, ${trimmed(value)}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.entries();
  }
}

function trimmed(value: string): string {
  return value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
}
