/**
 * Imports rules from Codex's `.rules` files and from VS Code's list of terminal commands. An entry that is not
 * understood never allows anything.
 */
import { type Rule, ruleSchema } from '../../protocol/policy.ts';
import type { ImportedRules } from '../../protocol/rules.ts';
import { banReason } from './bannedPrefix.ts';
import { badExample } from './rules.ts';
import { readStarlarkCalls, type StarlarkCall, StarlarkFault } from './starlarkCalls.ts';

type Skipped = ImportedRules['skipped'][number];

/** One rule, or why the entry was skipped. */
export type Imported = { readonly rule: Rule } | Skipped;

/** Sorts entries into rules and skipped ones; a rule that would allow too much is skipped. */
export function gather(imported: readonly Imported[]): ImportedRules {
  const checked = imported.map((entry): Imported => {
    const banned = 'rule' in entry ? banReason(entry.rule) : undefined;
    return banned === undefined || !('rule' in entry)
      ? entry
      : { what: JSON.stringify(entry.rule.pattern), why: banned };
  });
  return {
    rules: checked.flatMap((entry) => ('rule' in entry ? [entry.rule] : [])),
    skipped: checked.flatMap((entry) => ('rule' in entry ? [] : [entry])),
  };
}

/**
 * Imports the `prefix_rule(…)` subset of a Codex rules file (codex-behaviour.md §6.9). In Codex, an allowing rule also
 * leaves the sandbox; here the command stays inside until the user changes that (docs/decisions/0009).
 * @throws Error that names the file and the line: a file is never imported in part.
 */
export function importCodexRules(text: string, file: string): ImportedRules {
  const at = (line: number, message: string): Error => new Error(`${file}:${line}: ${message}. Nothing was imported.`);
  try {
    return gather(readStarlarkCalls(text).map(fromCall));
  } catch (error) {
    if (error instanceof StarlarkFault) throw at(error.line, error.message);
    throw error;
  }
}

const PARAMETERS = ['pattern', 'decision', 'justification', 'match', 'not_match'] as const;

function fromCall({ name, line, positional, named }: StarlarkCall): Imported {
  if (name !== 'prefix_rule') return { what: `line ${line}: ${name}(…)`, why: 'Tiller has no rules of this kind.' };
  const given = Object.fromEntries([...named].filter(([, value]) => value !== null));
  if (positional.length > 0) throw new StarlarkFault(line, 'prefix_rule takes only named arguments');
  const unknown = Object.keys(given).find((key) => !PARAMETERS.includes(key as (typeof PARAMETERS)[number]));
  if (unknown !== undefined) throw new StarlarkFault(line, `prefix_rule has no argument ${unknown}`);
  const parsed = ruleSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StarlarkFault(line, `${issue?.path.join('.') ?? 'prefix_rule'}: ${issue?.message ?? 'is not valid'}`);
  }
  const example = badExample(parsed.data);
  if (example !== undefined) throw new StarlarkFault(line, example);
  return { rule: parsed.data };
}
