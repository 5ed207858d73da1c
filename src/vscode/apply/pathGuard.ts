/**
 * Guards operations of VS Code by a path: saving a document, moving or deleting a file with a tab. VS Code follows any
 * link that is in the path at that moment (docs/sandbox.md). Sandboxed commands are paused during the operation, and
 * immediately before it the path must lead to the approved place.
 */
import type { Disposable } from '../../core/util/disposable.ts';
import { sameButEndings, textContent } from '../workspace/textContent.ts';
import {
  StaleFiles,
  type EditedDocument,
  type FoundFile,
  type ApplyDeps,
  type PathWrites,
  type Pause,
} from './model.ts';
import { PlaceFiles } from './placeFiles.ts';
import { saveDocument } from '../workspace/saveDocument.ts';

/** A place, and the URI by which VS Code acts on it, which may lead there through links. */
export type Addressed = Pick<FoundFile, 'uri' | 'path'>;

/** Resolves to true if VS Code may act there in a moment, as far as a check beforehand can tell. */
export async function isStable({ uri, path }: Addressed, pathWrites: PathWrites): Promise<boolean> {
  return uri.scheme !== 'file' || pathWrites.isStable(path, uri.fsPath);
}

/** `elsewhere`: the file at the place does not have the text that VS Code has saved. */
export type GuardedSave = 'saved' | 'unsaved' | 'elsewhere';

/**
 * Lets VS Code act by a path only where it leads to the approved place at that moment. Sandboxed commands are paused
 * for it.
 */
export class PathGuard implements Disposable {
  readonly #files: PlaceFiles;
  readonly #pause: Pause;

  constructor(files: PlaceFiles, pause: Pause) {
    this.#files = files;
    this.#pause = pause;
  }

  dispose(): void {
    this.#pause.dispose();
  }

  /** Returns true if VS Code may act by this URI on the place, provided that it does so immediately. */
  allows({ uri, path }: Addressed): boolean {
    if (uri.scheme !== 'file') return true;
    return this.#pause.isHeld() && this.#files.isReachedBy(uri.fsPath, path);
  }

  /** @throws StaleFiles unless VS Code may act at all of them */
  mustAllow(addressed: readonly Addressed[]): void {
    const moved = addressed.filter((target) => !this.allows(target)).map(({ path }) => path);
    if (moved.length > 0) throw new StaleFiles(moved);
  }

  /** Saves the document of a place, or leaves it unsaved. Never rejects. */
  async save(document: Omit<EditedDocument, 'version'>, place: string): Promise<GuardedSave> {
    if (document.uri.scheme === 'file') {
      const before = await this.#stampOf(place);
      const text = document.getText();
      if (!this.allows({ uri: document.uri, path: place })) return 'unsaved';
      if (!(await saveDocument(document))) return 'unsaved';
      return (await this.#isWritten(place, document.uri, { text, stamp: before })) ? 'saved' : 'elsewhere';
    }
    return (await saveDocument(document)) ? 'saved' : 'unsaved';
  }

  /** A file that was not written, and that does not hold the text already, is not the one that was saved. */
  async #isWritten(
    place: string,
    uri: EditedDocument['uri'],
    before: { readonly text: string; readonly stamp: string | undefined },
  ): Promise<boolean> {
    if ((await this.#stampOf(place)) !== before.stamp) return true;
    const bytes = await this.#files.readIfThere(place).catch(() => undefined);
    const saved = bytes && (await textContent(uri, bytes))?.text;
    return typeof saved === 'string' && sameButEndings(saved, before.text);
  }

  async #stampOf(place: string): Promise<string | undefined> {
    return this.#files.details(place).then(
      (details) => details?.stamp,
      () => undefined,
    );
  }
}

/** Guards saves that are not part of applying a patch. */
export async function withPathGuard<Result>(
  { holdFolders, pathWrites }: Pick<ApplyDeps, 'holdFolders' | 'pathWrites'>,
  act: (guard: PathGuard, files: PlaceFiles) => Promise<Result>,
): Promise<Result> {
  const files = new PlaceFiles(holdFolders());
  const guard = new PathGuard(files, await pathWrites.pause());
  try {
    return await act(guard, files);
  } finally {
    guard.dispose();
    files.dispose();
  }
}
