/** Keeps what waits for the person's word over a reload of the window, in the storage that VS Code has for this folder. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Reader } from '../apply/inverseOf.ts';
import { isPending, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';
import { readReview, writeReview } from './storedReview.ts';

/** After the last change: nobody's typing waits for it. What a crash takes is found again in the text. */
const WRITE_AFTER_MS = 1000;

export class ReviewStorage implements Disposable {
  readonly #store = new DisposableStore();
  readonly #folder: vscode.Uri;
  readonly #report: (error: unknown) => void;
  readonly #unwritten = new Map<string, PendingFile>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: vscode.Uri, reviews: Reviews, report: (error: unknown) => void) {
    this.#folder = folder;
    this.#report = report;
    this.#store.add(
      reviews.onDidChange((file) => {
        this.#unwritten.set(file.uri.toString(), file);
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.flush(), WRITE_AFTER_MS);
      }),
    );
  }

  /** Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    const files = [...this.#unwritten.values()];
    this.#unwritten.clear();
    this.#writing = this.#writing.then(async () => {
      for (const file of files) await this.#write(file).catch(this.#report);
    });
    return this.#writing;
  }

  /** Takes up what was left. Returns the paths of those files of which nobody can say any more what waits. */
  async restore(reviews: Reviews, reader: Reader): Promise<readonly string[]> {
    const entries = await vscode.workspace.fs.readDirectory(this.#folder).then(
      (found) => found,
      () => [],
    );
    const lost: string[] = [];
    for (const [name] of entries) {
      const place = vscode.Uri.joinPath(this.#folder, name);
      const file = readReview(new TextDecoder().decode(await vscode.workspace.fs.readFile(place)));
      const isBack = file !== undefined && (await takeUp(file, reviews, reader));
      if (isBack) continue;
      lost.push(file?.path ?? name);
      await vscode.workspace.fs.delete(place);
    }
    return lost;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  async #write(file: PendingFile): Promise<void> {
    const { fs } = vscode.workspace;
    const place = vscode.Uri.joinPath(this.#folder, `${nameOf(file.uri)}.json`);
    if (!isPending(file)) {
      await fs.delete(place).then(undefined, () => {});
      return;
    }
    await fs.createDirectory(this.#folder);
    const written = place.with({ path: `${place.path}.new` });
    await fs.writeFile(written, new TextEncoder().encode(writeReview(file)));
    await fs.rename(written, place, { overwrite: true });
  }
}

async function takeUp(file: PendingFile, reviews: Reviews, reader: Reader): Promise<boolean> {
  // An agent was faster than we are: it has begun anew.
  if (reviews.at(file.uri) !== undefined) return true;
  if (file.story.type === 'deleted') {
    const isThere = (await reader.stat(file.path).catch(() => undefined)) !== undefined;
    if (!isThere) reviews.put(file);
    return !isThere;
  }
  const text = await textOf(file, reader);
  if (text === undefined) return false;
  reviews.put(file);
  reviews.found(file, text, 'agreed');
  return true;
}

/** Opened, so that VS Code brings back what it has kept of it unsaved. */
async function textOf({ uri, path }: PendingFile, reader: Reader): Promise<string | undefined> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText();
  } catch {
    return reader.read(path).then(
      ({ text }) => text,
      () => undefined,
    );
  }
}

function nameOf(uri: vscode.Uri): string {
  return createHash('sha256').update(uri.toString()).digest('hex').slice(0, 32);
}
