import { endOfString, parseJson, QUOTE } from '../util/json.ts';

/**
 * Whether the lines of a text that grows are a JSON document by now. Each line is looked at once, and the document is
 * parsed once, when its brackets are closed: a large one of many lines costs what it is, not its square.
 */
export class WholeJson {
  readonly #lines: string[] = [];
  /** Lines whose brackets are counted. */
  #counted = 0;
  #depth = 0;
  /** White space only: no document yet. */
  #isBlank = true;
  /** No line that follows can make a document of it. */
  #isHopeless = false;

  get text(): string {
    return this.#lines.join('\n');
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  isWhole(): boolean {
    for (; this.#counted < this.#lines.length && !this.#isHopeless; this.#counted++) {
      this.#count(this.#lines[this.#counted] ?? '');
    }
    if (this.#isBlank || this.#isHopeless || this.#depth > 0) return false;
    if (parseJson(this.text) !== undefined) return true;
    // With all brackets closed only white space may follow upon a document, and nothing can mend what is none.
    this.#isHopeless = true;
    return false;
  }

  #count(line: string): void {
    if (this.#isBlank) this.#isBlank = line.trim() === '';
    for (let at = 0; at < line.length; at++) {
      const character = line.charCodeAt(at);
      if (character === QUOTE) {
        at = endOfString(line, at + 1);
        // No string goes on in the next line.
        if (at >= line.length) this.#isHopeless = true;
      } else if (character === OPEN_BRACE || character === OPEN_BRACKET) this.#depth++;
      else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) this.#depth--;
    }
    if (this.#depth < 0) this.#isHopeless = true;
  }
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
