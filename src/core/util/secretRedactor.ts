/** Keys taken out of texts: whole ones, and such as come in pieces, which must not show a key in passing. */
import { escapeRegExp } from './escapeRegExp.ts';

export const HIDDEN = '[hidden]';

/** A shorter key is no secret worth a broken message: `ollama` would be hidden in every sentence about Ollama. */
const SHORTEST_KEY = 8;

/** A text that goes on: what of it can be shown, and its end, in which a key may have begun. */
export interface Beginning {
  readonly shown: string;
  /** Belongs in front of what comes next. */
  readonly held: string;
}

/** Where two keys begin at one place the longer one counts. */
export class SecretRedactor {
  readonly #keys = new Set<string>();
  readonly #firstCharacters = new Set<string>();
  #longest = 0;
  #pattern = /(?!)/g;

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** A key that Tiller holds, in every form in which it may come back. */
  hold(key: string): void {
    if (key.length < SHORTEST_KEY) return;
    // In JSON, in JSON inside of JSON (the arguments of a call), and in an address.
    for (const form of [key, inJson(key), inJson(inJson(key)), ...inAddress(key)]) this.add(form);
  }

  /** Exactly this text, however short. */
  add(key: string): void {
    if (key === '' || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#firstCharacters.add(key.charAt(0));
    this.#longest = Math.max(this.#longest, key.length);
    const longestFirst = [...this.#keys].toSorted((left, right) => right.length - left.length);
    this.#pattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g');
  }

  isIn(text: string): boolean {
    return text.search(this.#pattern) >= 0;
  }

  hide(text: string): string {
    return this.isEmpty ? text : text.replace(this.#pattern, HIDDEN);
  }

  /** Whatever pieces a text comes in, what is shown of them and the rest, hidden, are the whole text, hidden. */
  hideBeginning(text: string): Beginning {
    if (this.isEmpty) return { shown: text, held: '' };
    let shown = '';
    let at = 0;
    let open = this.#openFrom(text, at);
    while (at < text.length) {
      this.#pattern.lastIndex = at;
      const match = this.#pattern.exec(text);
      // One that begins later, or may yet turn out to be a longer one, is not decided.
      if (match === null || match.index >= open) break;
      shown += text.slice(at, match.index) + HIDDEN;
      at = match.index + match[0].length;
      if (at > open) open = this.#openFrom(text, at);
    }
    return { shown: shown + text.slice(at, open), held: text.slice(open) };
  }

  /** A text whose beginning was cut off, without what is left there of a key that the cut has gone through. */
  withoutCutKey(text: string): string {
    let end = 0;
    for (const key of this.#keys) {
      for (let length = Math.min(key.length - 1, text.length); length > end; length--) {
        if (text.startsWith(key.slice(-length))) end = length;
      }
    }
    // Another key may begin in what is dropped, and would then stand there without its beginning.
    for (let at = 0; at < end; at++) {
      for (const key of this.#keys) if (text.startsWith(key, at)) end = Math.max(end, at + key.length);
    }
    return text.slice(end);
  }

  /** The first place where the text ends before it is clear whether a key, or a longer one, stands there. */
  #openFrom(text: string, from: number): number {
    for (let at = Math.max(from, text.length - this.#longest + 1); at < text.length; at++) {
      if (this.#firstCharacters.has(text.charAt(at)) && this.#mayBegin(text.slice(at))) return at;
    }
    return text.length;
  }

  #mayBegin(end: string): boolean {
    for (const key of this.#keys) if (key.length > end.length && key.startsWith(end)) return true;
    return false;
  }
}

/** One text that comes in pieces: an end in which a key may have begun waits for the next one. */
export class RedactedText {
  readonly #keys: SecretRedactor;
  #held = '';

  constructor(keys: SecretRedactor) {
    this.#keys = keys;
  }

  /** What can be shown now. */
  push(piece: string): string {
    const { shown, held } = this.#keys.hideBeginning(this.#held + piece);
    this.#held = held;
    return shown;
  }

  /** Nothing follows: the rest. */
  end(): string {
    const rest = this.#keys.hide(this.#held);
    this.#held = '';
    return rest;
  }
}

function inAddress(text: string): string[] {
  if (/\p{Surrogate}/u.test(text)) return [];
  return [encodeURIComponent(text), new URLSearchParams({ key: text }).toString().slice('key='.length)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
