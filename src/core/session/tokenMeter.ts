import type { EventMsgOf, TokenUsage } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { NO_USAGE } from '../../protocol/thread.ts';
import type { Prompt } from '../model/client.ts';
import { byteLength, tokensOfBytes } from '../util/tokens.ts';

type TokenCount = Omit<EventMsgOf<'token_count'>, 'type'>;

/** Counts the tokens of a thread: what the server says or, marked so, what we estimate (codex-behaviour.md §8). */
export class TokenMeter {
  #total: TokenUsage;

  constructor(total: TokenUsage = NO_USAGE) {
    this.#total = total;
  }

  /** Takes one response into account. `said` is what the model added to the history. */
  count(
    usage: TokenUsage | null,
    prompt: Prompt,
    said: readonly ResponseItem[],
    contextWindow: number | null,
  ): TokenCount {
    const last = usage ?? estimate(prompt, said);
    this.#total = add(this.#total, last);
    return { last, total: this.#total, contextWindow, estimated: usage === null };
  }
}

function estimate(prompt: Prompt, said: readonly ResponseItem[]): TokenUsage {
  const fixed = byteLength(prompt.instructions) + byteLength(JSON.stringify(prompt.tools));
  const input = tokensOfBytes(fixed + bytesOf(prompt.input));
  const output = tokensOfBytes(bytesOf(said));
  return { input, cachedInput: 0, output, reasoning: 0, total: input + output };
}

/** Items never change, so each is measured once however many requests it is part of. */
const measured = new WeakMap<ResponseItem, number>();

function bytesOf(items: readonly ResponseItem[]): number {
  return items.reduce((bytes, item) => {
    let own = measured.get(item);
    if (own === undefined) {
      own = byteLength(JSON.stringify(item));
      measured.set(item, own);
    }
    return bytes + own;
  }, 0);
}

function add(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    input: left.input + right.input,
    cachedInput: left.cachedInput + right.cachedInput,
    output: left.output + right.output,
    reasoning: left.reasoning + right.reasoning,
    total: left.total + right.total,
  };
}
