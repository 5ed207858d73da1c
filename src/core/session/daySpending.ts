/**
 * The usage of all processes that share TILLER_HOME, today and this month: `spending.json`, one entry for each local
 * calendar day and month. Days before yesterday and months before the last are removed (those stay for processes in
 * another time zone).
 */
import * as z from 'zod';
import type { Clock, Host, Log, Storage } from '../ports.ts';
import { messageOf } from '../util/fileErrors.ts';
import {
  addSpending,
  mergeRaised,
  NOTHING_SPENT,
  type RaisedCaps,
  type ReachedCap,
  type Spending,
  withRaised,
} from './caps.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const FILE = 'spending.json';
const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Time for which counts are gathered before they are saved: a save takes a lock and waits for the disk, and a fast
 * model sends many responses in a second.
 */
const SAVE_AFTER_MS = 1_000;
/** The length of `YYYY-MM`, the key of a month and the prefix of the keys of its days. */
const MONTH_LENGTH = 7;

const amountSchema = z.number().nonnegative();
const raisedSchema = z.object({ cap: amountSchema, to: amountSchema }).optional();
const daySchema = lazyObject(() => ({
  tokens: amountSchema,
  cost: amountSchema,
  estimated: z.boolean(),
  raised: z.object({ tokens: raisedSchema, cost: raisedSchema }),
}));
const fileSchema = lazyObject(() => ({
  version: z.literal(1),
  days: z.record(z.string(), daySchema),
  /** Missing in files of 0.1. */
  months: z.record(z.string(), daySchema).default({}),
}));

/** The usage of a day or a month. */
export interface SpentDay extends Spending {
  readonly raised: RaisedCaps;
}

/** By the name of a day or a month. */
type Days = ReadonlyMap<string, SpentDay>;

const EMPTY_DAY: SpentDay = { ...NOTHING_SPENT, raised: {} };

type DayPorts = {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly host: Pick<Host, 'localDay'>;
  readonly log: Log;
};

/**
 * The counter of a process. No method rejects: a file that cannot be used is a problem to report once, and this process
 * then counts alone.
 */
export class DaySpending {
  readonly #ports: DayPorts;
  /** Not saved yet. */
  #fresh: Days = new Map();
  #saving: Promise<void> = Promise.resolve();
  /** Cancels the save that is due. */
  #cancelDue: (() => void) | undefined;
  #problem: { readonly sentence: string; isTaken: boolean } | undefined;

  constructor(ports: DayPorts) {
    this.#ports = ports;
  }

  /** Counts at once in this process, and within a second in the file. */
  add(spending: Spending): void {
    for (const span of ['day', 'month'] as const)
      this.#change(span, (spent) => ({ ...spent, ...addSpending(spent, spending) }));
    this.#cancelDue ??= this.#ports.clock.after(SAVE_AFTER_MS, () => void this.flush());
  }

  /** Raises the cap of today, or of this month, for all processes. */
  raise(span: 'day' | 'month', reached: Pick<ReachedCap, 'unit' | 'cap' | 'next'>): void {
    this.#change(span, (spent) => ({ ...spent, raised: withRaised(spent.raised, reached) }));
    void this.flush();
  }

  /** The usage of all processes today and this month. Saves first, because another process may check a cap now. */
  async spent(): Promise<{ readonly day: SpentDay; readonly month: SpentDay }> {
    await this.flush();
    const stored = await this.#ports.storage.readText(FILE).catch((error: unknown) => this.#report(unusable(error)));
    const all = mergeDays(this.#parse(stored), this.#fresh);
    return { day: all.get(this.#name('day')) ?? EMPTY_DAY, month: all.get(this.#name('month')) ?? EMPTY_DAY };
  }

  /** Saves the counts. Resolves when all of them are saved, or cannot be. */
  flush(): Promise<void> {
    this.#cancelDue?.();
    this.#cancelDue = undefined;
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  /** The reason why the file cannot be used, in one sentence; returned only once. */
  takeProblem(): string | undefined {
    if (this.#problem === undefined || this.#problem.isTaken) return undefined;
    this.#problem.isTaken = true;
    return this.#problem.sentence;
  }

  #change(span: 'day' | 'month', change: (spent: SpentDay) => SpentDay): void {
    const name = this.#name(span);
    this.#fresh = new Map([...this.#fresh, [name, change(this.#fresh.get(name) ?? EMPTY_DAY)]]);
  }

  async #save(): Promise<void> {
    const fresh = this.#fresh;
    if (fresh.size === 0) return;
    this.#fresh = new Map();
    try {
      await this.#ports.storage.updateText(FILE, (text) => this.#write(mergeDays(this.#parse(text), fresh)));
    } catch (error) {
      this.#fresh = mergeDays(fresh, this.#fresh);
      this.#report(unusable(error));
    }
  }

  #parse(text: string | undefined): Days {
    if (text === undefined) return new Map();
    try {
      const { days, months } = fileSchema.parse(JSON.parse(text));
      return new Map([...Object.entries(days), ...Object.entries(months)]);
    } catch {
      this.#report(`${FILE} in TILLER_HOME was damaged: what was used today and this month is counted from zero.`);
      return new Map();
    }
  }

  #write(days: Days): string {
    const now = this.#ports.clock.now().getTime();
    const near = [-DAY_MS, 0, DAY_MS].map((offset) => this.#day(new Date(now + offset)));
    const lastMonth = this.#day(new Date(now - Number(near[1]?.slice(-2)) * DAY_MS)).slice(0, MONTH_LENGTH);
    const kept = [...near, ...near.map((day) => day.slice(0, MONTH_LENGTH)), lastMonth];
    const entries = [...days]
      .filter(([day]) => kept.includes(day))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    const isMonth = ([name]: (typeof entries)[number]) => name.length === MONTH_LENGTH;
    const file = {
      version: 1,
      days: Object.fromEntries(entries.filter((entry) => !isMonth(entry))),
      months: Object.fromEntries(entries.filter(isMonth)),
    };
    return `${JSON.stringify(file, null, 1)}\n`;
  }

  #name(span: 'day' | 'month'): string {
    return span === 'day' ? this.#day() : this.#day().slice(0, MONTH_LENGTH);
  }

  #day(at = this.#ports.clock.now()): string {
    return this.#ports.host.localDay(at);
  }

  #report(sentence: string): undefined {
    if (this.#problem !== undefined) return;
    this.#problem = { sentence, isTaken: false };
    this.#ports.log.warn(sentence);
  }
}

function unusable(error: unknown): string {
  return `${FILE} in TILLER_HOME cannot be used (${messageOf(error)}): caps of a day or month count this process alone.`;
}

function mergeDays(left: Days, right: Days): Days {
  const merged = new Map(left);
  for (const [day, more] of right) {
    const before = merged.get(day) ?? EMPTY_DAY;
    merged.set(day, { ...addSpending(before, more), raised: mergeRaised(before.raised, more.raised) });
  }
  return merged;
}
