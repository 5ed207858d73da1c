/** Control characters, and those that show as nothing or turn the direction of what follows (Unicode TR 36, 3.1). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A name as it may stand in a sentence of ours, for a person, a terminal or the model: on one line, and with nothing in it
 * that a terminal obeys. Names of files are chosen by whoever wrote the repository.
 */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    if (character === '\n') return '\\n';
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
