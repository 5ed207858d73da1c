/** Parsing of JSON from outside: 30 MB of text can become a gigabyte of empty objects in memory. */

/** The maximum number of values in one document; more than any real response or tool call has. */
const MAX_VALUES = 1_000_000;
/** Each value takes at least two characters: a brace or bracket and the comma. */
const CAN_HAVE_TOO_MANY = 2 * MAX_VALUES;

/** Returns `undefined` when the text is not JSON or has too many values. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) return undefined;
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

/** True when the text has more values than Tiller accepts from outside. Reads the text once. */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= CAN_HAVE_TOO_MANY) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at + 1);
    else if (character === COMMA || character === OPEN_BRACE || character === OPEN_BRACKET) values++;
  }
  return values > MAX_VALUES;
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
