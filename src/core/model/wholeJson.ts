import { endOfString, parseJson, QUOTE } from '../util/json.ts';

/**
 * Detects when the lines of a growing text are a JSON document. Each line is scanned once, and the document is parsed
 * once, when its brackets are closed: a large document of many lines takes linear, not quadratic time.
 */
export class WholeJson {
  readonly #lines: string[] = [];
  /** The number of lines whose brackets were counted. */
  #counted = 0;
  #depth = 0;
  /** True while there is only white space. */
  #isBlank = true;
  /** True when no further line can make it a document. */
  #isInvalid = false;

  get text(): string {
    return this.#lines.join('\n');
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  isWhole(): boolean {
    for (; this.#counted < this.#lines.length && !this.#isInvalid; this.#counted++) {
      this.#count(this.#lines[this.#counted] ?? '');
    }
    if (this.#isBlank || this.#isInvalid || this.#depth > 0) return false;
    if (parseJson(this.text) !== undefined) return true;
    // Only white space may follow closed brackets, so further lines cannot make it valid.
    this.#isInvalid = true;
    return false;
  }

  #count(line: string): void {
    if (this.#isBlank) this.#isBlank = line.trim() === '';
    for (let at = 0; at < line.length; at++) {
      const character = line.charCodeAt(at);
      if (character === QUOTE) {
        at = endOfString(line, at + 1);
        // A JSON string cannot continue in the next line.
        if (at >= line.length) this.#isInvalid = true;
      } else if (character === OPEN_BRACE || character === OPEN_BRACKET) this.#depth++;
      else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) this.#depth--;
    }
    if (this.#depth < 0) this.#isInvalid = true;
  }
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
