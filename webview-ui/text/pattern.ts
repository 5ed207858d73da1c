/** Parses and formats the pattern of a rule as the user types it: `git (status|log) 'two words'`. */
import type { Rule } from '../../src/protocol/policy.ts';

type Pattern = Rule['pattern'];

/** Parses a pattern. Returns `undefined` if it is empty, or if a quote or bracket is not closed. */
export function parsePattern(text: string): Pattern | undefined {
  const element = /\s*(?:\(([^()\s]+)\)(?=\s|$)|((?:'[^']*'|"[^"]*"|[^\s'"()])+)(?=\s|$))/y;
  const pattern: Pattern = [];
  const end = text.trimEnd().length;
  while (element.lastIndex < end) {
    const [, alternatives, word] = element.exec(text) ?? [];
    if (alternatives === undefined && word === undefined) return undefined;
    const choices = alternatives?.split('|');
    if (choices?.includes('')) return undefined;
    pattern.push(choices ?? (word ?? '').replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return pattern.length > 0 ? pattern : undefined;
}

/** Formats a pattern so that `parsePattern` returns the same pattern. */
export function formatPattern(pattern: Pattern): string {
  return pattern.map((element) => (typeof element === 'string' ? quoted(element) : `(${element.join('|')})`)).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./|*~^#!?-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
