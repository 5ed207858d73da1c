/** What has to be done to have everything as it was: `applyEdit` is not atomic (workspace-edits.md §1), so landing is. */
export class Compensation {
  readonly #inverses: { readonly path: string; readonly rollback: () => Promise<boolean> }[] = [];

  /** `putBack` resolves to false when somebody else's later work is in the way, which is not ours to overwrite. */
  add(path: string, rollback: () => Promise<boolean>): void {
    this.#inverses.unshift({ path, rollback });
  }

  /** Last made, first undone. Returns the paths that could not be brought back. */
  async run(): Promise<readonly string[]> {
    const notRestored = new Set<string>();
    for (const { path, rollback } of this.#inverses) {
      const isBack = await rollback().catch(() => false);
      if (!isBack) notRestored.add(path);
    }
    return [...notRestored];
  }
}
