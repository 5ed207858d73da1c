import type { RecordedStop } from '../../core/replay/recording.ts';
import type { EventMsg } from '../../protocol/event.ts';

/** Recognizes the point at which a recorded turn was stopped from outside. */
export class StopPoint {
  readonly #onReached: (type: RecordedStop['type']) => void;
  #stop: RecordedStop | undefined;
  /** The turn has come to its last step, but items of it may still be written. */
  #isAtStop = false;
  /** Items of the history in the rollout so far. */
  #items = 0;
  /** The text so far of the message that the model is writing. */
  #message = '';

  /** `onReached` is called once for each turn that was stopped. */
  constructor(onReached: (type: RecordedStop['type']) => void) {
    this.#onReached = onReached;
  }

  /** Call for each turn; `undefined`: it was not stopped. */
  begin(stop: RecordedStop | undefined): void {
    this.#stop = stop;
    this.#isAtStop = false;
  }

  /** Call when items were appended to the rollout. */
  addItems(count: number): void {
    this.#items += count;
    this.#stopIfDue();
  }

  /** Call for each event of the session. */
  note(msg: EventMsg): void {
    if (msg.type === 'item_started' && msg.item.type === 'agent_message') this.#message = '';
    if (msg.type === 'item_delta' && msg.kind === 'text') {
      this.#message += msg.text;
      setImmediate(() => this.#stopIfDue());
    }
  }

  /** Call at the last recorded step of the turn. */
  reach(): void {
    this.#isAtStop = true;
    // Deferred, so that the event that led here is handled first.
    setImmediate(() => this.#stopIfDue());
  }

  #stopIfDue(): void {
    const stop = this.#stop;
    if (!this.#isAtStop || stop === undefined) return;
    // Chat Completions has no end of a message: an unfinished one is recorded by the interrupt.
    const unfinished = stop.unfinished !== undefined && this.#message === stop.unfinished ? 1 : 0;
    if (this.#items + unfinished < stop.items) return;
    this.#isAtStop = false;
    this.#onReached(stop.type);
  }
}
