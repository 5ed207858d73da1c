/** Writes values with very long texts as JSON without a second copy in memory. */

import { append } from './append.ts';

/** In characters: longer texts are written in pieces. */
const LONG = 1024 * 1024;

/** Returns one line of JSON after `before`; in pieces only if a text in it is long. */
export function jsonLine(value: unknown, before = ''): string | Iterable<string> {
  return hasLongText(value) ? pieces(value, before) : `${before}${JSON.stringify(value)}\n`;
}

function* pieces(value: unknown, before: string): Generator<string, void, undefined> {
  yield before;
  yield* jsonPieces(value);
  yield '\n';
}

/** The JSON of a value as `JSON.stringify` writes it, in pieces; in one piece if no text in it is long. */
function* jsonPieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > LONG) {
    yield '"';
    for (let at = 0; at < value.length; at += LONG) yield JSON.stringify(value.slice(at, at + LONG)).slice(1, -1);
    yield '"';
  } else if (!hasLongText(value)) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    yield* list(
      '[',
      value.map((element: unknown) => ['', element ?? null] as const),
      ']',
    );
  } else {
    const fields = Object.entries(value as object).filter(([, field]) => field !== undefined);
    yield* list(
      '{',
      fields.map(([name, field]) => [`${JSON.stringify(name)}:`, field] as const),
      '}',
    );
  }
}

function* list(open: string, entries: readonly (readonly [string, unknown])[], close: string) {
  yield open;
  for (const [index, [name, value]] of entries.entries()) {
    yield (index > 0 ? ',' : '') + name;
    yield* jsonPieces(value);
  }
  yield close;
}

function hasLongText(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === 'string' && each.length > LONG) return true;
    if (typeof each === 'object' && each !== null) append(left, Object.values(each));
  }
  return false;
}
