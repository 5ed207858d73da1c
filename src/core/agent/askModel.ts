/** Sends one request to the model outside of threads: no tools, history or rollout. Its usage counts for the caps. */
import type { TokenUsage } from '../../protocol/event.ts';
import { costOf } from '../model/prices.ts';
import type { Ids } from '../ports.ts';
import type { DaySpending } from '../session/daySpending.ts';
import { CapCounters, TurnSpending } from '../session/capCounters.ts';
import { pauseSentence } from '../session/caps.ts';
import type { ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import { estimateTokens } from '../util/tokens.ts';

export interface Question {
  readonly instructions: string;
  readonly text: string;
}

export interface AskDeps {
  readonly ids: Pick<Ids, 'uuid'>;
  readonly keys: Pick<SecretRedactor, 'hide'>;
  readonly daySpending: DaySpending;
}

/**
 * Makes one attempt and returns the text of the answer. @throws ModelFault, Error with a sentence when a cap of the day or
 * the month is reached, or the signal's reason
 */
export async function askModel(
  { instructions, text }: Question,
  settings: Pick<ThreadSettings, 'turn' | 'limits'>,
  { models }: Pick<ThreadHost, 'models'>,
  { ids, keys, daySpending }: AskDeps,
  signal: AbortSignal,
): Promise<string> {
  const { model, effort, summary } = settings.turn;
  const caps = new CapCounters(settings.limits.caps, new TurnSpending(), daySpending);
  const reached = await caps.reached(signal);
  if (reached !== undefined) throw new Error(pauseSentence(reached));
  const { client, prices } = models.connect(model);
  const asked = keys.hide(text);
  const prompt = {
    model,
    instructions,
    input: [
      { type: 'message' as const, role: 'user' as const, content: [{ type: 'input_text' as const, text: asked }] },
    ],
    tools: [],
    parallelToolCalls: false,
    effort,
    summary,
    cacheKey: ids.uuid(),
  };
  let answer = '';
  let usage: TokenUsage | null = null;
  let hasBegun = false;
  try {
    for await (const event of client.stream(prompt, signal)) {
      if (event.type === 'text_delta') answer += event.text;
      hasBegun ||= event.type === 'created' || event.type === 'text_delta' || event.type === 'completed';
      if (event.type === 'completed') usage = event.usage;
    }
  } finally {
    // The server reports no usage of an answer that was cut off, and a request that it refused uses nothing.
    if (hasBegun) {
      const tokens = usage?.total ?? estimateTokens(instructions + asked + answer);
      caps.add({ tokens, cost: (usage && costOf(usage, prices)) ?? 0, estimated: usage === null });
    }
    await caps.flush();
  }
  return keys.hide(answer);
}
