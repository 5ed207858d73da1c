/**
 * The number of decisions of each rule. Kept in a file of its own, so that the rules file contains only the user's
 * text; collected and saved from time to time.
 */
import * as z from 'zod';
import type { Uses } from '../../protocol/rules.ts';
import type { Clock, Log, Storage } from '../ports.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const FILE = 'rule-uses.json';
/** The maximum number of names; the least recently used are dropped. */
const MAX_NAMES = 2_000;

const usesSchema = lazyObject(() => ({ count: z.number(), lastUsedAt: z.string().nullable() }));
const fileSchema = lazyObject(() => ({ version: z.literal(1), uses: z.record(z.string(), usesSchema) }));

const NEVER: Uses = { count: 0, lastUsedAt: null };

export class UseCounts {
  readonly #ports: { readonly storage: Storage; readonly clock: Clock; readonly log: Log };
  /** Counts that are not saved yet. */
  #fresh = new Map<string, Uses>();

  constructor(ports: { readonly storage: Storage; readonly clock: Clock; readonly log: Log }) {
    this.#ports = ports;
  }

  note(names: Iterable<string>): void {
    const lastUsedAt = this.#ports.clock.now().toISOString();
    for (const name of names) this.#fresh.set(name, { count: (this.#fresh.get(name)?.count ?? 0) + 1, lastUsedAt });
  }

  /** Never rejects, because a lost count is no failure. Counts that could not be saved are kept. */
  async flush(): Promise<void> {
    if (this.#fresh.size === 0) return;
    const fresh = this.#fresh;
    this.#fresh = new Map();
    try {
      await this.#ports.storage.updateText(FILE, (text) => write(added(parse(text), fresh)));
    } catch (error) {
      this.#fresh = added(this.#fresh, fresh);
      this.#ports.log.warn('Uses of rules could not be written down', error);
    }
  }

  /** The counts of all names, over all processes. */
  async all(): Promise<(name: string) => Uses> {
    const known = added(parse(await this.#ports.storage.readText(FILE)), this.#fresh);
    return (name) => known.get(name) ?? NEVER;
  }
}

function added(known: ReadonlyMap<string, Uses>, more: ReadonlyMap<string, Uses>): Map<string, Uses> {
  const sum = new Map(known);
  for (const [name, { count, lastUsedAt }] of more) {
    sum.set(name, { count: (known.get(name)?.count ?? 0) + count, lastUsedAt });
  }
  return sum;
}

/** A file that cannot be read counts as empty. */
function parse(text: string | undefined): Map<string, Uses> {
  try {
    return new Map(Object.entries(fileSchema.parse(JSON.parse(text ?? '')).uses));
  } catch {
    return new Map();
  }
}

function write(uses: ReadonlyMap<string, Uses>): string {
  const latestFirst = [...uses].toSorted(([, one], [, other]) =>
    (other.lastUsedAt ?? '') < (one.lastUsedAt ?? '') ? -1 : 1,
  );
  return `${JSON.stringify({ version: 1, uses: Object.fromEntries(latestFirst.slice(0, MAX_NAMES)) }, null, 1)}\n`;
}
