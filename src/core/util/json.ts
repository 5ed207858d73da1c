/**
 * Parsing of JSON from outside: 30 MB of text can become a gigabyte of empty objects in memory, and 100 KB of brackets can
 * end every function that walks the value.
 */
import { append } from './append.ts';

/** The maximum number of values in one document; more than any real response or tool call has. */
const MAX_VALUES = 1_000_000;

/**
 * The maximum levels of nesting in one document; more than any real response or tool call has. `JSON.stringify`, the
 * structured clone and functions that call themselves for each level run out of stack at some thousand.
 */
const MAX_LEVELS = 500;

/** Returns `undefined` when the text is not JSON, has too many values, or is nested too deeply. */
export function parseJson(text: string): unknown {
  if (excessOf(text) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for an object of JSON: neither an array nor `null`. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The reason for which Tiller does not accept a text from outside; words that follow its name. */
export type Excess = 'has too many values' | 'is nested too deeply';

/** The excess of a text, whether it is JSON or not. Reads it once. */
export function excessOf(text: string): Excess | undefined {
  if (text.length <= MAX_LEVELS) return undefined;
  let [values, levels] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at + 1);
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) levels--;
    else if (character === COMMA) values++;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      values++;
      if (++levels > MAX_LEVELS) return 'is nested too deeply';
    }
  }
  return values > MAX_VALUES ? 'has too many values' : undefined;
}

/** Returns true for a value that `parseJson` would not return for its nesting: one that a library has parsed. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let levels = 0; level.length > 0; levels++) {
    if (levels > MAX_LEVELS) return true;
    const inner: unknown[] = [];
    for (const each of level) {
      if (typeof each === 'object' && each !== null) append(inner, Object.values(each));
    }
    level = inner;
  }
  return false;
}

/** The position of the closing quote of a string. */
export function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

export const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN_BRACE = 123;
const OPEN_BRACKET = 91;
const CLOSE_BRACE = 125;
const CLOSE_BRACKET = 93;
