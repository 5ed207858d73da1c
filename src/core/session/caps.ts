/** Caps on what one turn, one day and one month may use, and the question that a reached cap puts to the user. Pure. */
import type { QuestionAnswer, QuestionBody } from '../tools/inquiry.ts';

/** The tokens and the cost of requests. */
export interface Spending {
  /** Input and output, cached input included. */
  readonly tokens: number;
  /** By the prices of the settings, else as the server reports it; a cost that is not known counts as 0. */
  readonly cost: number;
  /** The server did not report every count. */
  readonly estimated: boolean;
}

export const NOTHING_SPENT: Spending = { tokens: 0, cost: 0, estimated: false };

/** The sum; estimated if one of both is. */
export function addSpending(left: Spending, right: Spending): Spending {
  return {
    tokens: left.tokens + right.tokens,
    cost: left.cost + right.cost,
    estimated: left.estimated || right.estimated,
  };
}

export type CapUnit = 'tokens' | 'cost';
const UNITS = ['tokens', 'cost'] as const satisfies readonly CapUnit[];

/** `null`: no cap. Positive. */
export type SpanCaps = Readonly<Record<CapUnit, number | null>>;

export interface CapSettings {
  readonly turn: SpanCaps;
  /** Caps for one calendar day in local time, over all processes that share TILLER_HOME. */
  readonly day: SpanCaps;
  /** Caps for one calendar month, counted like the day. */
  readonly month: SpanCaps;
}

export type CapSpan = keyof CapSettings;

/** The user has raised a cap. Holds for this value of the setting only: a changed cap counts from the start. */
export interface RaisedCap {
  readonly cap: number;
  readonly to: number;
}

export type RaisedCaps = { readonly [Unit in CapUnit]?: RaisedCap | undefined };

export interface ReachedCap {
  readonly span: CapSpan;
  readonly unit: CapUnit;
  readonly used: number;
  readonly estimated: boolean;
  /** The setting. */
  readonly cap: number;
  /** The cap with the amount that the user has added. */
  readonly limit: number;
  /** The limit once the user continues. */
  readonly next: number;
}

/** The first cap of the span that is reached; `undefined` when none is. */
export function reachedCap(span: CapSpan, caps: SpanCaps, spent: Spending, raised: RaisedCaps): ReachedCap | undefined {
  for (const unit of UNITS) {
    const cap = caps[unit];
    if (cap === null) continue;
    const used = spent[unit];
    const limit = raised[unit]?.cap === cap ? Math.max(cap, raised[unit].to) : cap;
    if (used >= limit) {
      return { span, unit, used, estimated: spent.estimated, cap, limit, next: nextLimit(limit, cap, used) };
    }
  }
  return undefined;
}

/** Adds the cap to the limit, more than once where one response has used that much, so that the limit is not reached. */
export function nextLimit(limit: number, cap: number, used: number): number {
  const times = Math.max(1, Math.floor((used - limit) / cap) + 1);
  const next = limit + times * cap;
  // Very large figures with a very small cap: the sum may be rounded down.
  return Math.min(next > used ? next : used + Math.max(cap, used), Number.MAX_VALUE);
}

/** Two answers to the same question raise a cap once. */
export function withRaised(
  raised: RaisedCaps,
  { unit, cap, next }: Pick<ReachedCap, 'unit' | 'cap' | 'next'>,
): RaisedCaps {
  return { ...raised, [unit]: higher(raised[unit], { cap, to: next }) };
}

/**
 * Merges raised caps, for each unit: `right` replaces `left`, unless both raise the same cap; then the higher limit
 * counts.
 */
export function mergeRaised(left: RaisedCaps, right: RaisedCaps): RaisedCaps {
  const merged = UNITS.map((unit) => {
    const newer = right[unit];
    return [unit, newer === undefined ? left[unit] : higher(left[unit], newer)] as const;
  });
  return Object.fromEntries(merged.filter(([, raise]) => raise !== undefined));
}

function higher(before: RaisedCap | undefined, raise: RaisedCap): RaisedCap {
  return before?.cap === raise.cap && before.to > raise.to ? before : raise;
}

const SPANS: Readonly<Record<CapSpan, { readonly header: string; readonly name: string }>> = {
  turn: { header: 'Cap of a turn', name: 'this turn' },
  day: { header: 'Cap of a day', name: 'today' },
  month: { header: 'Cap of a month', name: 'this month' },
};

const QUESTION = 'cap';
const CONTINUE = 'Continue';
const STOP = 'Stop';

/** The question whether the turn goes on, which raises the cap. */
export function capQuestion(reached: ReachedCap): QuestionBody {
  const { header, name } = SPANS[reached.span];
  return {
    source: 'tiller',
    questions: [
      {
        id: QUESTION,
        header,
        question: `${capSentence(reached)} Continue?`,
        options: [
          { label: CONTINUE, description: `Raises the cap for ${name} to ${figure(reached.next, reached.unit)}.` },
          { label: STOP, description: 'Ends the turn here. “Try Again” goes on from there.' },
        ],
      },
    ],
  };
}

/** Every answer but the choice to continue stops. */
export function continues(answer: QuestionAnswer): boolean {
  return answer.type === 'answered' && answer.answers[QUESTION]?.[0] === CONTINUE;
}

/** The reason of a turn that a cap has paused. */
export function pauseSentence(reached: ReachedCap): string {
  return `${capSentence(reached)} Try again to continue.`;
}

function capSentence({ span, unit, used, estimated, limit }: ReachedCap): string {
  const amount = `${estimated ? 'about ' : ''}${figure(used, unit)}`;
  const cap = `the cap is ${figure(limit, unit)}.`;
  const { name } = SPANS[span];
  if (unit === 'cost') return `${name.charAt(0).toUpperCase()}${name.slice(1)} has cost ${amount}; ${cap}`;
  return span === 'turn' ? `This turn has used ${amount} tokens; ${cap}` : `${amount} tokens were used ${name}; ${cap}`;
}

/** Tokens in full; a cost with at least two significant digits. */
function figure(value: number, unit: CapUnit): string {
  if (unit === 'tokens') return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  const digits = value === 0 || value >= 0.1 ? 2 : Math.min(20, 1 - Math.floor(Math.log10(value)));
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
