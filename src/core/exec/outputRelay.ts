import type { Clock } from '../ports.ts';

export type OutputStream = 'stdout' | 'stderr';
export type OutputListener = (text: string, stream: OutputStream) => void;

/** Pieces that come closer together leave together. */
const INTERVAL_MS = 30;
/** Characters of one piece: below the largest message a panel may get, however they are escaped (design §5). */
const PIECE = 40_000;
/** What may be told at once, and how fast that comes back, in characters: more than anybody reads. */
const BURST = 8 * 1024 * 1024;
const PER_MILLISECOND = 4 * 1024;
/** What must have come back before a flood is shown again, and how much of its end is shown then. */
const RESUME = 1024 * 1024;
const SHOWN_END = 64 * 1024;

/**
 * Hands output on to whoever watches: the first piece at once, what follows in batches. A flood is cut in the middle and
 * says so, for a gigabyte told in full would drown every listener; the log on disk has it.
 */
export class OutputRelay {
  readonly #clock: Clock;
  #listener: OutputListener;
  #held = '';
  #stream: OutputStream = 'stdout';
  #stopWaiting: (() => void) | undefined;
  #allowance = BURST;
  #refilledAt: number;
  #skipped = 0;
  #skippedEnd = '';

  constructor(clock: Clock, listener: OutputListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.#refilledAt = clock.monotonic();
  }

  push(text: string, stream: OutputStream): void {
    if (stream !== this.#stream) this.#deliver();
    this.#stream = stream;
    this.#held += text;
    if (this.#stopWaiting === undefined) {
      this.#deliver();
      this.#wait();
    } else if (this.#held.length > BURST) this.#deliver();
  }

  /** Everything so far goes to the one who listened until now, everything later to the other. */
  redirect(listener: OutputListener): void {
    this.flush();
    this.#listener = listener;
  }

  /** Holds nothing back any longer. */
  flush(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    this.#deliver();
    this.#showSkipped();
  }

  #wait(): void {
    this.#stopWaiting = this.#clock.after(INTERVAL_MS, () => {
      this.#stopWaiting = undefined;
      if (this.#held === '') return;
      this.#deliver();
      this.#wait();
    });
  }

  #deliver(): void {
    const text = this.#held;
    if (text === '') return;
    this.#held = '';
    this.#refill();
    if (this.#skipped > 0 && this.#allowance >= RESUME) this.#showSkipped();
    if (this.#skipped > 0 || text.length > this.#allowance) {
      this.#skipped += text.length;
      this.#skippedEnd = (this.#skippedEnd + text).slice(-SHOWN_END);
      return;
    }
    this.#allowance -= text.length;
    this.#send(text);
  }

  #showSkipped(): void {
    if (this.#skipped === 0) return;
    const hidden = this.#skipped - this.#skippedEnd.length;
    const end = this.#skippedEnd;
    this.#skipped = 0;
    this.#skippedEnd = '';
    this.#allowance = Math.max(0, this.#allowance - end.length);
    this.#send(hidden > 0 ? `\n[${hidden} characters are not shown here]\n${end}` : end);
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#refilledAt) * PER_MILLISECOND);
    this.#refilledAt = now;
  }

  #send(text: string): void {
    for (let from = 0; from < text.length; from += PIECE) {
      this.#listener(text.slice(from, from + PIECE), this.#stream);
    }
  }
}
