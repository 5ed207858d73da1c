import { documentAt, hasUnsavedText } from '../workspace/documents.ts';
import { notebookAt } from '../workspace/notebooks.ts';
import { uriOf } from '../workspace/places.ts';
import type { AppliedFile } from '../../core/ports.ts';
import { notebookDocumentAt } from './editCells.ts';
import type { ApplyChange, ApplyDeps } from './model.ts';
import { isStable, withPathGuard } from './pathGuard.ts';

/** Files that patches left unsaved because they held edits of the user, as long as they are still unsaved. */
export class UnsavedFiles {
  readonly #deps: Pick<ApplyDeps, 'holdFolders' | 'pathWrites'>;
  /** From the path that the patch named to the approved place. */
  readonly #left = new Map<string, string>();

  constructor(deps: Pick<ApplyDeps, 'holdFolders' | 'pathWrites'>) {
    this.#deps = deps;
  }

  note(files: readonly AppliedFile[], changes: readonly ApplyChange[]): void {
    const places = new Map(changes.map(destinationOf));
    for (const { path, saved } of files) {
      if (saved) this.#left.delete(path);
      else this.#left.set(path, places.get(path) ?? path);
    }
  }

  /** The paths without untitled documents: these have no file that a command could read. */
  get paths(): readonly string[] {
    const unsaved = [...this.#left.keys()].filter((path) => {
      const document = documentAt(uriOf(path));
      return (hasUnsavedText(document) && !document?.isUntitled) || notebookAt(uriOf(path))?.isDirty;
    });
    for (const path of this.#left.keys()) if (!unsaved.includes(path)) this.#left.delete(path);
    return unsaved;
  }

  /** Returns the paths that could not be saved. */
  save(paths: readonly string[]): Promise<readonly string[]> {
    const { pathWrites } = this.#deps;
    return withPathGuard(this.#deps, async (guard) => {
      const attempts = paths.map(async (path) => {
        const document = notebookDocumentAt(uriOf(path)) ?? documentAt(uriOf(path));
        if (document === undefined) return [];
        const place = this.#left.get(path) ?? path;
        const mayBeSaved = await isStable({ uri: document.uri, path: place }, pathWrites);
        return mayBeSaved && (await guard.save(document, place)) === 'saved' ? [] : [path];
      });
      return (await Promise.all(attempts)).flat();
    });
  }
}

function destinationOf(change: ApplyChange): readonly [path: string, place: string] {
  const { path, movedTo } = change.places;
  const isMoved = change.kind === 'update' && change.movedTo !== null && movedTo !== null;
  return isMoved ? [change.movedTo, movedTo.target] : [change.path, path.target];
}
