/** Stores pending changes over a reload of the window, in VS Code's storage for this folder. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { addHunks } from '../../core/changeReview/addHunks.ts';
import { becomeText } from '../../core/changeReview/edits.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Reader } from '../apply/inverseOf.ts';
import { hasHunks, isPending, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';
import { readReview, writeReview } from './storedReview.ts';

/** Milliseconds after the last change of a text; changes that a crash loses are computed again from the text. */
const WRITE_AFTER_MS = 1000;
/** Milliseconds between two looks at whether the other windows of the folder are still open. */
const LOOK_MS = 1000;

/** The processes of the windows that show one folder. */
export interface WindowProcesses {
  /** Identifies this process. */
  readonly own: string;
  /** False for a process that has ended, and for a text that names none. */
  isRunning(owner: string): boolean;
}

/** A review that a window has stored which is still open. */
interface Foreign {
  readonly owner: string;
  /** The stored text that was restored. */
  readonly json: string;
}

/**
 * Writes applied patches and decisions at once, since they cannot be computed from the text. Writes with Node: while a
 * window closes or reloads, VS Code's file system no longer answers.
 *
 * Several windows may show the folder, and each has the marks of its own patches: each writes files of its own. A window
 * that opens takes the marks of all others, and what a closed one has left.
 */
export class ReviewStorage implements Disposable {
  readonly #store = new DisposableStore();
  readonly #folder: string;
  readonly #processes: WindowProcesses;
  readonly #report: (error: unknown) => void;
  /** By file name. */
  readonly #foreign = new Map<string, Foreign>();
  #looking: ReturnType<typeof setTimeout> | undefined;
  readonly #unwritten = new Map<string, PendingFile>();
  /** The last known state of each file. */
  readonly #known = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSoon = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: vscode.Uri, reviews: Reviews, processes: WindowProcesses, report: (error: unknown) => void) {
    this.#folder = folder.fsPath;
    this.#processes = processes;
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
    this.#lookAgain(reviews, reader);
    return lost;
  }

  /** Returns the path of the file whose pending changes cannot be determined any more. */
  async #restoreFrom(name: string, reviews: Reviews, reader: Reader): Promise<string | undefined> {
    const place = path.join(this.#folder, name);
    const json = await readFile(place, 'utf8');
    const stored = readReview(json);
    const owner = stored?.owner;
    const isOpen = owner !== undefined && owner !== this.#processes.own && this.#processes.isRunning(owner);
    const known = this.#foreign.get(name)?.json;
    if (isOpen) this.#foreign.set(name, { owner, json });
    else this.#foreign.delete(name);
    const isThere = known === json || (stored !== undefined && (await restoreFile(stored.file, reviews, reader)));
    if (isOpen) return undefined;
    // Not before this window has stored what it has taken.
    await this.flush();
    const isKept =
      stored !== undefined && isThere && (place === this.#placeOf(stored.file) || this.#isUnwritten(stored.file));
    if (!isKept) await rm(place, { force: true });
    return isThere ? undefined : (stored?.file.path ?? name);
  }

  /**
   * Takes what other windows leave when they are closed. After a reload, the process of the window before may run for a
   * moment.
   */
  #lookAgain(reviews: Reviews, reader: Reader): void {
    clearTimeout(this.#looking);
    if (this.#foreign.size === 0) return;
    this.#looking = setTimeout(() => void this.#look(reviews, reader), LOOK_MS);
  }

  /** Never rejects. */
  async #look(reviews: Reviews, reader: Reader): Promise<void> {
    for (const [name, { owner }] of this.#foreign) {
      if (this.#processes.isRunning(owner)) continue;
      await this.#restoreFrom(name, reviews, reader).catch(() => this.#foreign.delete(name));
    }
    this.#lookAgain(reviews, reader);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#looking);
    this.#foreign.clear();
    this.#store.dispose();
  }

  #isUnwritten({ uri }: PendingFile): boolean {
    return this.#unwritten.has(uri.toString());
  }

  #placeOf({ uri }: PendingFile): string {
    return path.join(this.#folder, `${hash(uri.toString(), 32)}.${hash(this.#processes.own, 8)}.json`);
  }

  async #write(file: PendingFile): Promise<void> {
    const place = this.#placeOf(file);
    if (!isPending(file)) return rm(place, { force: true });
    await mkdir(this.#folder, { recursive: true });
    const temporary = `${place}.new`;
    try {
      await writeFile(temporary, writeReview(file, this.#processes.own));
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

/** Returns false where the file that was changed is gone, or is there again after it was deleted. */
async function restoreFile(file: PendingFile, reviews: Reviews, reader: Reader): Promise<boolean> {
  const known = reviews.at(file.uri);
  if (known !== undefined) {
    reviews.put(withReviewOf(known, file));
    return true;
  }
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

/** The file under review with the changes that another window has of it; whole files and cells are only in one. */
function withReviewOf(known: PendingFile, other: PendingFile): PendingFile {
  const files = [known, other];
  if (!files.every(hasHunks) || files.some(({ isCells }) => isCells)) return known;
  const story = known.story.type === 'edited' ? other.story : known.story;
  const text = becomeText(other.text, known.text.current.join('\n'), 'user');
  return { ...known, story, text: addHunks(known.text, text) };
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

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
