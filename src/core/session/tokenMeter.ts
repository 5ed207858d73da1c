import type { EventMsgOf, TokenUsage } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { NO_USAGE } from '../../protocol/thread.ts';
import type { Prompt } from '../model/client.ts';
import { costOf, type Prices } from '../model/prices.ts';
import { BYTES_PER_TOKEN, byteLength } from '../util/tokens.ts';

type TokenCount = Omit<EventMsgOf<'token_count'>, 'type'>;

/** Facts about the model that a count needs. */
interface CountedModel {
  readonly contextWindow: number | null;
  readonly prices: Prices | null;
}

/**
 * Counts the tokens of a thread: as the server reports them, or an estimate that is marked as one (codex-behaviour.md
 * §8). An estimate divides bytes by the bytes per token of the last reported count.
 */
export class TokenMeter {
  #total: TokenUsage;
  /** `undefined` until a request has had a price. */
  #totalCost: number | undefined;
  /** `undefined` until the server has reported a count that is long and plausible enough. */
  #bytesPerToken: number | undefined;

  /** `before` is the last count of a resumed thread. */
  constructor(before: TokenCount | null) {
    this.#total = before?.total ?? NO_USAGE;
    this.#totalCost = before?.cost?.total;
    this.#bytesPerToken = before?.bytesPerToken;
  }

  /** Takes one response into account. `said` is what the model added to the history. */
  count(
    usage: TokenUsage | null,
    prompt: Prompt,
    said: readonly ResponseItem[],
    { contextWindow, prices }: CountedModel,
  ): TokenCount {
    if (usage) this.#calibrate(usage, prompt);
    const last = usage ?? this.#estimate(prompt, said);
    this.#total = add(this.#total, last);
    const counted = { last, total: this.#total, contextWindow, estimated: usage === null };
    return { ...counted, ...this.#bill(last, prices), ...this.#calibration };
  }

  /** The server has refused a request as longer than the context window: it reported no count and charged nothing. */
  full(contextWindow: number): TokenCount {
    const last = { ...NO_USAGE, input: contextWindow, total: contextWindow };
    return { last, total: this.#total, contextWindow, estimated: true, ...this.#calibration };
  }

  get #calibration(): Pick<TokenCount, 'bytesPerToken'> {
    return this.#bytesPerToken === undefined ? {} : { bytesPerToken: this.#bytesPerToken };
  }

  #bill(last: TokenUsage, prices: Prices | null): Pick<TokenCount, 'cost'> {
    if (!prices) return {};
    const cost = costOf(last, prices);
    this.#totalCost = (this.#totalCost ?? 0) + cost;
    return { cost: { last: cost, total: this.#totalCost } };
  }

  /** Ignores short prompts and implausible counts. */
  #calibrate(usage: TokenUsage, prompt: Prompt): void {
    const ratio = bytesOfPrompt(prompt) / usage.input;
    if (usage.input >= 500 && ratio >= 2 && ratio <= 6) this.#bytesPerToken = ratio;
  }

  #estimate(prompt: Prompt, said: readonly ResponseItem[]): TokenUsage {
    const bytesPerToken = this.#bytesPerToken ?? BYTES_PER_TOKEN;
    const input = Math.ceil(bytesOfPrompt(prompt) / bytesPerToken);
    const output = Math.ceil(bytesOf(said) / bytesPerToken);
    return { input, cachedInput: 0, output, reasoning: 0, total: input + output };
  }
}

function bytesOfPrompt({ instructions, tools, input }: Prompt): number {
  return byteLength(instructions) + byteLength(JSON.stringify(tools)) + bytesOf(input);
}

/** Items never change, so each is measured once. */
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
