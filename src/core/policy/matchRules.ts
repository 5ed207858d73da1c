/** Finds the rules that match a command and the one that decides: the strictest, and among those the longest (§6.9). */
import type { DecisionReason, Rule, RuleDecision } from '../../protocol/policy.ts';
import type { Argv } from './parseScript.ts';
import { comparableName, programName } from './programs.ts';
import { type LoadedRule, type LoadedRules, matchesPattern, rulePlace } from './rules.ts';
import { joinShellWords } from './shellWords.ts';

const STRICTNESS: Readonly<Record<RuleDecision, number>> = { allow: 0, prompt: 1, forbidden: 2 };

/** Forbidden beats prompt beats allow; of equals the first. `undefined` for an empty list. */
export function strictest<Verdict extends { readonly decision: RuleDecision }>(
  all: readonly Verdict[],
): Verdict | undefined {
  return all.reduce<Verdict | undefined>(
    (worst, verdict) =>
      worst === undefined || STRICTNESS[verdict.decision] > STRICTNESS[worst.decision] ? verdict : worst,
    undefined,
  );
}

/**
 * All rules that match. A rule that asks or forbids also matches its program under a full path (`/bin/rm`) and in
 * capitals, because some file systems ignore case; one that allows matches only literally.
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

/** Returns the strictest of the rules that match, the longest among equals; `undefined` when none matches. */
export function decidingRule(matches: LoadedRules): LoadedRule | undefined {
  const longestFirst = matches.toSorted((one, other) => other.rule.pattern.length - one.rule.pattern.length);
  return strictest(longestFirst.map((loaded) => ({ loaded, decision: loaded.rule.decision })))?.loaded;
}

const PHRASES: Readonly<Record<RuleDecision, string>> = {
  allow: 'A rule allows commands that start with',
  prompt: 'A rule asks before commands that start with',
  forbidden: 'A rule forbids commands that start with',
};

/** Uses the justification in the rule if it has one. */
export function ruleReason(loaded: LoadedRule): DecisionReason {
  const { pattern, decision, justification } = loaded.rule;
  const text = justification ?? `${PHRASES[decision]} ${showPattern(pattern)}.`;
  return { source: 'rule', id: rulePlace(loaded), text, rule: { pattern, decision } };
}

function showPattern(pattern: LoadedRule['rule']['pattern']): string {
  return pattern.map((word) => (typeof word === 'string' ? joinShellWords([word]) : `(${word.join('|')})`)).join(' ');
}
