/** The reasons of decisions as the panel and its pages show them. */
import type { DecisionReason } from '../../src/protocol/policy.ts';
import { visibleName, visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { rulePlaceOf, wordsOfRule } from '../../src/protocol/text/ruleLabels.ts';
import { t } from '../l10n.ts';

/**
 * Returns the name of the rule or heuristic, for reference: `rule 2 of rules.json: ask before “git push…”`,
 * `dangerous`.
 */
export function reasonName(reason: DecisionReason): string {
  const place = rulePlaceOf(reason);
  if (place === null) return reason.id;
  const name =
    place.file === null
      ? t('rule {0} of this thread', place.number)
      : t('rule {0} of {1}', place.number, visibleName(place.file));
  const commands = wordsOfRule(reason);
  if (commands === null || reason.rule === undefined) return name;
  switch (reason.rule.decision) {
    case 'allow':
      return t('{0}: allow “{1}”', name, commands);
    case 'prompt':
      return t('{0}: ask before “{1}”', name, commands);
    case 'forbidden':
      return t('{0}: forbid “{1}”', name, commands);
  }
}

/**
 * Returns the reason, with the name of its rule if there is one. The text is escaped, since a rule may come from
 * another author.
 */
export function reasonInFull(reason: DecisionReason): string {
  if (reason.source !== 'rule') return visibleText(reason.text);
  return t('{0} ({1})', visibleText(reason.text), reasonName(reason));
}
