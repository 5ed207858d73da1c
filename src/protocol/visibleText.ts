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

function named(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
