/** Remembers files with secrets that a command has moved: their names say nothing any more, their identity does. */

/** One for all sandboxes and workspaces of a process. */
export class MovedFiles {
  readonly #files = new Map<string, { readonly path: string; readonly from: string }>();

  get size(): number {
    return this.#files.size;
  }

  /** The identities, each with the last known place. */
  get places(): ReadonlyMap<string, string> {
    return new Map([...this.#files].map(([identity, file]) => [identity, file.path]));
  }

  /** The name that the file had before it was moved; `undefined` for one that was not. */
  formerName(identity: string): string | undefined {
    return this.#files.get(identity)?.from;
  }

  /** `from`: kept from an earlier move where absent. */
  set(identity: string, place: string, from = this.formerName(identity) ?? place): void {
    this.#files.set(identity, { path: place, from });
  }

  delete(identity: string): void {
    this.#files.delete(identity);
  }
}
