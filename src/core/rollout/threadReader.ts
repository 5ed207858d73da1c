import type { Event } from '../../protocol/event.ts';
import type { Storage } from '../ports.ts';
import { type LineBatch, readLines } from './readLines.ts';
import { describeFileError } from '../util/fileErrors.ts';
import { NO_THREAD, readMeta, type ReplayedThread, ReplayFold } from './replay.ts';

export type OpenedReader =
  | { readonly type: 'reader'; readonly reader: ThreadReader }
  | { readonly type: 'unreadable'; readonly message: string };

/** What happened in a thread since the last look. */
export type ReaderUpdate =
  /** Oldest first. Their `seq` is the place in the rollout. */
  | { readonly type: 'events'; readonly events: readonly Event[] }
  /** What was written before is not what it was, as when an output was removed: the whole thread was read again. */
  | { readonly type: 'rewritten' };

/** Looks at a thread that somebody else works in, or that is too new to be continued. Writes nothing. */
export class ThreadReader {
  readonly #storage: Storage;
  readonly #path: string;
  #fold: ReplayFold;
  /** Of the file at the last look. */
  #stamp: string | undefined;
  #end = 0;
  /** What stood right before that. */
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

  /** A thread that was thrown away stays what it was. */
  async poll(): Promise<ReaderUpdate> {
    const stamp = await this.#storage.stamp(this.#path);
    if (stamp === undefined || stamp === this.#stamp) return { type: 'events', events: [] };
    this.#stamp = stamp;
    const before = { end: this.#end, tail: this.#tail };
    const events = await this.#read();
    // Looked at last: a file that was replaced while it was read is found out, too.
    if (await this.#stillStands(before)) return { type: 'events', events };
    const again = await ThreadReader.open(this.#storage, this.#path);
    if (again.type === 'unreadable') return { type: 'events', events: [] };
    this.#fold = again.reader.#fold;
    this.#end = again.reader.#end;
    this.#tail = again.reader.#tail;
    return { type: 'rewritten' };
  }

  /** What was written down since the last look. */
  async #read(): Promise<readonly Event[]> {
    const events: Event[] = [];
    for await (const { lines, end, tail } of readLines(this.#storage, this.#path, { from: this.#end })) {
      this.#end = end;
      this.#tail = tail;
      events.push(...lines.flatMap((line) => this.#fold.add(line) ?? []));
    }
    return events;
  }

  /** Whether what was read last stands where it stood: whatever changes before it moves it. */
  async #stillStands({ end, tail }: Pick<LineBatch, 'end' | 'tail'>): Promise<boolean> {
    const there = await this.#storage.readBytes(this.#path, end - tail.length, tail.length);
    return Buffer.from(there).equals(tail);
  }
}
