import type { EventMsg } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';

export interface QueuedInput {
  /** The submission that queued it. */
  readonly id: string;
  readonly input: readonly UserInput[];
}

/** What a person says while a turn runs: kept until the turn can take it, and theirs to change until then. */
export class InputQueue {
  readonly #emit: (submissionId: string | null, msg: EventMsg) => void;
  #queued: readonly QueuedInput[] = [];

  constructor(emit: (submissionId: string | null, msg: EventMsg) => void) {
    this.#emit = emit;
  }

  add(id: string, input: readonly UserInput[]): void {
    this.#queued = [...this.#queued, { id, input }];
    this.#emit(id, { type: 'input_queued', id, input: [...input] });
  }

  /** `null` withdraws it. False when it is not queued any more. */
  edit(submissionId: string, id: string, input: readonly UserInput[] | null): boolean {
    if (!this.#queued.some((queued) => queued.id === id)) return false;
    if (input === null) {
      this.#queued = this.#queued.filter((queued) => queued.id !== id);
      this.#emit(submissionId, { type: 'input_dequeued', id, reason: 'withdrawn' });
    } else {
      this.#queued = this.#queued.map((queued) => (queued.id === id ? { id, input } : queued));
      this.#emit(submissionId, { type: 'input_queued', id, input: [...input] });
    }
    return true;
  }

  /** Empties it, oldest first, telling each why in the name of `submissionId`, or else of its own submission. */
  take(reason: 'joined' | 'dropped', submissionId?: string | null): readonly QueuedInput[] {
    const taken = this.#queued;
    this.#queued = [];
    for (const { id } of taken) {
      this.#emit(submissionId === undefined ? id : submissionId, { type: 'input_dequeued', id, reason });
    }
    return taken;
  }
}
