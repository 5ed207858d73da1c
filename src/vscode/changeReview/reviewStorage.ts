/** Stores pending changes over a reload of the window, in VS Code's storage for this folder. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Reader } from '../apply/inverseOf.ts';
import { isPending, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';
import { readReview, writeReview } from './storedReview.ts';

/** Milliseconds after the last change of a text; changes that a crash loses are computed again from the text. */
const WRITE_AFTER_MS = 1000;

/**
 * Writes applied patches and decisions at once, since they cannot be computed from the text. Writes with Node: while a
 * window closes or reloads, VS Code's file system no longer answers.
 */
export class ReviewStorage implements Disposable {
  readonly #store = new DisposableStore();
  readonly #folder: string;
  readonly #report: (error: unknown) => void;
  readonly #unwritten = new Map<string, PendingFile>();
  /** The last known state of each file. */
  readonly #known = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSoon = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: vscode.Uri, reviews: Reviews, report: (error: unknown) => void) {
    this.#folder = folder.fsPath;
    this.#report = report;
    this.#store.add(
      reviews.onDidChange((file) => {
        const address = file.uri.toString();
        const isText = this.#known.get(address) === decisionsIn(file);
        this.#known.set(address, decisionsIn(file));
        this.#unwritten.set(address, file);
        this.#writeSoon(isText);
      }),
    );
  }

  /** Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isSoon = false;
    const files = [...this.#unwritten.values()];
    this.#unwritten.clear();
    this.#writing = this.#writing.then(async () => {
      for (const file of files) {
        await this.#write(file).catch((error: unknown) => {
          this.#report(error);
          // As on a full disk: the next write has it again, unless it has changed since.
          const address = file.uri.toString();
          if (!this.#unwritten.has(address)) this.#unwritten.set(address, file);
        });
      }
    });
    return this.#writing;
  }

  /** Restores the stored files. Returns the paths of files whose pending changes cannot be determined any more. */
  async restore(reviews: Reviews, reader: Reader): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const lost: string[] = [];
    for (const name of names.filter((each) => each.endsWith('.json'))) {
      // Another window of this folder may have removed it since.
      const gone = await this.#restoreFrom(name, reviews, reader).catch(this.#report);
      if (typeof gone === 'string') lost.push(gone);
    }
    return lost;
  }

  /** Returns the path of the file whose pending changes cannot be determined any more. */
  async #restoreFrom(name: string, reviews: Reviews, reader: Reader): Promise<string | undefined> {
    const place = path.join(this.#folder, name);
    const file = readReview(await readFile(place, 'utf8'));
    if (file !== undefined && (await restoreFile(file, reviews, reader))) return undefined;
    await rm(place, { force: true });
    return file?.path ?? name;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  async #write(file: PendingFile): Promise<void> {
    const place = path.join(this.#folder, `${nameOf(file.uri)}.json`);
    if (!isPending(file)) return rm(place, { force: true });
    await mkdir(this.#folder, { recursive: true });
    // Two windows of one folder write beside each other.
    const temporary = `${place}.${process.pid}.new`;
    try {
      await writeFile(temporary, writeReview(file));
      await rename(temporary, place);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #writeSoon(isText: boolean): void {
    if (this.#isSoon) return;
    this.#isSoon = !isText;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), isText ? WRITE_AFTER_MS : 0);
  }
}

function decisionsIn({ story, text }: PendingFile): string {
  return [story.type, ...text.hunks.map(({ id }) => id)].join(' ');
}

async function restoreFile(file: PendingFile, reviews: Reviews, reader: Reader): Promise<boolean> {
  // An agent has changed the file before the restore: that review counts.
  if (reviews.at(file.uri) !== undefined) return true;
  if (file.story.type === 'deleted') {
    const isThere = (await reader.stat(file.path).catch(() => undefined)) !== undefined;
    if (!isThere) reviews.put(file);
    return !isThere;
  }
  if (file.isCells) {
    const isThere = (await reader.stat(file.path).catch(() => undefined)) !== undefined;
    if (isThere) reviews.put(file);
    return isThere;
  }
  const text = await textOf(file, reader);
  if (text === undefined) return false;
  reviews.put(file);
  reviews.found(file, text, 'user');
  return true;
}

/** Opens the document, so that VS Code restores its unsaved backup. */
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
