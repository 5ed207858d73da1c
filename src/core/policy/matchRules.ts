/** Which rules speak of a command, and the one that decides: the strictest, among those the longest (§6.9). */
import type { DecisionReason, Rule, RuleDecision } from '../../protocol/policy.ts';
import type { Argv } from './parseScript.ts';
import { comparableName, programName } from './programs.ts';
import { type LoadedRule, type LoadedRules, matchesPattern, rulePlace } from './rules.ts';
import { joinShellWords } from './shellWords.ts';

const STRICTNESS: Readonly<Record<RuleDecision, number>> = { allow: 0, prompt: 1, forbidden: 2 };

/** Forbidden beats prompt beats allow; of equals the first. `undefined` for none. */
export function strictest<Judged extends { readonly decision: RuleDecision }>(
  all: readonly Judged[],
): Judged | undefined {
  return all.reduce<Judged | undefined>(
    (worst, one) => (worst === undefined || STRICTNESS[one.decision] > STRICTNESS[worst.decision] ? one : worst),
    undefined,
  );
}

/**
 * All rules that match. A rule that asks or forbids also catches its program under a full path (`/bin/rm`) and in
 * capitals, which some file systems do not tell apart; one that allows is taken to the letter.
 */
export function matchRules(rules: LoadedRules, argv: Argv): LoadedRules {
  const [program = '', ...words] = argv;
  const byName = [programName(program), ...words];
  return rules.filter(
    ({ rule }) => matchesPattern(rule, argv) || (rule.decision !== 'allow' && matchesPattern(byNameOf(rule), byName)),
  );
}

function byNameOf(rule: Rule): Rule {
  const [programs = [], ...words] = rule.pattern;
  return { ...rule, pattern: [[programs].flat().map(comparableName), ...words] };
}

export function decidingRule(matches: LoadedRules): LoadedRule | undefined {
  const longestFirst = matches.toSorted((one, other) => other.rule.pattern.length - one.rule.pattern.length);
  return strictest(longestFirst.map((loaded) => ({ loaded, decision: loaded.rule.decision })))?.loaded;
}

const SAYS: Readonly<Record<RuleDecision, string>> = {
  allow: 'A rule allows commands that start with',
  prompt: 'A rule asks before commands that start with',
  forbidden: 'A rule forbids commands that start with',
};

/** The person's own justification where there is one. */
export function ruleReason(loaded: LoadedRule): DecisionReason {
  const { pattern, decision, justification } = loaded.rule;
  const text = justification ?? `${SAYS[decision]} ${showPattern(pattern)}.`;
  return { source: 'rule', id: rulePlace(loaded), text, rule: { pattern, decision } };
}

function showPattern(pattern: LoadedRule['rule']['pattern']): string {
  return pattern.map((word) => (typeof word === 'string' ? joinShellWords([word]) : `(${word.join('|')})`)).join(' ');
}
