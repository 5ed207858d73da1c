/** Redacts keys in texts, including texts that arrive in pieces, of which no piece may show a part of a key. */
import { escapeRegExp } from './escapeRegExp.ts';

export const HIDDEN = '[hidden]';

/**
 * In characters. A shorter key is not worth protecting and would damage messages: `ollama` would be redacted in every
 * sentence about Ollama.
 */
const SHORTEST_KEY = 8;

/** A text that continues: the part that can be shown, and the end, in which a key may begin. */
export interface Beginning {
  readonly shown: string;
  /** Prepend this to the next piece. */
  readonly held: string;
}

/** Redacts the longer one of two keys that begin at the same place. */
export class SecretRedactor {
  readonly #keys = new Set<string>();
  readonly #firstCharacters = new Set<string>();
  #longest = 0;
  #pattern = /(?!)/g;

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** Adds a key that Tiller holds, in every form in which it may appear. */
  hold(key: string): void {
    if (key.length < SHORTEST_KEY) return;
    // Plain, in JSON, in JSON inside JSON (the arguments of a call), and in an address.
    for (const form of [key, inJson(key), inJson(inJson(key)), ...inAddress(key)]) this.add(form);
  }

  /** A redactor of these keys as well, each in every form in which it may appear. */
  with(keys: readonly string[]): SecretRedactor {
    const all = new SecretRedactor();
    for (const key of this.#keys) all.add(key);
    for (const key of keys) all.hold(key);
    return all;
  }

  /** Adds exactly this text, however short. */
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

  /** However a text is split into pieces, the redacted pieces joined are the same as the redacted whole. */
  hideBeginning(text: string): Beginning {
    if (this.isEmpty) return { shown: text, held: '' };
    let shown = '';
    let at = 0;
    let open = this.#openFrom(text, at);
    while (at < text.length) {
      this.#pattern.lastIndex = at;
      const match = this.#pattern.exec(text);
      // A match that begins later, or that may become a longer one, is not decided yet.
      if (match === null || match.index >= open) break;
      shown += text.slice(at, match.index) + HIDDEN;
      at = match.index + match[0].length;
      if (at > open) open = this.#openFrom(text, at);
    }
    return { shown: shown + text.slice(at, open), held: text.slice(open) };
  }

  /** Removes the rest of a key from the start of a text whose beginning was cut off inside the key. */
  withoutCutKey(text: string): string {
    let end = 0;
    for (const key of this.#keys) {
      for (let length = Math.min(key.length - 1, text.length); length > end; length--) {
        if (text.startsWith(key.slice(-length))) end = length;
      }
    }
    // Another key may begin in the removed part, and would then remain without its beginning.
    for (let at = 0; at < end; at++) {
      for (const key of this.#keys) if (text.startsWith(key, at)) end = Math.max(end, at + key.length);
    }
    return text.slice(end);
  }

  /** The first place at which the text ends before it is clear whether a key, or a longer one, is there. */
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

/** Redacts one text that arrives in pieces: an end in which a key may begin is held until the next piece. */
export class RedactedText {
  readonly #keys: SecretRedactor;
  #held = '';

  constructor(keys: SecretRedactor) {
    this.#keys = keys;
  }

  /** Returns the text that can be shown now. */
  push(piece: string): string {
    const { shown, held } = this.#keys.hideBeginning(this.#held + piece);
    this.#held = held;
    return shown;
  }

  /** Ends the text and returns the rest. */
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
