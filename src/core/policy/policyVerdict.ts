/** One command, with everything it runs inside, judged by the rules and, where they are silent, by the heuristics. */
import type { DecisionReason, RuleDecision } from '../../protocol/policy.ts';
import { type CommandTree, classifyTree, commandsIn } from './commandTree.ts';
import { type Circumstances, containmentOf } from './decisionTable.ts';
import { heuristicVerdict } from './heuristicVerdict.ts';
import type { Platform } from './knownSafe.ts';
import { decidingRule, matchRules, ruleReason, strictest } from './matchRules.ts';
import type { Argv } from './parseScript.ts';
import type { LoadedRules } from './rules.ts';

export interface PolicyVerdict {
  readonly argv: Argv;
  readonly decision: RuleDecision;
  readonly reason: DecisionReason;
  /** True when rules alone decided: no part of it was left to the heuristics. */
  readonly byRule: boolean;
  /** True when, besides, a rule lets every part of it leave the sandbox. */
  readonly outside: boolean;
  /** Every rule that matched it or something inside it. */
  readonly matches: LoadedRules;
  /** Whether "always allow …" may be offered for it. */
  readonly proposable: boolean;
}

export interface PolicyContext {
  readonly rules: LoadedRules;
  readonly circumstances: Circumstances;
  readonly platform: Platform;
}

export function decideVerdict(tree: CommandTree, court: PolicyContext): PolicyVerdict {
  const { argv } = tree;
  switch (tree.type) {
    case 'plain':
      return byRule(tree, court) ?? byHeuristic(tree, court, !tree.complex && tree.class === 'other', tree.note);
    case 'script':
      return combine(
        argv,
        tree.commands.map((command) => decideVerdict(command, court)),
      );
    case 'wrapped':
      return judgeWrapped(tree, court);
    case 'opaque': {
      const own = byRule(tree, court) ?? byHeuristic(tree, court, classifyTree(tree) === 'other', tree.why);
      return combine(argv, [own, ...tree.mentions.flatMap((mention) => restrictionsIn(mention, court))]);
    }
  }
}

/** A rule that stops at the wrapper's own words says nothing about the command inside. */
function judgeWrapped(tree: CommandTree & { type: 'wrapped' }, court: PolicyContext): PolicyVerdict {
  const own = byRule(tree, court);
  const inner = tree.commands.map((command) => decideVerdict(command, court));
  if (own === undefined) {
    const added = tree.adds === undefined ? [] : [byHeuristic(tree, court, true, tree.adds, 'other')];
    return combine(tree.argv, [...added, ...inner]);
  }
  const reachesInside = own.matches.some(
    ({ rule }) => rule.decision === 'allow' && rule.pattern.length > tree.ownWords,
  );
  const restrictions = tree.commands.flatMap((command) => restrictionsIn(command, court));
  return combine(tree.argv, [own, ...(reachesInside ? restrictions : inner)]);
}

/** What rules ask about or forbid in it, however deep. */
function restrictionsIn(tree: CommandTree, court: PolicyContext): readonly PolicyVerdict[] {
  const own = byRule(tree, court);
  const isRestriction = own !== undefined && own.byRule && own.decision !== 'allow';
  return [...(isRestriction ? [own] : []), ...commandsIn(tree).flatMap((one) => restrictionsIn(one, court))];
}

/**
 * A rule never makes the table's own no into a question, and one that allows does not speak for leaving the sandbox
 * unless it says so.
 */
function byRule(tree: CommandTree, court: PolicyContext): PolicyVerdict | undefined {
  const { argv } = tree;
  const matches = matchRules(court.rules, argv);
  const deciding = decidingRule(matches);
  if (deciding === undefined) return undefined;
  const { decision } = deciding.rule;
  const outside = decision === 'allow' && matches.some(({ rule }) => rule.bypassSandbox === true);
  const heuristic = byHeuristic(tree, court, tree.type === 'plain' && !tree.complex && tree.class === 'other');
  if (decision === 'allow' && !outside && wantsOut(court.circumstances)) return { ...heuristic, matches };
  if (decision === 'prompt' && heuristic.decision === 'forbidden') return { ...heuristic, byRule: true, matches };
  const reason = ruleReason(deciding);
  const mayNotAsk = decision === 'prompt' && court.circumstances.approvalPolicy === 'never';
  return {
    argv,
    decision: mayNotAsk ? 'forbidden' : decision,
    reason: mayNotAsk ? { ...reason, text: `${reason.text} The approval policy never asks.` } : reason,
    byRule: true,
    outside,
    matches,
    proposable: false,
  };
}

/** Whether the question is to leave a sandbox that is there. */
export function wantsOut(circumstances: Circumstances): boolean {
  return circumstances.sandboxPermissions === 'require_escalated' && containmentOf(circumstances) === 'sandboxed';
}

function byHeuristic(
  tree: CommandTree,
  { circumstances, platform }: PolicyContext,
  proposable: boolean,
  note?: string,
  commandClass = classifyTree(tree),
): PolicyVerdict {
  const verdict = heuristicVerdict(commandClass, circumstances, platform, note);
  return { argv: tree.argv, ...verdict, byRule: false, outside: false, matches: [], proposable };
}

/**
 * The strictest of all. Of equals, one that the heuristics decided names the reason, for it is the one to doubt, and one
 * that is known to only read only where all of those are: what is true of `ls` says nothing about `ls && npm test`.
 */
function combine(argv: Argv, all: readonly PolicyVerdict[]): PolicyVerdict {
  const trust = ({ byRule, reason }: PolicyVerdict) => (byRule ? 2 : Number(reason.id === 'known-safe'));
  const doubtfulFirst = all.toSorted((one, other) => trust(one) - trust(other));
  const deciding = strictest(doubtfulFirst);
  if (deciding === undefined) throw new Error('A script without commands is opaque.');
  return {
    ...deciding,
    argv,
    byRule: all.every((one) => one.byRule),
    outside: all.every((one) => one.outside),
    matches: [...new Set(all.flatMap((one) => one.matches))],
    proposable: all.every((one) => one.proposable || one.decision === 'allow'),
  };
}
