/** Rules as a person knows them again: by their own words, and by the place where they stand. */
import { inOneLine } from './truncate.ts';
import type { DecisionReason, Rule } from '../policy.ts';

/** Words that a command begins with, or the script that a shell is given whole. */
export function ruleSubject({ pattern }: Pick<Rule, 'pattern'>, limit?: number): string {
  const script = scriptOf(pattern);
  if (script !== null) return inOneLine(script, limit);
  const words = inOneLine(pattern.map((word) => (typeof word === 'string' ? word : word.join('|'))).join(' '), limit);
  return words.endsWith('…') ? words : `${words}…`;
}

/** A rule for a script that cannot be taken apart is about that script and no other. */
export function scriptOf([program, flag, script, ...more]: Rule['pattern']): string | null {
  const isShell = typeof program === 'string' && /(^|[\\/])(ba|z|da|k|)sh$/.test(program);
  const isScript = isShell && typeof flag === 'string' && /^-[a-z]*c$/.test(flag) && more.length === 0;
  return isScript && typeof script === 'string' ? script : null;
}

/** Where the rule of a decision stands: its file by its name, and its number in there, from 1. */
export interface RulePlace {
  /** `null`: in the thread itself. */
  readonly file: string | null;
  readonly number: number;
}

/** `null` where no rule decided. */
export function rulePlaceOf({ source, id }: DecisionReason): RulePlace | null {
  const [, file = '', index] = /^rule:(?:.*[/\\])?(.+)#(\d+)$/.exec(id) ?? [];
  if (source !== 'rule' || index === undefined) return null;
  return { file: file === 'thread' ? null : file, number: Number(index) + 1 };
}

/** Characters of a rule's words where they stand in a sentence. */
const IN_A_SENTENCE = 60;

/** `null` where no rule decided, or it was written down before its words were. */
export function wordsOfRule({ rule }: DecisionReason): string | null {
  return rule === undefined ? null : ruleSubject(rule, IN_A_SENTENCE);
}
