import type { Disposable } from '../util/disposable.ts';
import { Emitter } from '../util/emitter.ts';
import type { SideCopyStore } from './sideCopy.ts';

/** Numbers of changed files in the side copies of threads: counted at first use and again on `refresh`. */
export class CopyCounts implements Disposable {
  readonly #store: Pick<SideCopyStore, 'of' | 'changes'>;
  readonly #report: (error: unknown) => void;
  readonly #changed: Emitter<void>;
  /** By thread; `null` until it is known. */
  readonly #counts = new Map<string, number | null>();
  readonly #counting = new Map<string, AbortController>();

  constructor(store: Pick<SideCopyStore, 'of' | 'changes'>, report: (error: unknown) => void) {
    this.#store = store;
    this.#report = report;
    this.#changed = new Emitter(report);
  }

  /** Fires when a count has changed. */
  get onChange(): Emitter<void>['event'] {
    return this.#changed.event;
  }

  /** `null` while it is counted; `undefined` for a thread without a side copy. */
  of(threadId: string): number | null | undefined {
    const copy = this.#store.of(threadId);
    if (copy === undefined) return undefined;
    if (!this.#counts.has(threadId)) this.#count(threadId, copy.id);
    return this.#counts.get(threadId) ?? null;
  }

  /** Call when files of the copy have changed, came home or were undone, and when it was removed. */
  refresh(threadId: string): void {
    const copy = this.#store.of(threadId);
    if (copy !== undefined) return this.#count(threadId, copy.id);
    this.#counting.get(threadId)?.abort();
    if (this.#counts.delete(threadId)) this.#changed.fire();
  }

  dispose(): void {
    for (const counting of this.#counting.values()) counting.abort();
  }

  #count(threadId: string, copyId: string): void {
    this.#counting.get(threadId)?.abort();
    const counting = new AbortController();
    this.#counting.set(threadId, counting);
    this.#counts.set(threadId, this.#counts.get(threadId) ?? null);
    this.#store.changes(copyId, counting.signal).then(
      ({ length }) => {
        if (counting.signal.aborted) return;
        this.#counting.delete(threadId);
        if (this.#counts.get(threadId) === length) return;
        this.#counts.set(threadId, length);
        this.#changed.fire();
      },
      (error: unknown) => {
        if (counting.signal.aborted) return;
        // Counted again at the next call.
        this.#counting.delete(threadId);
        this.#counts.delete(threadId);
        this.#report(error);
      },
    );
  }
}
