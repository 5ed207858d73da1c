/** The inverses of completed steps: `applyEdit` is not atomic (workspace-edits.md §1), applying a patch is. */
export class Compensation {
  readonly #inverses: { readonly path: string; readonly rollback: () => Promise<boolean> }[] = [];

  /** `rollback` resolves to false when later work of another writer is in the way, which must not be overwritten. */
  add(path: string, rollback: () => Promise<boolean>): void {
    this.#inverses.unshift({ path, rollback });
  }

  /** Runs the inverses in reverse order. Returns the paths that could not be rolled back. */
  async run(): Promise<readonly string[]> {
    const notRestored = new Set<string>();
    for (const { path, rollback } of this.#inverses) {
      const isBack = await rollback().catch(() => false);
      if (!isBack) notRestored.add(path);
    }
    return [...notRestored];
  }
}
