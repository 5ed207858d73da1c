import type { ContextParts, EventMsgOf, TokenUsage } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { addUsage, NO_USAGE } from '../../protocol/turnUsage.ts';
import { costOf, type Prices } from '../model/prices.ts';
import { BYTES_PER_TOKEN } from '../util/tokens.ts';
import type { Spending } from './caps.ts';
import { type MeasuredPrompt, type Size, sizeOfItems, sizeOfPrompt, sizesByKind } from './contextSize.ts';

type TokenCount = Omit<EventMsgOf<'token_count'>, 'type'>;

/** Facts about the model that a count needs. */
interface CountedModel {
  readonly contextWindow: number | null;
  readonly prices: Prices | null;
}

/**
 * Counts the tokens of a thread: as the server reports them, or an estimate that is marked as one (codex-behaviour.md
 * §8). An estimate divides bytes by the bytes per token of the last reported count, and takes images by their pixels.
 */
export class TokenMeter {
  #total: TokenUsage;
  readonly #onSpend: (spending: Spending) => void;
  /** `undefined` until the cost of a request was known. */
  #cost: TokenCount['cost'];
  /** `undefined` until the server has reported a count that is long and plausible enough. */
  #bytesPerToken: number | undefined;
  /** The count that was emitted last. */
  #told: TokenCount | undefined;
  /** The last count, and the items of the history it was of. */
  #counted: { readonly total: number; readonly items: number } | undefined;

  /**
   * `before` is the last count of a resumed thread, and `countedItems` the number of items that it counted; `null` when the
   * history was replaced since. `onSpend` is called for each response.
   */
  constructor(
    before: TokenCount | null,
    countedItems: number | null = null,
    onSpend: (spending: Spending) => void = () => {},
  ) {
    this.#onSpend = onSpend;
    this.#total = before?.total ?? NO_USAGE;
    this.#cost = before?.cost;
    this.#told = before ?? undefined;
    this.#bytesPerToken = before?.bytesPerToken;
    if (before && countedItems !== null) this.#counted = { total: before.last.total, items: countedItems };
  }

  /** Takes one response into account. `answer`: the items that the model added to the history. */
  count(
    usage: TokenUsage | null,
    prompt: MeasuredPrompt,
    answer: readonly ResponseItem[],
    model: CountedModel,
  ): TokenCount {
    if (usage) this.#calibrate(usage, prompt);
    const last = usage ?? this.#usageOf(prompt, answer);
    this.#spend(last, usage === null, model.prices);
    this.#counted = { total: last.total, items: prompt.input.length + answer.length };
    const parts = this.#parts(prompt, last);
    const { contextWindow } = model;
    return { ...this.#countOf(last, contextWindow), estimated: usage === null, parts };
  }

  /** Takes a response into account that is no part of the history. */
  spend(
    usage: TokenUsage | null,
    prompt: MeasuredPrompt,
    answer: readonly ResponseItem[],
    prices: Prices | null,
  ): void {
    this.#spend(usage ?? this.#usageOf(prompt, answer), usage === null, prices);
  }

  /** A request that has not been sent, over another history than the last one was. */
  foresee(prompt: MeasuredPrompt, contextWindow: number | null): TokenCount {
    const last = this.#usageOf(prompt, []);
    this.#counted = { total: last.total, items: prompt.input.length };
    const parts = this.#parts(prompt, last);
    return { ...this.#countOf(last, contextWindow), parts };
  }

  /**
   * The count when the server has refused a request as longer than the context window: it reported no count and charged
   * no tokens.
   */
  full(contextWindow: number, items = 0): TokenCount {
    const last = { ...NO_USAGE, input: contextWindow, total: contextWindow };
    this.#counted = { total: contextWindow, items };
    return this.#countOf(last, contextWindow);
  }

  /** Call with each count that is emitted. */
  told(count: TokenCount): void {
    this.#told = count;
  }

  /** Returns the count that was emitted last, with the sums after `spend`; `undefined` if none was. */
  recount(): TokenCount | undefined {
    return this.#told && { ...this.#told, total: this.#total, ...(this.#cost && { cost: this.#cost }) };
  }

  /** Call when items that the last count has counted were removed from the end of the history. Their tokens stay counted. */
  removed(items: number): void {
    if (this.#counted) this.#counted = { ...this.#counted, items: this.#counted.items - items };
  }

  /** Tokens of the next request: the last count, and an estimate of the items added since. */
  next(prompt: MeasuredPrompt): number {
    if (this.#counted === undefined) return this.estimate(prompt);
    const { total, items } = this.#counted;
    return total + this.#tokensOf(sizeOfItems(prompt.input.slice(items)));
  }

  /** Tokens of a request, by estimate alone. */
  estimate(prompt: MeasuredPrompt): number {
    return this.#tokensOf(sizeOfPrompt(prompt));
  }

  #countOf(last: TokenUsage, contextWindow: number | null): TokenCount {
    return {
      last,
      total: this.#total,
      contextWindow,
      estimated: true,
      ...(this.#cost === undefined ? {} : { cost: this.#cost }),
      ...(this.#bytesPerToken === undefined ? {} : { bytesPerToken: this.#bytesPerToken }),
    };
  }

  #spend(usage: TokenUsage, estimated: boolean, prices: Prices | null): void {
    this.#total = addUsage(this.#total, usage);
    const last = costOf(usage, prices);
    this.#onSpend({ tokens: usage.total, cost: last ?? 0, estimated });
    if (last === undefined) return;
    this.#cost = { last, total: (this.#cost?.total ?? 0) + last };
  }

  /** Ignores short prompts and implausible counts. */
  #calibrate(usage: TokenUsage, prompt: MeasuredPrompt): void {
    const { bytes, imageTokens } = sizeOfPrompt(prompt);
    const textTokens = usage.input - imageTokens;
    const ratio = bytes / textTokens;
    if (textTokens >= 500 && ratio >= 2 && ratio <= 6) this.#bytesPerToken = ratio;
  }

  #usageOf(prompt: MeasuredPrompt, answer: readonly ResponseItem[]): TokenUsage {
    const input = this.estimate(prompt);
    const output = this.#tokensOf(sizeOfItems(answer));
    return { input, cachedInput: 0, output, reasoning: 0, total: input + output };
  }

  #tokensOf({ bytes, imageTokens }: Size): number {
    return Math.ceil(bytes / (this.#bytesPerToken ?? BYTES_PER_TOKEN)) + imageTokens;
  }

  /** The estimates of the parts, scaled to the known size of the input. The model's last message is conversation. */
  #parts(prompt: MeasuredPrompt, last: TokenUsage): ContextParts {
    const sizes = sizesByKind(prompt);
    const kinds = Object.keys(sizes) as (keyof ContextParts)[];
    const estimates = kinds.map((kind) => this.#tokensOf(sizes[kind]));
    const sum = Math.max(
      1,
      estimates.reduce((all, tokens) => all + tokens, 0),
    );
    const scaled = kinds.map((kind, at) => [kind, Math.round(((estimates[at] ?? 0) / sum) * last.input)] as const);
    const parts = Object.fromEntries(scaled) as ContextParts;
    const rest = last.input - scaled.reduce((all, [, tokens]) => all + tokens, 0);
    return { ...parts, conversation: Math.max(0, parts.conversation + rest) + last.output };
  }
}
