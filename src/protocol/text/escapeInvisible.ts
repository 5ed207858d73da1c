/** Control characters, and those that show as nothing or turn the direction of what follows (Unicode TR 36, 3.1). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A text that somebody else has chosen, as it may be shown to a person who decides by it, or be sent to a terminal: what
 * cannot be seen in it can. Lines and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : named(character),
  );
}

/** The same on one line: a name of a file in a sentence of ours, which must not look like two. */
export function visibleName(text: string): string {
  return text.replaceAll(UNSEEN, (character) => (character === '\n' ? '\\n' : named(character)));
}

/** Joiners inside of words and emoji. */
const JOINERS = '\u200c\u200d';

/**
 * A whole text of a model or a program on a terminal, which would obey control characters and turn the direction of the
 * text. Line ends and joiners stay.
 */
export function terminalText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) => (`\n\t${JOINERS}`.includes(character) ? character : named(character)));
}

/** JSON in one line on a terminal: the same JSON, with everything escaped that cannot be seen. */
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
