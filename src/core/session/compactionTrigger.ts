/** Part of the model's window that Tiller fills at most: servers count a little differently, and an answer needs room. */
const EFFECTIVE_PART = 0.95;
/** Share of the effective window. */
const LIMIT_PART = 0.9;
/** Share of the limit by which a thread must have grown since its last compaction. */
const GROWTH_PART = 0.1;

/** Tokens, as the server counts them. */
export interface CompactionState {
  /** After each compaction that is in effect, oldest first. */
  readonly afterTokens: readonly number[];
  /** The last compaction was undone, and no turn has ended since. */
  readonly undone: boolean;
}

/** Decides when a thread is compacted automatically. One per session. */
export class CompactionTrigger {
  readonly #tokenLimit: number | null;
  #afterTokens: readonly number[];
  /** Until a turn has ended: the user wants the full history, or compaction has just failed. */
  #heldOff: boolean;

  /** `tokenLimit`: the setting; `null`: 90 % of the effective window, 0: never. */
  constructor(tokenLimit: number | null, { afterTokens, undone }: CompactionState) {
    this.#tokenLimit = tokenLimit;
    this.#afterTokens = afterTokens;
    this.#heldOff = undone;
  }

  /** Tokens at which a thread is compacted; `null` where only the server can report that it is too long. */
  limitFor(contextWindow: number | null): number | null {
    if (this.#tokenLimit !== null) return this.#tokenLimit === 0 ? null : this.#tokenLimit;
    return contextWindow === null ? null : Math.floor(contextWindow * EFFECTIVE_PART * LIMIT_PART);
  }

  /** Returns the limit, as a part of `token_count`. */
  compactsAtOf(contextWindow: number | null): { readonly compactsAt?: number } {
    const limit = this.limitFor(contextWindow);
    return limit === null ? {} : { compactsAt: limit };
  }

  /** `used`: tokens of the next request. A compaction that saved little is not repeated at once. */
  isDue(used: number, contextWindow: number | null): boolean {
    const limit = this.limitFor(contextWindow);
    if (limit === null || this.#heldOff) return false;
    return used >= limit && used - (this.#afterTokens.at(-1) ?? 0) >= limit * GROWTH_PART;
  }

  compacted(afterTokens: number): void {
    this.#afterTokens = [...this.#afterTokens, afterTokens];
  }

  failed(): void {
    this.#heldOff = true;
  }

  undone(): void {
    this.#afterTokens = this.#afterTokens.slice(0, -1);
    this.#heldOff = true;
  }

  turnEnded(): void {
    this.#heldOff = false;
  }
}
