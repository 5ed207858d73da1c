import { parseJson } from './functionForm.ts';

/**
 * Whether the lines of a text that grows are a JSON document by now. Each line is looked at once, and the document is
 * parsed once, when its brackets are closed: a large one of many lines costs what it is, not its square.
 */
export class WholeJson {
  readonly #lines: string[] = [];
  /** Lines whose brackets are counted. */
  #counted = 0;
  #depth = 0;
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
    if (this.#isHopeless || this.#depth > 0) return false;
    const { text } = this;
    if (parseJson(text) !== undefined) return true;
    // With all brackets closed only white space may follow upon a document, and nothing can mend what is none.
    this.#isHopeless = text.trim() !== '';
    return false;
  }

  #count(line: string): void {
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

/** Where its closing quote stands. */
function endOfString(line: string, from: number): number {
  let at = from;
  while (at < line.length && line.charCodeAt(at) !== QUOTE) at += line.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
