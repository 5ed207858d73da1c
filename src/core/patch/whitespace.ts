/**
 * The definition of whitespace. The patch format was made in Rust, whose `trim` removes U+0085 and keeps U+FEFF; that
 * of JavaScript does the opposite (codex-behaviour.md §14.20). All code in this folder must trim with these functions.
 */

/** Unicode's White_Space property. */
function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** Does what `String.prototype.trimEnd` does, with the whitespace of this file. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Does what `String.prototype.trimStart` does, with the whitespace of this file. */
export function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  return text.slice(start);
}

/** Does what `String.prototype.trim` does, with the whitespace of this file. */
export function trim(text: string): string {
  return trimStart(trimEnd(text));
}

const TYPOGRAPHIC_SPACES = /[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g;
const LOOKALIKES: readonly (readonly [characters: RegExp, plain: string])[] = [
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u2018-\u201B]/g, "'"],
  [/[\u201C-\u201F]/g, '"'],
  [TYPOGRAPHIC_SPACES, ' '],
];

const BEYOND_LATIN = /[\u00A0\u2000-\u3000]/;

/** Trims, and replaces typographic dashes, quotes and spaces by their ASCII forms (codex-behaviour.md §1.3 step 4). */
export function plain(text: string): string {
  const trimmed = trim(text);
  if (!BEYOND_LATIN.test(trimmed)) return trimmed;
  return LOOKALIKES.reduce((line, [characters, key]) => line.replace(characters, key), trimmed);
}

/** Replaces typographic spaces by ASCII spaces. */
export function spaces(text: string): string {
  return text.replace(TYPOGRAPHIC_SPACES, ' ');
}
