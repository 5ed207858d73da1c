import type { Disposable } from '../../core/util/disposable.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import type { PanelUpdate, ThreadQuery } from '../../protocol/wire.ts';
import { rowsOf, type StoredThread } from './threadRows.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';

export interface ThreadListOptions {
  readonly threads: ShownThread;
  readonly find: (query: ThreadQuery, signal: AbortSignal) => Promise<readonly StoredThread[]>;
  readonly post: (message: PanelUpdate) => void;
  readonly report: (error: unknown) => void;
}

/** Rows of one message: a list of a thousand must not block the panel (docs/design.md §5, "host → panel"). */
const ROWS_PER_MESSAGE = 200;
/** Debounces changes of threads, which come in bursts. */
const REST_MS = 150;

/** The list of threads in the panel while it is open: sent on request, and again when something in it changes. */
export class ThreadList implements Disposable {
  readonly #options: ThreadListOptions;
  readonly #store = new DisposableStore();
  #query: ThreadQuery | undefined;
  #search = new AbortController();
  /** The message being sent to the panel. */
  #sending: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ThreadListOptions) {
    this.#options = options;
    this.#store.add(
      options.threads.onActivity(() => {
        this.#timer ??= setTimeout(() => void this.#refreshAfterwards(), REST_MS);
      }),
    );
  }

  get isOpen(): boolean {
    return this.#query !== undefined;
  }

  open(query: ThreadQuery): void {
    this.#query = query;
    this.refresh();
  }

  close(): void {
    this.#query = undefined;
    this.#search.abort();
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    if (this.#query) {
      this.#sending = this.#send(this.#query, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#options.report(error);
      });
    }
  }

  /** Lets a running search finish although threads change; only input of the user cancels it. */
  async #refreshAfterwards(): Promise<void> {
    await this.#sending;
    if (this.#timer !== undefined) this.refresh();
  }

  dispose(): void {
    this.close();
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  async #send(query: ThreadQuery, signal: AbortSignal): Promise<void> {
    const { threads, find, post } = this.#options;
    const stored = await find(query, signal);
    if (signal.aborted) return;
    const rows = rowsOf(stored, threads);
    for (let start = 0; start === 0 || start < rows.length; start += ROWS_PER_MESSAGE) {
      const end = start + ROWS_PER_MESSAGE;
      post({ type: 'threads', rows: rows.slice(start, end), isFirst: start === 0, isLast: end >= rows.length });
    }
  }
}
