import { abortable } from '../util/abort.ts';
import {
  addSpending,
  type CapSettings,
  NOTHING_SPENT,
  type RaisedCaps,
  type ReachedCap,
  reachedCap,
  type SpanCaps,
  type Spending,
  withRaised,
} from './caps.ts';
import type { DaySpending } from './daySpending.ts';

/** The usage of the running turn of a root thread and its sub-agents, which share this object. */
export class TurnSpending {
  #spent = NOTHING_SPENT;
  #raised: RaisedCaps = {};

  get spent(): Spending {
    return this.#spent;
  }

  get raised(): RaisedCaps {
    return this.#raised;
  }

  /** Begins a turn. `spent`: its usage in an earlier process. */
  begin(spent: Spending = NOTHING_SPENT): void {
    this.#spent = spent;
    this.#raised = {};
  }

  add(spending: Spending): void {
    this.#spent = addSpending(this.#spent, spending);
  }

  raise(reached: ReachedCap): void {
    this.#raised = withRaised(this.#raised, reached);
  }
}

/** The counters that a session adds to and its caps are compared with. */
export class CapCounters {
  readonly #caps: CapSettings;
  readonly turn: TurnSpending;
  readonly #day: DaySpending;

  constructor(caps: CapSettings, turn: TurnSpending, day: DaySpending) {
    this.#caps = caps;
    this.turn = turn;
    this.#day = day;
  }

  add(spending: Spending): void {
    this.turn.add(spending);
    this.#day.add(spending);
  }

  /** The first cap that is reached: that of the turn, the day, the month. Rejects only with the signal's reason. */
  async reached(signal: AbortSignal): Promise<ReachedCap | undefined> {
    const { turn, day, month } = this.#caps;
    const ofTurn = reachedCap('turn', turn, this.turn.spent, this.turn.raised);
    if (ofTurn !== undefined || (!isSet(day) && !isSet(month))) return ofTurn;
    const spent = await abortable(this.#day.spent(), signal);
    return (
      reachedCap('day', day, spent.day, spent.day.raised) ?? reachedCap('month', month, spent.month, spent.month.raised)
    );
  }

  raise(reached: ReachedCap): void {
    if (reached.span === 'turn') this.turn.raise(reached);
    else this.#day.raise(reached.span, reached);
  }

  /**
   * Returns the reason why the counts of day and month are not complete, once; `undefined` where no cap depends on
   * them.
   */
  takeProblem(): string | undefined {
    const { day, month } = this.#caps;
    return isSet(day) || isSet(month) ? this.#day.takeProblem() : undefined;
  }

  /** Resolves when the day is saved, or cannot be. */
  flush(): Promise<void> {
    return this.#day.flush();
  }
}

function isSet({ tokens, cost }: SpanCaps): boolean {
  return tokens !== null || cost !== null;
}
