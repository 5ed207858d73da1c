import { documentAt } from '../workspace/documents.ts';
import { uriOf } from '../workspace/places.ts';
import type { LandedFile } from '../../core/ports.ts';
import { saveDocument } from './saveEdits.ts';

/** Files that landings left unsaved because they held the person's own edits, as long as they are still unsaved. */
export class UnsavedLandings {
  readonly #left = new Set<string>();

  note(files: readonly LandedFile[]): void {
    for (const { path, saved } of files) {
      if (saved) this.#left.delete(path);
      else this.#left.add(path);
    }
  }

  /** A document that was never saved has no place where a command would look for it. */
  get paths(): readonly string[] {
    const unsaved = [...this.#left].filter((path) => {
      const document = documentAt(uriOf(path));
      return document?.isDirty && !document.isUntitled;
    });
    for (const path of this.#left) if (!unsaved.includes(path)) this.#left.delete(path);
    return unsaved;
  }

  /** Returns those that could not be saved. */
  async save(paths: readonly string[]): Promise<readonly string[]> {
    const attempts = paths.map(async (path) => {
      const document = documentAt(uriOf(path));
      return document === undefined || (await saveDocument(document)) ? [] : [path];
    });
    return (await Promise.all(attempts)).flat();
  }
}
