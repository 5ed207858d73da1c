import type { Clock } from '../ports.ts';

export type OutputStream = 'stdout' | 'stderr';
export type OutputListener = (text: string, stream: OutputStream) => void;

/** Output within this interval is delivered together. */
const INTERVAL_MS = 30;
/**
 * In characters: the size of one piece, small enough for the largest message to the panel even after escaping (design
 * §5).
 */
const PIECE = 40_000;
/** In characters: how much may be delivered at once, and how fast that allowance refills; more than a user can read. */
const BURST = 8 * 1024 * 1024;
const PER_MILLISECOND = 4 * 1024;
/**
 * In characters: the allowance that must be available before delivery resumes after a flood, and how much of the end is
 * delivered then.
 */
const RESUME = 1024 * 1024;
const SHOWN_END = 64 * 1024;

/**
 * Delivers output to a listener: the first piece at once, later ones in batches. A flood is cut in the middle with a
 * note, because a gigabyte of events would overload every listener; the log on disk has it.
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

  /** Delivers pending output to the current listener and all later output to the new one. */
  redirect(listener: OutputListener): void {
    this.flush();
    this.#listener = listener;
  }

  /** Delivers all pending output. */
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
    const omitted = this.#skipped - this.#skippedEnd.length;
    const end = this.#skippedEnd;
    this.#skipped = 0;
    this.#skippedEnd = '';
    this.#allowance = Math.max(0, this.#allowance - end.length);
    this.#send(omitted > 0 ? `\n[${omitted} characters are not shown here]\n${end}` : end);
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
