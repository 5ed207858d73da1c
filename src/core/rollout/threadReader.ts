import type { Event } from '../../protocol/event.ts';
import type { Storage } from '../ports.ts';
import { type LineBatch, readLines } from './readLines.ts';
import { describeFileError } from '../util/fileErrors.ts';
import { NO_THREAD, readMeta, type ReplayedThread, ReplayFold } from './replay.ts';
import { append } from '../util/append.ts';

export type OpenedReader =
  | { readonly type: 'reader'; readonly reader: ThreadReader }
  | { readonly type: 'unreadable'; readonly message: string };

/** The changes of a thread since the last poll. */
export type ReaderUpdate =
  /** The oldest first. Their `seq` is the line number in the rollout. */
  | { readonly type: 'events'; readonly events: readonly Event[] }
  /** Earlier lines have changed, as when an output was removed: the whole thread was read again. */
  | { readonly type: 'rewritten' };

/** Reads a thread that another process owns, or that is too new to be continued. Writes nothing. */
export class ThreadReader {
  readonly #storage: Storage;
  readonly #path: string;
  #fold: ReplayFold;
  /** The stamp of the file at the last poll. */
  #stamp: string | undefined;
  #end = 0;
  /** The bytes before `#end`. */
  #tail: Uint8Array = new Uint8Array();

  private constructor(storage: Storage, path: string, fold: ReplayFold) {
    this.#storage = storage;
    this.#path = path;
    this.#fold = fold;
  }

  static async open(storage: Storage, path: string): Promise<OpenedReader> {
    try {
      const meta = await readMeta(storage, path);
      if (meta === undefined) return { type: 'unreadable', message: NO_THREAD };
      const reader = new ThreadReader(storage, path, new ReplayFold(meta));
      await reader.#read();
      return { type: 'reader', reader };
    } catch (error) {
      return { type: 'unreadable', message: describeFileError(error, 'The file') };
    }
  }

  get thread(): ReplayedThread {
    return this.#fold.thread;
  }

  /** Reads the changes. A thread that was deleted meanwhile stays as it was read. */
  async poll(): Promise<ReaderUpdate> {
    const stamp = await this.#storage.stamp(this.#path);
    if (stamp === undefined || stamp === this.#stamp) return { type: 'events', events: [] };
    this.#stamp = stamp;
    const before = { end: this.#end, tail: this.#tail };
    const events = await this.#read();
    // Checked after reading, so that a file that was replaced meanwhile is detected too.
    if (await this.#isUnchanged(before)) return { type: 'events', events };
    const again = await ThreadReader.open(this.#storage, this.#path);
    if (again.type === 'unreadable') return { type: 'events', events: [] };
    this.#fold = again.reader.#fold;
    this.#end = again.reader.#end;
    this.#tail = again.reader.#tail;
    return { type: 'rewritten' };
  }

  /** Reads the lines since the last poll. */
  async #read(): Promise<readonly Event[]> {
    const events: Event[] = [];
    for await (const { lines, end, tail } of readLines(this.#storage, this.#path, { from: this.#end })) {
      this.#end = end;
      this.#tail = tail;
      append(
        events,
        lines.flatMap((line) => this.#fold.add(line) ?? []),
      );
    }
    return events;
  }

  /** True when the last bytes read are still at the same offset: any earlier change would have moved them. */
  async #isUnchanged({ end, tail }: Pick<LineBatch, 'end' | 'tail'>): Promise<boolean> {
    const there = await this.#storage.readBytes(this.#path, end - tail.length, tail.length);
    return Buffer.from(there).equals(tail);
  }
}
