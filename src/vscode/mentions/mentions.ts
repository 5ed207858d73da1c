/** What the composer can mention: look-ups for its list, and what mentions name when a message is sent. */
import type { ReadGuard } from '../../core/tools/files/readGuard.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import type { PanelUpdate } from '../../protocol/wire.ts';
import { RecentFiles } from './editorPlaces.ts';
import { FileIndex } from './fileIndex.ts';
import { fillMentions, isUnfilled } from './fillMentions.ts';
import { findMentions, type MentionableThread } from './findMentions.ts';
import { TerminalOutput } from './terminalOutput.ts';

export interface MentionsDeps {
  /** What may be read under the settings of now. */
  readonly guard: () => Promise<ReadGuard>;
  /** Threads of this workspace, the newest first, without the shown one. */
  readonly threads: () => Promise<readonly MentionableThread[]>;
  readonly exportThread: (threadId: string) => Promise<string | undefined>;
  readonly shownThread: () => string | undefined;
  /** To the shown thread; a message starts one where none is shown. */
  readonly submit: (op: Op) => Promise<void>;
  readonly submitTo: (threadId: string, op: Op) => void;
  readonly post: (message: PanelUpdate) => void;
  readonly report: (error: unknown) => void;
}

/** Debounces typing. */
const REST_MS = 40;
/** How long a message waits for what it mentions. */
const FILL_MS = 15_000;

export class Mentions implements Disposable {
  readonly #deps: MentionsDeps;
  readonly #store = new DisposableStore();
  readonly #index = this.#store.add(new FileIndex());
  readonly #recent = this.#store.add(new RecentFiles());
  readonly #terminals = this.#store.add(new TerminalOutput());
  #search = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Messages that are being filled in, in the order in which they were sent; `undefined` when there are none. */
  #sending: Promise<void> | undefined;

  constructor(deps: MentionsDeps) {
    this.#deps = deps;
  }

  /** Posts rows for a query, in parts. Cancels the query before it. */
  find(id: number, query: string): void {
    this.close();
    const { signal } = (this.#search = new AbortController());
    this.#timer = setTimeout(() => {
      this.#find(id, query, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        this.#deps.report(error);
        this.#deps.post({ type: 'mentions_found', id, rows: [], isLast: true });
      });
    }, REST_MS);
  }

  /** Cancels the running query. */
  close(): void {
    clearTimeout(this.#timer);
    this.#search.abort();
  }

  /**
   * Submits an op of the composer. A message waits until what it mentions is read, and those sent after it wait for it;
   * every other op is submitted at once.
   */
  async submit(op: Op): Promise<void> {
    if (!isMessage(op)) return this.#deps.submit(op);
    const { input: written } = op;
    if (this.#sending === undefined && !written.some(isUnfilled)) return this.#deps.submit(op);
    const threadId = this.#deps.shownThread();
    const before = this.#sending ?? Promise.resolve();
    const sending = before.then(async () => {
      const input = [...(await this.#filled(written))];
      if (threadId === undefined || threadId === this.#deps.shownThread()) await this.#deps.submit({ ...op, input });
      else this.#deps.submitTo(threadId, { ...op, input });
    });
    const settled = sending.catch(() => {});
    this.#sending = settled;
    void settled.then(() => {
      if (this.#sending === settled) this.#sending = undefined;
    });
    return sending;
  }

  dispose(): void {
    this.close();
    this.#store.dispose();
  }

  async #find(id: number, query: string, signal: AbortSignal): Promise<void> {
    const guard = await this.#deps.guard();
    const found = findMentions(
      query,
      {
        index: this.#index,
        recent: this.#recent,
        terminals: this.#terminals,
        threads: this.#deps.threads,
        refusal: (path) => guard([path]),
      },
      signal,
    );
    for await (const rows of found) {
      if (signal.aborted) return;
      this.#deps.post({ type: 'mentions_found', id, rows, isLast: false });
    }
    if (!signal.aborted) this.#deps.post({ type: 'mentions_found', id, rows: [], isLast: true });
  }

  async #filled(input: readonly UserInput[]): Promise<readonly UserInput[]> {
    const guard = await this.#deps.guard();
    const deps = {
      terminals: this.#terminals,
      exportThread: this.#deps.exportThread,
      mayRead: (path: string) => guard([path]) === undefined,
    };
    return fillMentions(input, deps, AbortSignal.timeout(FILL_MS));
  }
}

type MessageOp = Extract<Op, { type: 'user_turn' | 'steer' | 'edit_queued' }> & { readonly input: UserInput[] };

function isMessage(op: Op): op is MessageOp {
  return op.type === 'user_turn' || op.type === 'steer' || (op.type === 'edit_queued' && op.input !== null);
}
