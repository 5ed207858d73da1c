/** Formats the tokens and the cost of a turn. */
import type { TurnUsage } from '../../src/protocol/turnUsage.ts';
import { t } from '../l10n.ts';
import { amount, tokens } from './format.ts';

/** Formats the usage for the line of the turn: `48k tokens`, `≈ 48k tokens, cost 0.31`. */
export function usageLabel({ tokens: { total }, estimated, cost }: TurnUsage): string {
  const used = estimated ? t('≈ {0} tokens', tokens(total)) : t('{0} tokens', tokens(total));
  return cost === undefined ? used : t('{0}, cost {1}', used, amount(cost));
}

/** Formats the usage in detail: `46k tokens in (32k cached), 2k out (800 reasoning). Cost: 0.31.` */
export function usageSentence({
  tokens: { input, cachedInput, output, reasoning },
  estimated,
  cost,
}: TurnUsage): string {
  const parts = [
    cachedInput === 0
      ? t('{0} tokens in', tokens(input))
      : t('{0} tokens in ({1} cached)', tokens(input), tokens(cachedInput)),
    reasoning === 0 ? t('{0} out', tokens(output)) : t('{0} out ({1} reasoning)', tokens(output), tokens(reasoning)),
  ];
  const sentences = [
    t('{0}.', parts.join(', ')),
    ...(estimated ? [t('Estimated: the server reports no usage.')] : []),
    ...(cost === undefined ? [] : [t('Cost: {0}.', amount(cost))]),
  ];
  return sentences.join(' ');
}
