/**
 * Checks the parser: the text between the words that it found must be only space and operators. The parser takes `a(b`
 * for two words, while bash reports an error and zsh reads a pattern; this check catches that.
 */

interface Span {
  readonly pos: number;
  readonly end: number;
}

const COMMENTS = /(?<=^|\s)#[^\n]*/g;
const BETWEEN_WORDS = /^([ \t]|\\\n)+$/;
const BETWEEN_COMMANDS = /^([ \t\n]|\\\n)*(\n|;|&&|\|\|?)([ \t\n]|\\\n)*$/;
const BEFORE = /^([ \t\n]|\\\n)*$/;
const AFTER = /^([ \t\n]|\\\n)*;?([ \t\n]|\\\n)*$/;

/**
 * True when the source consists only of the words, space, `&&`, `||`, `|`, `;`, line ends and comments; `commands` in
 * source order.
 */
export function isAllAccountedFor(source: string, commands: readonly (readonly Span[])[]): boolean {
  const gap = (from: number, to: number): string => source.slice(from, to).replaceAll(COMMENTS, '');
  const first = commands[0]?.[0];
  const last = commands.at(-1)?.at(-1);
  if (first === undefined || last === undefined || last.end > source.length) return false;
  const outer = BEFORE.test(gap(0, first.pos)) && AFTER.test(gap(last.end, source.length));
  return outer && commands.every(areWordsApart) && neighbours(commands).every(areCommandsApart);

  function areWordsApart(words: readonly Span[]): boolean {
    return neighbours(words).every(([one, next]) => BETWEEN_WORDS.test(source.slice(one.end, next.pos)));
  }

  function areCommandsApart([one, next]: readonly [readonly Span[], readonly Span[]]): boolean {
    return BETWEEN_COMMANDS.test(gap(one.at(-1)?.end ?? 0, next[0]?.pos ?? 0));
  }
}

function neighbours<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.slice(1).map((next, index) => [items[index] as Item, next] as const);
}
