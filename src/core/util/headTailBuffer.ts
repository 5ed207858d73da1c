import { countLineBreaks, type HeadTail } from './tokens.ts';

/**
 * Collects a text of any length in constant memory: keeps the first and the last `limit / 2` characters and counts what
 * was dropped between them (codex-behaviour.md §4.1: 512 KiB + 512 KiB).
 */
export class HeadTailBuffer {
  readonly #half: number;
  #head = '';
  /** Grows to twice its half before it is cut, so that not every piece costs a cut. */
  #tail = '';
  #omitted = 0;
  #lineBreaks = 0;

  constructor(limit = 1024 * 1024) {
    this.#half = limit / 2;
  }

  append(text: string): void {
    this.#lineBreaks += countLineBreaks(text);
    const room = this.#half - this.#head.length;
    if (room > 0) {
      this.#head += text.slice(0, room);
      text = text.slice(room);
    }
    if (text === '') return;
    this.#tail += text;
    if (this.#tail.length > this.#half * 2) this.#cut();
  }

  /** The text kept so far. */
  read(): HeadTail {
    if (this.#tail.length > this.#half) this.#cut();
    return { head: this.#head, tail: this.#tail, omittedBytes: this.#omitted, lineBreaks: this.#lineBreaks };
  }

  #cut(): void {
    const cut = this.#tail.length - this.#half;
    this.#omitted += new TextEncoder().encode(this.#tail.slice(0, cut)).length;
    this.#tail = this.#tail.slice(cut);
  }
}
