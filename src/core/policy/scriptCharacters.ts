/**
 * Which characters a script may consist of before anybody trusts its words (sandbox.md §6).
 *
 * What a person cannot see, or what two shells read differently, is refused; that costs a prompt and nothing else.
 */

/** Control characters other than tab and newline, and everything that shows as nothing or as some other space. */
const INVISIBLE = /[^\P{Cc}\t\n]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;

export function hasInvisibleCharacters(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Outside quotes: no glob, brace, tilde, expansion or history character, and nothing but ASCII. */
const LITERAL_UNQUOTED = /^[\w./:,@%+=^!#-]*$/;
const ESCAPED = /\\[\s\S]/g;

/** Whether the unquoted source of a word stands for itself in bash, dash and zsh alike, once its escapes are undone. */
export function isLiteralUnquoted(source: string): boolean {
  return LITERAL_UNQUOTED.test(source.replaceAll(ESCAPED, ''));
}

/** A command name that is just a word: neither quoted nor escaped (codex-behaviour.md §6.6), nor an assignment. */
const PLAIN_NAME = /^[\w./][\w./:,@%+-]*$/;

export function isPlainName(source: string): boolean {
  return PLAIN_NAME.test(source);
}
