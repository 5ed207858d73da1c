/** What has to be done to have everything as it was: `applyEdit` is not atomic (workspace-edits.md §1), so landing is. */
export class Compensation {
  readonly #inverses: { readonly path: string; readonly putBack: () => Promise<boolean> }[] = [];

  /** `putBack` resolves to false when somebody else's later work is in the way, which is not ours to overwrite. */
  add(path: string, putBack: () => Promise<boolean>): void {
    this.#inverses.unshift({ path, putBack });
  }

  /** Last made, first undone. Returns the paths that could not be brought back. */
  async run(): Promise<readonly string[]> {
    const notRestored = new Set<string>();
    for (const { path, putBack } of this.#inverses) {
      const isBack = await putBack().catch(() => false);
      if (!isBack) notRestored.add(path);
    }
    return [...notRestored];
  }
}
