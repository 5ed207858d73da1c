/**
 * Splits text into words as a POSIX shell does without expansions, and joins them again. For examples in rules and for
 * display.
 */

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A command line as a user would type it: `splitShellWords` returns the same words. */
export function joinShellWords(words: readonly string[]): string {
  return words.map(quoteShellWord).join(' ');
}

function quoteShellWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** One piece of a word: single-quoted, double-quoted, an escaped character, or plain characters. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;
const SPACE = /\s*/y;

/**
 * Returns `undefined` when a quote is not closed or the text ends in a backslash. Operators and `#` are plain
 * characters.
 */
export function splitShellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let position = skipSpace(text, 0);
  while (position < text.length) {
    let word = '';
    for (PIECE.lastIndex = position; ; position = PIECE.lastIndex) {
      const piece = PIECE.exec(text);
      if (piece === null) break;
      const [, single, double, escaped, plain] = piece;
      word += single ?? double?.replaceAll(/\\([$`"\\])/g, '$1').replaceAll('\\\n', '') ?? escaped ?? plain ?? '';
    }
    const next = skipSpace(text, position);
    if (next === position && position < text.length) return undefined;
    words.push(word);
    position = next;
  }
  return words;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}
