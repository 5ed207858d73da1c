/** Labels of rules for display: by their words, and by their place. */
import { inOneLine } from './truncate.ts';
import type { DecisionReason, Rule } from '../policy.ts';

/** Returns the words that a rule names: the first words of a command, or the whole script of a shell. */
export function ruleSubject({ pattern }: Pick<Rule, 'pattern'>, limit?: number): string {
  const script = scriptOf(pattern);
  if (script !== null) return inOneLine(script, limit);
  const words = inOneLine(pattern.map((word) => (typeof word === 'string' ? word : word.join('|'))).join(' '), limit);
  return words.endsWith('…') ? words : `${words}…`;
}

/** Returns the script of a rule for exactly one shell script, or `null`. */
export function scriptOf([program, flag, script, ...more]: Rule['pattern']): string | null {
  const isShell = typeof program === 'string' && /(^|[\\/])(ba|z|da|k|)sh$/.test(program);
  const isScript = isShell && typeof flag === 'string' && /^-[a-z]*c$/.test(flag) && more.length === 0;
  return isScript && typeof script === 'string' ? script : null;
}

/** The place of the rule that decided: the name of its file, and its number in the file, from 1. */
export interface RulePlace {
  /** `null` for a rule of the thread. */
  readonly file: string | null;
  readonly number: number;
}

/** Returns the place of the rule that decided; `null` if no rule did. */
export function rulePlaceOf({ source, id }: DecisionReason): RulePlace | null {
  const [, file = '', index] = /^rule:(?:.*[/\\])?(.+)#(\d+)$/.exec(id) ?? [];
  if (source !== 'rule' || index === undefined) return null;
  return { file: file === 'thread' ? null : file, number: Number(index) + 1 };
}

/** Maximum number of characters of a rule's words in a sentence. */
const IN_A_SENTENCE = 60;

/**
 * Returns the words of the rule that decided; `null` if no rule did, or if the record is older than the field `rule`.
 */
export function wordsOfRule({ rule }: DecisionReason): string | null {
  return rule === undefined ? null : ruleSubject(rule, IN_A_SENTENCE);
}
