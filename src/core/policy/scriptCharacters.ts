/**
 * Checks the characters of a script before its words are relied on (sandbox.md §6).
 *
 * Characters that a reader cannot see, or that two shells read differently, are refused; that costs at most a prompt.
 */

/**
 * Control characters other than tab and newline, and all characters that are invisible or look like another kind of
 * space. The expression is made at the first call: its classes take V8 0.5 ms of a start.
 */
export function hasInvisibleCharacters(text: string): boolean {
  return /[^\P{Cc}\t\n]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u.test(text);
}

/** Outside quotes: no glob, brace, tilde, expansion or history character, and nothing but ASCII. */
const LITERAL_UNQUOTED = /^[\w./:,@%+=^!#-]*$/;
const ESCAPED = /\\[\s\S]/g;

/** True when bash, dash and zsh all take the unquoted source of a word literally, apart from its escapes. */
export function isLiteralUnquoted(source: string): boolean {
  return LITERAL_UNQUOTED.test(source.replaceAll(ESCAPED, ''));
}

/** A command name that is a plain word: neither quoted nor escaped (codex-behaviour.md §6.6), nor an assignment. */
const PLAIN_NAME = /^[\w./][\w./:,@%+-]*$/;

/** True for a source that can be the name of a command as it stands, without quotes, escapes or an assignment. */
export function isPlainName(source: string): boolean {
  return PLAIN_NAME.test(source);
}
