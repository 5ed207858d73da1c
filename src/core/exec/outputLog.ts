import type { AppendFile, Log, Storage } from '../ports.ts';

/** Characters that are kept in memory before a file is worth making; most commands never get there. */
const KEEP_FROM = 64 * 1024;
/** Characters of the two ends that are kept of an output without end. An editor opens files of up to 50 MB. */
const HEAD = 16 * 1024 * 1024;
const TAIL = 4 * 1024 * 1024;

/**
 * The whole output of one command in a file of TILLER_HOME, for the person to read: its beginning as it comes, and its
 * end, where that is more, when it is closed. A disk that is full costs the log and nothing else.
 */
export class OutputLog {
  readonly #storage: Storage;
  readonly #path: string;
  readonly #log: Log;
  #pending = '';
  #file: AppendFile | undefined;
  #opening: Promise<void> | undefined;
  #isBroken = false;
  #taken = 0;
  #tail = '';
  #omitted = 0;

  /** `path` is relative to TILLER_HOME. */
  constructor(storage: Storage, path: string, log: Log) {
    this.#storage = storage;
    this.#path = path;
    this.#log = log;
  }

  /** Where it stands on disk, absolute; `undefined` while it stands nowhere. */
  get path(): string | undefined {
    return this.#opening === undefined || this.#isBroken ? undefined : `${this.#storage.home}/${this.#path}`;
  }

  append(text: string): void {
    if (this.#isBroken) return;
    const head = this.#taken < HEAD ? text.slice(0, HEAD - this.#taken) : '';
    this.#taken += head.length;
    if (head.length < text.length) this.#addToTail(text.slice(head.length));
    if (this.#file) this.#write(this.#file, head);
    else this.#pending += head;
    if (this.#pending.length > KEEP_FROM) this.keep();
  }

  /** From here on it stands on disk, however short it is. */
  keep(): void {
    this.#opening ??= this.#storage.openAppend(this.#path).then(
      (file) => {
        this.#file = file;
        this.#write(file, this.#pending);
        this.#pending = '';
      },
      (error: unknown) => this.#break(error),
    );
  }

  /** Writes what was held back. What was never kept leaves no trace. */
  async close(): Promise<void> {
    await this.#opening;
    const file = this.#file;
    this.#file = undefined;
    this.#pending = '';
    if (!file) return;
    if (this.#omitted > 0) this.#write(file, `\n[${this.#omitted} characters were not kept]\n`);
    this.#write(file, this.#tail);
    this.#tail = '';
    await file.close();
  }

  #addToTail(text: string): void {
    this.#tail += text;
    if (this.#tail.length <= TAIL * 2) return;
    this.#omitted += this.#tail.length - TAIL;
    this.#tail = this.#tail.slice(-TAIL);
  }

  #write(file: AppendFile, text: string): void {
    if (text === '' || this.#isBroken) return;
    try {
      file.append(text);
    } catch (error) {
      this.#break(error);
    }
  }

  #break(error: unknown): void {
    this.#isBroken = true;
    this.#pending = '';
    this.#tail = '';
    this.#log.warn(`The output of a command cannot be written to ${this.#path}`, error);
  }
}
