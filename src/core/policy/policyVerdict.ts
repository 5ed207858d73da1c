/** The verdict on one command and all that it runs: by the rules and, where no rule matches, by the heuristics. */
import type { DecisionReason, RuleDecision } from '../../protocol/policy.ts';
import { type CommandClass, type CommandTree, classifyTree, commandsIn } from './commandTree.ts';
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
  /** True when rules decided all parts of it, and heuristics none. */
  readonly byRule: boolean;
  /** True when a rule also lets every part of it leave the sandbox. */
  readonly outside: boolean;
  /** True when a rule also lets every part of it open files with secrets in the sandbox. */
  readonly readsSecrets: boolean;
  /** All rules that matched it or a command inside it. */
  readonly matches: LoadedRules;
  /** True if "always allow …" may be offered for the command. */
  readonly proposable: boolean;
}

export interface PolicyContext {
  readonly rules: LoadedRules;
  readonly circumstances: Circumstances;
  readonly platform: Platform;
}

/** The verdict on a script is the strictest of those on its commands. */
export function decideVerdict(tree: CommandTree, context: PolicyContext): PolicyVerdict {
  const { argv } = tree;
  switch (tree.type) {
    case 'plain':
      return byRule(tree, context) ?? byHeuristic(tree, context, { proposable: isPlainOther(tree), note: tree.note });
    case 'script':
      return combine(
        argv,
        tree.commands.map((command) => decideVerdict(command, context)),
      );
    case 'wrapped':
      return decideWrapped(tree, context);
    case 'opaque': {
      const proposable = classifyTree(tree) === 'other' && tree.isOneOff !== true;
      const own = byRule(tree, context) ?? byHeuristic(tree, context, { proposable, note: tree.why });
      return combine(argv, [own, ...tree.mentions.flatMap((mention) => restrictionsIn(mention, context))]);
    }
  }
}

/** A rule that ends within the wrapper's own words does not cover the command inside. */
function decideWrapped(tree: CommandTree & { type: 'wrapped' }, context: PolicyContext): PolicyVerdict {
  const own = byRule(tree, context);
  const inner = tree.commands.map((command) => decideVerdict(command, context));
  if (own === undefined) {
    const added =
      tree.adds === undefined
        ? []
        : [byHeuristic(tree, context, { proposable: true, note: tree.adds, commandClass: 'other' })];
    return combine(tree.argv, [...added, ...inner]);
  }
  const reachesInside = own.matches.some(
    ({ rule }) => rule.decision === 'allow' && rule.pattern.length > tree.ownWords,
  );
  const restrictions = tree.commands.flatMap((command) => restrictionsIn(command, context));
  return combine(tree.argv, [own, ...(reachesInside ? restrictions : inner)]);
}

/** The verdicts of rules that ask about or forbid it or a command inside it, at any depth. */
function restrictionsIn(tree: CommandTree, context: PolicyContext): readonly PolicyVerdict[] {
  const own = byRule(tree, context);
  const isRestriction = own !== undefined && own.byRule && own.decision !== 'allow';
  return [...(isRestriction ? [own] : []), ...commandsIn(tree).flatMap((command) => restrictionsIn(command, context))];
}

/**
 * A rule that asks never turns a refusal of the table into a prompt, and one that allows does not allow leaving the
 * sandbox unless it is marked so.
 */
function byRule(tree: CommandTree, context: PolicyContext): PolicyVerdict | undefined {
  const { argv } = tree;
  const matches = matchRules(context.rules, argv);
  const deciding = decidingRule(matches);
  if (deciding === undefined) return undefined;
  const { decision } = deciding.rule;
  const outside = decision === 'allow' && matches.some(({ rule }) => rule.bypassSandbox === true);
  const heuristic = byHeuristic(tree, context, { proposable: isPlainOther(tree) });
  if (decision === 'allow' && !outside && wantsOut(context.circumstances)) return { ...heuristic, matches };
  if (decision === 'prompt' && heuristic.decision === 'forbidden') return { ...heuristic, byRule: true, matches };
  const reason = ruleReason(deciding);
  const mayNotAsk = decision === 'prompt' && context.circumstances.approvalPolicy === 'never';
  return {
    argv,
    decision: mayNotAsk ? 'forbidden' : decision,
    reason: mayNotAsk ? { ...reason, text: `${reason.text} The approval policy never asks.` } : reason,
    byRule: true,
    outside,
    readsSecrets: decision === 'allow' && matches.some(({ rule }) => rule.readsSecrets === true),
    matches,
    proposable: false,
  };
}

/** True when the call asks to leave a sandbox that works. */
export function wantsOut(circumstances: Circumstances): boolean {
  return circumstances.sandboxPermissions === 'require_escalated' && containmentOf(circumstances) === 'sandboxed';
}

/** True for a simple command of no class that the table knows more of: a rule for its prefix may be proposed. */
function isPlainOther(tree: CommandTree): boolean {
  return tree.type === 'plain' && !tree.complex && tree.class === 'other';
}

interface Heuristic {
  /** A rule that allows it from now on may be proposed. */
  readonly proposable: boolean;
  readonly note?: string | undefined;
  readonly commandClass?: CommandClass;
}

/** The verdict of the decision table, where no rule decides. */
function byHeuristic(
  tree: CommandTree,
  { circumstances, platform }: PolicyContext,
  { proposable, note, commandClass = classifyTree(tree) }: Heuristic,
): PolicyVerdict {
  const verdict = heuristicVerdict(commandClass, circumstances, platform, note);
  return { argv: tree.argv, ...verdict, byRule: false, outside: false, readsSecrets: false, matches: [], proposable };
}

/**
 * Returns the strictest verdict. Of equals, one that the heuristics decided gives the reason, because it is less
 * certain; `known-safe` gives it only if all parts are known safe: a reason for `ls` does not hold for `ls && npm
 * test`.
 */
function combine(argv: Argv, all: readonly PolicyVerdict[]): PolicyVerdict {
  const trust = ({ byRule, reason }: PolicyVerdict) => (byRule ? 2 : Number(reason.id === 'known-safe'));
  const doubtfulFirst = all.toSorted((one, other) => trust(one) - trust(other));
  const deciding = strictest(doubtfulFirst);
  if (deciding === undefined) throw new Error('A script without commands is opaque.');
  return {
    ...deciding,
    argv,
    byRule: all.every((verdict) => verdict.byRule),
    outside: all.every((verdict) => verdict.outside),
    readsSecrets: all.every((verdict) => verdict.readsSecrets),
    matches: [...new Set(all.flatMap((verdict) => verdict.matches))],
    proposable: all.every((verdict) => verdict.proposable || verdict.decision === 'allow'),
  };
}
