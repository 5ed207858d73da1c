import { type Event, type EventMsg, isPersisted } from '../../protocol/event.ts';
import type { Clock, Log } from '../ports.ts';
import type { RolloutEntry } from '../rollout/line.ts';
import type { Recorder } from '../rollout/recorder.ts';
import type { Disposable } from '../util/disposable.ts';
import { Emitter, type Listener } from '../util/emitter.ts';
import { StorageFailure } from './failure.ts';

/** Counts the events of one process over all its threads (contract: "without gaps per process"). */
export class EventSequence {
  #last = 0;
  next(): number {
    return ++this.#last;
  }
}

/** Turns news into events: numbered, dated, written down first and told afterwards. */
export class EventSink {
  readonly #emitter: Emitter<Event>;
  readonly #threadId: string;
  readonly #sequence: EventSequence;
  readonly #clock: Clock;
  readonly #recorder: Recorder;
  /** Set by the first line that could not be written, so that the failure itself can still be told. */
  #broken = false;

  constructor(options: {
    readonly threadId: string;
    readonly sequence: EventSequence;
    readonly clock: Clock;
    readonly log: Log;
    readonly recorder: Recorder;
  }) {
    this.#threadId = options.threadId;
    this.#sequence = options.sequence;
    this.#clock = options.clock;
    this.#recorder = options.recorder;
    this.#emitter = new Emitter((error) => options.log.error('An event listener failed', error));
  }

  onEvent(listener: Listener<Event>): Disposable {
    return this.#emitter.event(listener);
  }

  /** Lines are written again from here on; said at the start of a turn. */
  mend(): void {
    this.#broken = false;
  }

  /** @throws StorageFailure for the first line that cannot be written; later ones are let go until `mend`. */
  record(entry: RolloutEntry): void {
    if (this.#broken) return;
    try {
      this.#recorder.record(entry);
    } catch (error) {
      this.#broken = true;
      throw new StorageFailure(error);
    }
  }

  /** @throws StorageFailure as `record` does. */
  emit(turnId: string | null, submissionId: string | null, msg: EventMsg): void {
    if (isPersisted(msg)) this.record({ type: 'event_msg', payload: { turnId, submissionId, msg } });
    this.#emitter.fire({
      v: 1,
      seq: this.#sequence.next(),
      at: this.#clock.now().toISOString(),
      threadId: this.#threadId,
      turnId,
      submissionId,
      msg,
    });
  }

  dispose(): void {
    this.#emitter.dispose();
  }
}
