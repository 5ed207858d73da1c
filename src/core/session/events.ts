import { type Event, type EventMsg, isPersisted } from '../../protocol/event.ts';
import type { Clock, Log } from '../ports.ts';
import type { RolloutEntry } from '../rollout/line.ts';
import type { Recorder } from '../rollout/recorder.ts';
import type { Disposable } from '../util/disposable.ts';
import { Emitter, type Listener } from '../util/emitter.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import { StorageFailure } from './failure.ts';
import { RedactingEvents, type TurnMsg } from './redactingEvents.ts';

/** Counts the events of one process over all its threads (contract: "without gaps per process"). */
export class EventSequence {
  #last = 0;
  next(): number {
    return ++this.#last;
  }
}

/**
 * Turns messages into events: redacts keys, adds number and time, writes to the rollout, then calls the listeners.
 * Never throws, because emitters run anywhere: in a stream, a listener, a timer. A failed write goes to
 * `onStorageFailure`, which stops the turn.
 */
export class EventSink {
  readonly #emitter: Emitter<Event>;
  readonly #threadId: string;
  readonly #sequence: EventSequence;
  readonly #clock: Clock;
  readonly #recorder: Recorder;
  readonly #onStorageFailure: (failure: StorageFailure) => void;
  readonly #hidden: RedactingEvents;
  /** A line could not be written, and none has been since: a full disk is reported once. */
  #broken = false;
  #frozen = false;
  /** The time of the last event, in milliseconds and as text: a fast stream has many events in one millisecond. */
  #time = { ms: Number.NaN, text: '' };

  constructor(options: {
    readonly threadId: string;
    readonly sequence: EventSequence;
    readonly clock: Clock;
    readonly log: Log;
    readonly recorder: Recorder;
    readonly keys: SecretRedactor;
    readonly onStorageFailure: (failure: StorageFailure) => void;
  }) {
    this.#threadId = options.threadId;
    this.#sequence = options.sequence;
    this.#clock = options.clock;
    this.#recorder = options.recorder;
    this.#hidden = new RedactingEvents(options.keys);
    this.#onStorageFailure = options.onStorageFailure;
    this.#emitter = new Emitter((error) => options.log.error('An event listener failed', error));
  }

  onEvent(listener: Listener<Event>): Disposable {
    return this.#emitter.event(listener);
  }

  /**
   * Stops all events. Only the unfinished messages of the model are still written: they are not in the history of the
   * model, but the user has read them.
   */
  freeze(): void {
    this.#frozen = true;
  }

  /** A line that cannot be written now is written with the next one that can. */
  record(entry: RolloutEntry): void {
    if (this.#frozen) return;
    const failure = this.#write(entry);
    if (failure) this.#onStorageFailure(failure);
  }

  emit(turnId: string | null, submissionId: string | null, msg: EventMsg): void {
    for (const hidden of this.#hidden.take(turnId, msg)) this.#emit(hidden, submissionId);
  }

  #emit({ turnId, msg }: TurnMsg, submissionId: string | null): void {
    if (this.#frozen && !isLastWord(msg)) return;
    const at = this.#now();
    const failure = isPersisted(msg)
      ? this.#write({ type: 'event_msg', payload: { turnId, submissionId, msg } }, at)
      : undefined;
    if (this.#frozen) return;
    this.#emitter.fire({
      v: 1,
      seq: this.#sequence.next(),
      at,
      threadId: this.#threadId,
      turnId,
      submissionId,
      msg,
    });
    if (failure) this.#onStorageFailure(failure);
  }

  #now(): string {
    const now = this.#clock.now();
    if (now.getTime() !== this.#time.ms) this.#time = { ms: now.getTime(), text: now.toISOString() };
    return this.#time.text;
  }

  /** Returns the failure, unless the write before it has failed, too. */
  #write(entry: RolloutEntry, at?: string): StorageFailure | undefined {
    try {
      this.#recorder.record(entry, at);
      this.#broken = false;
      return undefined;
    } catch (error) {
      if (this.#broken) return undefined;
      this.#broken = true;
      return new StorageFailure(error);
    }
  }

  dispose(): void {
    this.#emitter.dispose();
  }
}

function isLastWord(msg: EventMsg): boolean {
  if (msg.type !== 'item_completed' || msg.item.status !== 'aborted') return false;
  return msg.item.type === 'agent_message' || msg.item.type === 'reasoning';
}
