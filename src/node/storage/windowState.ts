import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WindowState } from '../../core/agent/shownThread.ts';
import { namesIn, PRIVATE_FILE } from '../host/privateFiles.ts';

/** Files of closed windows that are kept for windows that open later, beside the one that the next window takes. */
const MOST_CLOSED = 4;
const ENDING = '.json';

export interface WindowStateOptions {
  /** The result of `folderOfWindows`; `undefined` for a window without a workspace. */
  readonly folder: string | undefined;
  /** VS Code's state, which these windows share. Each window writes it whole, so that only the last writer's changes stay. */
  readonly shared: WindowState & { keys(): readonly string[] };
  readonly processes: {
    /** Identifies the process of this window. */
    readonly own: string;
    /** False for a process that has ended. */
    isRunning(owner: string): boolean;
  };
  readonly report: (error: unknown) => void;
}

/** The file of a window. */
interface Stored {
  /** The process of the window. */
  readonly owner: string;
  readonly isClosed: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The folder of the files of all windows that show one workspace. `storage`: what VS Code gives this window for the
 * workspace. A window that opens beside another one gets a folder with a number, `…/ID-1/EXTENSION` (vscode.lock), and after
 * a reload perhaps the one of a window that was closed since.
 */
export function folderOfWindows(storage: string): string {
  const workspace = path.dirname(storage).replace(/-\d+$/, '');
  return path.join(workspace, path.basename(storage), 'windows');
}

/**
 * The state of one window: its shown thread, its drafts. VS Code keeps a state for each folder, not for each window. A window
 * that opens gets the state of the window that was closed last (after a reload that is itself), or else the shared one.
 */
export class WindowStateFile implements WindowState {
  readonly #options: WindowStateOptions;
  readonly #file: string;
  readonly #values: Map<string, unknown>;
  #isClosed = false;
  #isDirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: WindowStateOptions) {
    this.#options = options;
    const { folder = '', shared, processes } = options;
    const name = createHash('sha256').update(processes.own).digest('hex').slice(0, 16);
    this.#file = path.join(folder, `${name}${ENDING}`);
    const [newest, ...older] = this.#closedWindows();
    const values = newest?.values ?? Object.fromEntries(shared.keys().map((key) => [key, shared.get(key)]));
    this.#values = new Map(Object.entries(values));
    if (newest === undefined) return;
    this.#writeNow();
    for (const { file } of [newest, ...older.slice(MOST_CLOSED)]) {
      if (file !== this.#file) this.#try(() => rmSync(file, { force: true }));
    }
  }

  get<Value>(key: string): Value | undefined;
  get<Value>(key: string, fallback: Value): Value;
  get(key: string, fallback?: unknown): unknown {
    return this.#values.has(key) ? this.#values.get(key) : fallback;
  }

  /** Resolves when VS Code has the value; the file is written beside it. */
  update(key: string, value: unknown): PromiseLike<void> {
    const isSame = JSON.stringify(this.#values.get(key)) === JSON.stringify(value);
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    if (!isSame) this.#writeSoon();
    return this.#options.shared.update(key, value);
  }

  /** The next window may have this state, although this process runs on for a moment. */
  close(): void {
    this.#isClosed = true;
    // A write that waits would bring the file back when the next window has already taken it.
    this.#isDirty = false;
    this.#writeNow();
  }

  /** Resolves when all updates so far are on the disk. Never rejects. */
  flush(): Promise<void> {
    return this.#writing;
  }

  /** Updates that come while a write waits for the one before it are written together. */
  #writeSoon(): void {
    if (this.#options.folder === undefined) return;
    this.#isDirty = true;
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#options.report);
  }

  async #write(): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const isClosed = this.#isClosed;
    const text = this.#text();
    const soon = `${this.#file}.soon`;
    await mkdir(path.dirname(this.#file), { recursive: true });
    await writeFile(soon, text, { mode: PRIVATE_FILE });
    // Nothing may come between the question and the rename: `close` may have written newer values since.
    if (isClosed === this.#isClosed) renameSync(soon, this.#file);
    else rmSync(soon, { force: true });
  }

  #writeNow(): void {
    if (this.#options.folder === undefined) return;
    this.#try(() => {
      mkdirSync(path.dirname(this.#file), { recursive: true });
      writeFileSync(`${this.#file}.now`, this.#text(), { mode: PRIVATE_FILE });
      renameSync(`${this.#file}.now`, this.#file);
    });
  }

  #text(): string {
    const stored: Stored = {
      owner: this.#options.processes.own,
      isClosed: this.#isClosed,
      values: Object.fromEntries(this.#values),
    };
    return JSON.stringify(stored);
  }

  /** The last one that was written comes first. */
  #closedWindows(): readonly { readonly file: string; readonly values: Stored['values'] }[] {
    const { folder, processes } = this.#options;
    if (folder === undefined) return [];
    return namesIn(folder)
      .filter((name) => name.endsWith(ENDING))
      .map((name) => path.join(folder, name))
      .flatMap((file) => this.#try(() => closedWindow(file, (owner) => processes.isRunning(owner))) ?? [])
      .toSorted((one, other) => other.writtenAt - one.writtenAt);
  }

  #try<Result>(action: () => Result): Result | undefined {
    try {
      return action();
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }
}

/** `undefined` for the file of a window that is open. @throws Error for one that cannot be read */
function closedWindow(file: string, isRunning: (owner: string) => boolean) {
  const { owner, isClosed, values } = JSON.parse(readFileSync(file, 'utf8')) as Stored;
  return isClosed || !isRunning(owner) ? { file, values, writtenAt: statSync(file).mtimeMs } : undefined;
}
