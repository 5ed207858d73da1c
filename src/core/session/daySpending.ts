/**
 * What all processes that share TILLER_HOME have used today: `spending.json`, one entry for each local calendar day. Days
 * before yesterday are removed (yesterday stays for processes in another time zone).
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

const FILE = 'spending.json';
const DAY_MS = 24 * 60 * 60 * 1000;

const amountSchema = z.number().nonnegative();
const raisedSchema = z.object({ cap: amountSchema, to: amountSchema }).optional();
const daySchema = z.object({
  tokens: amountSchema,
  cost: amountSchema,
  estimated: z.boolean(),
  raised: z.object({ tokens: raisedSchema, cost: raisedSchema }),
});
const fileSchema = z.object({ version: z.literal(1), days: z.record(z.string(), daySchema) });

export interface SpentDay extends Spending {
  readonly raised: RaisedCaps;
}

type Days = ReadonlyMap<string, SpentDay>;

const EMPTY_DAY: SpentDay = { ...NOTHING_SPENT, raised: {} };

type DayPorts = {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly host: Pick<Host, 'timeZone'>;
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
  #problem: { readonly sentence: string; isTaken: boolean } | undefined;

  constructor(ports: DayPorts) {
    this.#ports = ports;
  }

  /** Counts at once in this process, and soon in the file. */
  add(spending: Spending): void {
    this.#change((day) => ({ ...day, ...addSpending(day, spending) }));
  }

  /** Raises the cap of today for all processes. */
  raise(reached: Pick<ReachedCap, 'unit' | 'cap' | 'next'>): void {
    this.#change((day) => ({ ...day, raised: withRaised(day.raised, reached) }));
  }

  /** What all processes have used today. */
  async today(): Promise<SpentDay> {
    await this.#saving;
    const stored = await this.#ports.storage.readText(FILE).catch((error: unknown) => this.#report(unusable(error)));
    return mergeDays(this.#parse(stored), this.#fresh).get(this.#day()) ?? EMPTY_DAY;
  }

  /** Resolves when everything that was counted is saved, or cannot be. */
  flush(): Promise<void> {
    return this.#saving;
  }

  /** Why the file cannot be used, in one sentence; the first time only. */
  takeProblem(): string | undefined {
    if (this.#problem === undefined || this.#problem.isTaken) return undefined;
    this.#problem.isTaken = true;
    return this.#problem.sentence;
  }

  #change(change: (day: SpentDay) => SpentDay): void {
    const today = this.#day();
    this.#fresh = new Map([...this.#fresh, [today, change(this.#fresh.get(today) ?? EMPTY_DAY)]]);
    this.#saving = this.#saving.then(() => this.#save());
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
      return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).days));
    } catch {
      this.#report(`${FILE} in TILLER_HOME was damaged: what was used today is counted from zero.`);
      return new Map();
    }
  }

  #write(days: Days): string {
    const now = this.#ports.clock.now().getTime();
    const kept = [-DAY_MS, 0, DAY_MS].map((offset) => this.#day(new Date(now + offset)));
    const entries = [...days]
      .filter(([day]) => kept.includes(day))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `${JSON.stringify({ version: 1, days: Object.fromEntries(entries) }, null, 1)}\n`;
  }

  #day(at = this.#ports.clock.now()): string {
    return localDay(at, this.#ports.host.timeZone);
  }

  #report(sentence: string): undefined {
    if (this.#problem !== undefined) return;
    this.#problem = { sentence, isTaken: false };
    this.#ports.log.warn(sentence);
  }
}

/** The calendar day there, as YYYY-MM-DD. `timeZone`: IANA name; UTC where it is not known. */
export function localDay(at: Date, timeZone: string): string {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    const of = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
    return `${of['year']}-${of['month']}-${of['day']}`;
  } catch {
    return at.toISOString().slice(0, 10);
  }
}

function unusable(error: unknown): string {
  return `${FILE} in TILLER_HOME cannot be used (${messageOf(error)}): caps of a day count this process alone.`;
}

function mergeDays(left: Days, right: Days): Days {
  const merged = new Map(left);
  for (const [day, more] of right) {
    const before = merged.get(day) ?? EMPTY_DAY;
    merged.set(day, { ...addSpending(before, more), raised: mergeRaised(before.raised, more.raised) });
  }
  return merged;
}
