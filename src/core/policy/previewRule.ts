/**
 * The commands that "always allow …" would cover for a pending command, while the user shortens or extends the prefix.
 */
import type { Rule } from '../../protocol/policy.ts';
import type { RulePreview } from '../../protocol/rules.ts';
import { banReason } from './bannedPrefix.ts';
import { classifyTree, takeApart } from './commandTree.ts';
import type { Platform } from './knownSafe.ts';
import type { Argv } from './parseScript.ts';
import { matchesPattern } from './rules.ts';
import { joinShellWords } from './shellWords.ts';

/** `argv` is the pending command; a script counts as its commands. */
export function previewRule(argv: Argv, rule: Rule, platform: Platform): RulePreview {
  const tree = takeApart(argv, { platform });
  const commands = tree.type === 'script' ? tree.commands : [tree];
  const [covered, others] = split(commands, (command) => matchesPattern(rule, command.argv));
  const stillAsked = others.filter((command) => classifyTree(command) !== 'known-safe');
  return {
    words: covered[0]?.argv ?? [],
    problem: banReason(rule) ?? null,
    stillAsked: stillAsked.map((command) => joinShellWords(command.argv)),
  };
}

function split<Value>(values: readonly Value[], isFirst: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}
