import type { Event } from '../../protocol/event.ts';
import type { Storage } from '../ports.ts';
import { readLines } from './readLines.ts';
import { metaOf, type ReplayedThread, ReplayFold } from './replay.ts';

export type OpenedReader =
  | { readonly type: 'reader'; readonly reader: ThreadReader }
  | { readonly type: 'unreadable'; readonly message: string };

/** Looks at a thread that somebody else works in, or that is too new to be continued. Writes nothing. */
export class ThreadReader {
  readonly #storage: Storage;
  readonly #path: string;
  readonly #fold: ReplayFold;
  #end: number;

  private constructor(storage: Storage, path: string, fold: ReplayFold, end: number) {
    this.#storage = storage;
    this.#path = path;
    this.#fold = fold;
    this.#end = end;
  }

  static async open(storage: Storage, path: string): Promise<OpenedReader> {
    const lines: string[] = [];
    let end = 0;
    for await (const batch of readLines(storage, path)) {
      lines.push(...batch.lines);
      end = batch.end;
    }
    const meta = metaOf(lines);
    if (meta === undefined) return { type: 'unreadable', message: 'No line says that this is a Tiller thread.' };
    const fold = new ReplayFold(meta);
    for (const line of lines) fold.add(line);
    return { type: 'reader', reader: new ThreadReader(storage, path, fold, end) };
  }

  get thread(): ReplayedThread {
    return this.#fold.thread;
  }

  /** What was written down since the last look, oldest first. Their `seq` is the place in the rollout. */
  async poll(): Promise<readonly Event[]> {
    const events: Event[] = [];
    for await (const { lines, end } of readLines(this.#storage, this.#path, this.#end)) {
      this.#end = end;
      events.push(...lines.flatMap((line) => this.#fold.add(line) ?? []));
    }
    return events;
  }
}
