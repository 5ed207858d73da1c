/** Control characters, and characters that are invisible or change the direction of text (Unicode TR 36, 3.1). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes invisible characters in a text from outside before it is shown for a decision or sent to a terminal. Keeps
 * line feeds and tabs.
 */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : named(character),
  );
}

/**
 * Escapes like `visibleText`, and line feeds too: for a file name in a sentence, which must not look like two names.
 */
export function visibleName(text: string): string {
  return text.replaceAll(UNSEEN, (character) => (character === '\n' ? '\\n' : named(character)));
}

/** The invisible joiners that are part of words and emoji. */
const JOINERS = '\u200c\u200d';

/**
 * Escapes a text of a model or a program for a terminal, which would execute control characters and reorder text at
 * directional characters. Keeps line ends and joiners.
 */
export function terminalText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) => (`\n\t${JOINERS}`.includes(character) ? character : named(character)));
}

/**
 * Escapes one line of JSON for a terminal. The result is equivalent JSON in which all invisible characters are escaped.
 */
export function terminalJson(line: string): string {
  return line.replaceAll(UNSEEN, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function named(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
