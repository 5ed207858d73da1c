/**
 * Pieces are joined in blocks of this many, so that a text of millions of pieces takes little more memory than the text
 * itself.
 */
const JOINED_AT_ONCE = 1024;

export class TextPieces {
  #blocks: string[] = [];
  #pieces: string[] = [];

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#pieces.length === 0;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length < JOINED_AT_ONCE) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** Returns the whole text and clears it. */
  take(): string {
    const text = [...this.#blocks, ...this.#pieces].join('');
    this.#blocks = [];
    this.#pieces = [];
    return text;
  }
}
