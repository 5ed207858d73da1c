import type { AppendFile, Log, Storage } from '../ports.ts';

/** In characters: shorter outputs stay in memory and get no file; most commands never print more. */
const KEEP_FROM = 64 * 1024;
/** In characters: how much of each end of a longer output is kept. An editor opens files of up to 50 MB. */
const HEAD = 16 * 1024 * 1024;
const TAIL = 4 * 1024 * 1024;

/**
 * The output of one command in a file of TILLER_HOME, for the user to read. The beginning is written as it arrives, and
 * the end, if the output is longer, on close. A full disk costs only the log.
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

  /** The absolute path of the file; `undefined` while there is none. */
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

  /** Writes the log to disk from now on, however short it is. */
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

  /** Writes the rest. Without `keep`, a short output leaves no file. */
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
