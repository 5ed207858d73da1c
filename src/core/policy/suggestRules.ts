/** Rules that would have saved the user from approvals of the past, computed from the audit log. Pure. */
import type { AuditDecision, AuditEntry } from '../../protocol/audit.ts';
import type { Rule } from '../../protocol/policy.ts';
import type { RuleSuggestion } from '../../protocol/rules.ts';
import { isBannedPattern } from './bannedPrefix.ts';
import { decideCommand } from './decideCommand.ts';
import type { Platform } from './knownSafe.ts';
import type { Argv } from './parseScript.ts';
import type { LoadedRules } from './rules.ts';

/** Approvals of the user after which a rule is suggested. */
export const SUGGESTED_AFTER = 3;
/** Entries of the audit log that a suggestion is computed from. */
export const SUGGESTED_FROM = 2_000;
/** Different commands that a suggestion names as examples. */
const EXAMPLES = 5;

export interface SuggestionOptions {
  readonly platform: Platform;
  /** The rules in force: a command that they allow needs no suggestion. */
  readonly rules: LoadedRules;
  /** The least number of approvals; the default is `SUGGESTED_AFTER`. */
  readonly atLeast?: number;
}

type CommandDecision = AuditDecision & { readonly act: { readonly type: 'command' } };

/**
 * The shortest safe rules for commands that the user has approved one by one, inside the sandbox: those with the most
 * approvals first. Safe: the rule covers no command that the user has denied, none that can destroy work, and none that
 * could run anything; a command that a rule asks about is left alone.
 */
export function suggestRules(entries: readonly AuditEntry[], options: SuggestionOptions): readonly RuleSuggestion[] {
  const { platform, rules, atLeast = SUGGESTED_AFTER } = options;
  const decided = entries.filter(isDecidedByUser);
  const open = decided.filter(({ act }) => !isAllowed(act.argv, rules, platform));
  const approved = open.filter(({ outcome }) => outcome === 'allowed');
  const denied = decided.filter(({ outcome }) => outcome === 'denied');
  const suggestions = candidates(approved, platform).flatMap((pattern): RuleSuggestion[] => {
    const rule: Rule = { pattern: [...pattern], decision: 'allow' };
    const covers = ({ act }: CommandDecision) => isAllowed(act.argv, [suggested(rule)], platform);
    if (denied.some(covers)) return [];
    const covered = approved.filter(covers);
    const last = covered.at(-1);
    if (last === undefined || covered.length < atLeast) return [];
    const commands = [...new Set(covered.map(({ act }) => act.command).toReversed())].slice(0, EXAMPLES);
    return [{ rule, approvals: covered.length, commands, lastAt: last.at }];
  });
  return withoutNarrower(suggestions).toSorted((one, other) => other.approvals - one.approvals);
}

/** The suggestion that would answer a pending command, if there is one. */
export function suggestionFor(
  argv: Argv,
  entries: readonly AuditEntry[],
  options: SuggestionOptions,
): RuleSuggestion | undefined {
  return suggestRules(entries, options).find(({ rule }) => isAllowed(argv, [suggested(rule)], options.platform));
}

function isDecidedByUser(entry: AuditEntry): entry is CommandDecision {
  if (entry.type !== 'decision' || entry.act.type !== 'command') return false;
  // An answer about hosts is none about the command.
  const isAboutHosts = entry.reason.source === 'sandbox' && entry.reason.id === 'hosts';
  return entry.by === 'user' && !entry.escalated && entry.reason.source !== 'rule' && !isAboutHosts;
}

/** The prefixes that the policy proposes for each command, and shorter ones that several different commands share. */
function candidates(approved: readonly CommandDecision[], platform: Platform): readonly Argv[] {
  const found = new Map<string, Argv>();
  const commands = new Map(approved.map(({ act }) => [JSON.stringify(act.argv), act.argv]));
  const sharedBy = new Map<string, number>();
  for (const argv of commands.values()) {
    const proposed = proposedFor(argv, platform);
    if (proposed === undefined) continue;
    found.set(JSON.stringify(proposed), proposed);
    for (const prefix of shorterPrefixes(proposed)) {
      const name = JSON.stringify(prefix);
      const count = (sharedBy.get(name) ?? 0) + 1;
      sharedBy.set(name, count);
      if (count >= SUGGESTED_AFTER) found.set(name, prefix);
    }
  }
  return [...found.values()];
}

/**
 * Prefixes of at least two words that name a job (`gh pr`, `terraform plan`): options, paths and values are left out,
 * because commands that start with them can do anything. A program that runs other programs is not shortened.
 */
function shorterPrefixes(pattern: Argv): readonly Argv[] {
  const [program = ''] = pattern;
  if (isBannedPattern([program])) return [];
  const end = pattern.findIndex((word, index) => index > 0 && !/^[a-z][a-z:_-]*$/.test(word));
  const length = end === -1 ? pattern.length : end;
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => pattern.slice(0, index + 2));
}

function proposedFor(argv: Argv, platform: Platform): Argv | undefined {
  const requirement = decide(argv, [], platform);
  if (requirement.type !== 'needs_approval' || requirement.destructive === true) return undefined;
  return requirement.proposedRule?.pattern.filter((word) => typeof word === 'string');
}

function isAllowed(argv: Argv, rules: LoadedRules, platform: Platform): boolean {
  return decide(argv, rules, platform).type === 'skip';
}

/** Decides under the policy that asks most: only rules, and being known to only read, let a command run. */
function decide(argv: Argv, rules: LoadedRules, platform: Platform): ReturnType<typeof decideCommand> {
  return decideCommand({
    argv,
    approvalPolicy: 'untrusted',
    sandboxPolicy: { type: 'read-only', networkAccess: false },
    box: 'bubblewrap',
    sandboxPermissions: 'use_default',
    rules,
    platform,
  });
}

function suggested(rule: Rule): LoadedRules[number] {
  return { rule, file: 'suggested', index: 0, layer: 'user' };
}

/** Removes each rule that begins with the pattern of another suggestion. */
function withoutNarrower(suggestions: readonly RuleSuggestion[]): readonly RuleSuggestion[] {
  const startsWith = ({ rule: { pattern } }: RuleSuggestion, other: RuleSuggestion) =>
    other.rule.pattern.length < pattern.length && other.rule.pattern.every((word, index) => word === pattern[index]);
  return suggestions.filter((one) => !suggestions.some((other) => startsWith(one, other)));
}
