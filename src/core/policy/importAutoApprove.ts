/** Converts VS Code's `chat.tools.terminal.autoApprove` to prefix rules. */
import * as z from 'zod';
import type { Rule, RuleDecision } from '../../protocol/policy.ts';
import type { ImportedRules } from '../../protocol/rules.ts';
import { gather, type Imported } from './importRules.ts';
import { splitShellWords } from './shellWords.ts';

const entrySchema = z.union([
  z.boolean(),
  z.null(),
  z.object({ approve: z.boolean(), matchCommandLine: z.boolean().optional() }),
]);

/**
 * `true` allows and `false` asks; `null` only turns off one of VS Code's defaults. An entry that no prefix expresses
 * exactly is converted if the rule is the stricter of the two, and listed as skipped otherwise.
 */
export function importAutoApprove(value: unknown): ImportedRules {
  const object = z.record(z.string(), z.unknown()).safeParse(value);
  if (!object.success) return { rules: [], skipped: [] };
  return gather(Object.entries(object.data).flatMap(([key, entry]) => fromEntry(key, entry)));
}

function fromEntry(key: string, value: unknown): readonly Imported[] {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return [{ what: key, why: 'VS Code does not know its value.' }];
  const entry = parsed.data;
  if (entry === null) return [];
  const { approve, matchCommandLine = false } = typeof entry === 'boolean' ? { approve: entry } : entry;
  if (matchCommandLine) {
    return [{ what: key, why: 'It looks at the whole command line; a rule looks at each command by itself.' }];
  }
  const decision: RuleDecision = approve ? 'allow' : 'prompt';
  const regular = /^\/(.*)\/([a-z]*)$/s.exec(key);
  if (regular) return [fromExpression(key, regular[1] ?? '', regular[2] ?? '', decision)];
  const words = splitShellWords(key);
  if (words === undefined || words.length === 0) return [{ what: key, why: 'It cannot be split into words.' }];
  return [{ rule: { pattern: words, decision } }];
}

const WORD = /^[\w./:@=+-]+$/;
const ALTERNATIVES = /^\((?:\?:)?([^()]*)\)$/;

/**
 * Reads `/^git (status|log)\b/`: words, alternatives, spaces. A rule that asks must cover everything that the
 * expression covers.
 */
function fromExpression(key: string, source: string, flags: string, decision: RuleDecision): Imported {
  const [, body = '', end = ''] = /^\^(.*?)(\\b|\$|\\s|\(\?:\\s\|\$\)|\(\\s\|\$\)|)$/s.exec(source) ?? [];
  const pattern = body === '' ? undefined : patternOf(body);
  const why = 'No prefix matches the same commands as this regular expression.';
  if (pattern === undefined || !/^[dgimsuy]*$/.test(flags)) return { what: key, why };
  if (decision === 'allow') return end === '$' ? { what: key, why } : { rule: { pattern, decision } };
  const coversAll = end !== '' && end !== '\\s' && !flags.includes('i');
  return coversAll ? { rule: { pattern, decision } } : { what: key, why };
}

function patternOf(body: string): Rule['pattern'] | undefined {
  const words = body.split(/ |\\s\+?/).map((word) => {
    const alternatives = ALTERNATIVES.exec(word)?.[1]?.split('|').map(unescaped);
    return alternatives === undefined ? unescaped(word) : alternatives.includes(undefined) ? undefined : alternatives;
  });
  return words.includes(undefined) ? undefined : (words as Rule['pattern']);
}

/** Returns the only word that the expression matches, or `undefined` if it matches several. */
function unescaped(source: string): string | undefined {
  const freedom = source.replaceAll(/\\[-./:=+]/g, '');
  const word = source.replaceAll(/\\([-./:=+])/g, '$1');
  return /[.+]/.test(freedom) || !WORD.test(word) ? undefined : word;
}
