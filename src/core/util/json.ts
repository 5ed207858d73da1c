/** JSON of others: a text of 30 MB can stand for a gigabyte of empty objects. */

/** Values of one document; more than any answer or tool call has. */
const MAX_VALUES = 1_000_000;
/** Each value has at least two characters: a brace or bracket and the comma. */
const CAN_HAVE_TOO_MANY = 2 * MAX_VALUES;

/** `undefined` when it is not JSON, or has too many values. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the memory would have to hold more values than Tiller takes from others. Reads the text once. */
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

/** Where the closing quote of a string stands. */
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
