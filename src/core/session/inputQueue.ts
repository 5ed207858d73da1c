import type { EventMsg } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';

export interface QueuedInput {
  /** The submission that queued it. */
  readonly id: string;
  readonly input: readonly UserInput[];
  /** A user is editing it: no turn takes it until the edit is sent or given up. */
  readonly held: boolean;
}

/** Messages that were sent while a turn runs. The user can change each of them until a turn takes it. */
export class InputQueue {
  readonly #emit: (submissionId: string | null, msg: EventMsg) => void;
  #queued: readonly QueuedInput[] = [];

  constructor(emit: (submissionId: string | null, msg: EventMsg) => void) {
    this.#emit = emit;
  }

  has(id: string): boolean {
    return this.#queued.some((queued) => queued.id === id);
  }

  /** True if `take` would return an input. */
  get isReady(): boolean {
    return this.#queued.some(({ held }) => !held);
  }

  add(id: string, input: readonly UserInput[]): void {
    this.#queued = [...this.#queued, { id, input, held: false }];
    this.#tell(id, id);
  }

  /** Returns a message that no turn takes to the user: adds it in front of the queue and drops it. */
  giveBack(id: string, input: readonly UserInput[]): void {
    this.#queued = [{ id, input, held: false }, ...this.#queued];
    this.#tell(id, id);
    this.remove(id, id, 'dropped');
  }

  /** Replaces the input and ends the hold. */
  edit(submissionId: string, id: string, input: readonly UserInput[]): void {
    this.#change(submissionId, id, { input, held: false });
  }

  /** A held message is neither taken nor dropped with the others, until it is edited or released. */
  setHeld(submissionId: string, id: string, held: boolean): void {
    this.#change(submissionId, id, { held });
  }

  remove(submissionId: string | null, id: string, reason: 'joined' | 'withdrawn' | 'dropped'): void {
    this.#queued = this.#queued.filter((queued) => queued.id !== id);
    this.#emit(submissionId, { type: 'input_dequeued', id, reason });
  }

  /** Takes the messages that are not held, oldest first, and emits the reason for each, with its own submission. */
  take(reason: 'joined' | 'dropped'): readonly QueuedInput[] {
    const taken = this.#queued.filter(({ held }) => !held);
    for (const { id } of taken) this.remove(id, id, reason);
    return taken;
  }

  /** Takes the oldest message that is not held. */
  takeOldest(reason: 'joined', submissionId: string | null): QueuedInput | undefined {
    const oldest = this.#queued.find(({ held }) => !held);
    if (oldest !== undefined) this.remove(submissionId, oldest.id, reason);
    return oldest;
  }

  /** Drops held messages: no client is left that could send or withdraw them. */
  dropHeld(): void {
    const held = this.#queued.filter((queued) => queued.held);
    for (const { id } of held) this.remove(id, id, 'dropped');
  }

  #change(submissionId: string, id: string, change: Partial<Pick<QueuedInput, 'input' | 'held'>>): void {
    this.#queued = this.#queued.map((queued) => (queued.id === id ? { ...queued, ...change } : queued));
    this.#tell(submissionId, id);
  }

  #tell(submissionId: string, id: string): void {
    const queued = this.#queued.find((candidate) => candidate.id === id);
    if (queued === undefined) return;
    const { input, held } = queued;
    this.#emit(submissionId, { type: 'input_queued', id, input: [...input], ...(held ? { held } : {}) });
  }
}
