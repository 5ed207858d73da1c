import type { ShownThread } from '../../core/agent/shownThread.ts';
import { copyAround, type SideCopy, type SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import { cwdOf } from '../../protocol/thread.ts';
import type { SideCopyRow } from '../../protocol/wire.ts';
import { contextKey } from '../ui/contextKey.ts';

export interface ShownCopyDeps {
  readonly threads: Pick<ShownThread, 'state' | 'onChange'>;
  readonly store: Pick<SideCopyStore, 'all' | 'changes'>;
  readonly post: (row: SideCopyRow | null) => void;
  readonly report: (error: unknown) => void;
}

/** The side copy in which the shown thread works, for the panel and for the `when` clauses of commands. */
export class ShownCopy {
  readonly #deps: ShownCopyDeps;
  readonly #store = new DisposableStore();
  readonly #setIn = contextKey<boolean>('tiller.inSideCopy');
  #row: SideCopyRow | null = null;
  #counting: AbortController | undefined;

  constructor(deps: ShownCopyDeps) {
    this.#deps = deps;
    this.#store.add(
      deps.threads.onChange((change) => {
        if (change.type === 'switched') this.refresh();
        else if (change.event.msg.type === 'turn_completed' && this.#row !== null) this.refresh();
      }),
    );
  }

  get row(): SideCopyRow | null {
    return this.#row;
  }

  get copy(): SideCopy | undefined {
    const { state } = this.#deps.threads;
    return state === null ? undefined : copyAround(cwdOf(state), this.#deps.store.all)?.copy;
  }

  /** Counts the changed files again. */
  refresh(): void {
    this.#counting?.abort();
    const { copy } = this;
    this.#setIn(copy !== undefined);
    const isSame = copy !== undefined && copy.id === this.#row?.id;
    if (!isSame) this.#show(copy === undefined ? null : { id: copy.id, changed: null });
    if (copy === undefined) return;
    const counting = new AbortController();
    this.#counting = counting;
    this.#deps.store.changes(copy.id, counting.signal).then(
      (changes) => {
        if (!counting.signal.aborted) this.#show({ id: copy.id, changed: changes.length });
      },
      (error: unknown) => {
        if (!counting.signal.aborted) this.#deps.report(error);
      },
    );
  }

  dispose(): void {
    this.#counting?.abort();
    this.#store.dispose();
  }

  #show(row: SideCopyRow | null): void {
    if (row === null && this.#row === null) return;
    this.#row = row;
    this.#deps.post(row);
  }
}
