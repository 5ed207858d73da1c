import * as z from 'zod';
import type { ThreadSummary } from '../../protocol/threads.ts';
import type { Log, Storage, StoredFile } from '../ports.ts';
import { readLines } from './readLines.ts';
import { EMPTY_FOLD, foldLines, summaryFoldSchema } from './summary.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const PATH = 'index/threads.json';
/** In bytes: for less unsaved growth, reading it again is cheaper than saving the index. */
const WORTH_SAVING = 512 * 1024;
const READS_AT_ONCE = 8;

const entrySchema = lazyObject(() => ({
  path: z.string(),
  /** The size and time of the file when it was read. */
  size: z.number(),
  modifiedAt: z.number(),
  /** The offset of the next line. */
  scanned: z.number(),
  fold: summaryFoldSchema,
}));
type Entry = z.infer<typeof entrySchema>;

const fileSchema = lazyObject(() => ({ version: z.literal(1), entries: z.array(entrySchema) }));

/**
 * Summaries of all rollouts, cached in a file. The cache contains nothing that the rollouts do not; it is rebuilt when
 * it is missing, damaged or of another version.
 */
export class ThreadIndex {
  readonly #storage: Storage;
  readonly #log: Log;
  #entries: Map<string, Entry> | undefined;
  #unsaved = 0;
  #refreshing: Promise<readonly ThreadSummary[]> | undefined;

  constructor(ports: { readonly storage: Storage; readonly log: Log }) {
    this.#storage = ports.storage;
    this.#log = ports.log;
  }

  /** The oldest rollout first. Files that are not threads are left out. */
  summaries(): Promise<readonly ThreadSummary[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<readonly ThreadSummary[]> {
    const known = (this.#entries ??= await this.#load());
    const files = (await this.#storage.statFiles('threads')).filter(({ path }) => path.endsWith('.jsonl'));
    const changed = files.filter((file) => !isSame(known.get(file.path), file));
    for (let start = 0; start < changed.length; start += READS_AT_ONCE) {
      const batch = changed.slice(start, start + READS_AT_ONCE);
      const entries = await Promise.all(batch.map((file) => this.#tryRead(file, known.get(file.path))));
      for (const entry of entries) if (entry) known.set(entry.path, entry);
    }
    const there = new Set(files.map(({ path }) => path));
    for (const path of known.keys()) if (!there.has(path)) known.delete(path);
    if (this.#unsaved > WORTH_SAVING) await this.#save(known);
    return files.flatMap(({ path }) => known.get(path)?.fold.summary ?? []);
  }

  /** A file that cannot be read does not affect the others; it is read again the next time. */
  async #tryRead(file: StoredFile, before: Entry | undefined): Promise<Entry | undefined> {
    try {
      return await this.#read(file, before);
    } catch (error) {
      this.#log.warn(`${file.path} cannot be read`, error);
      return undefined;
    }
  }

  async #read(file: StoredFile, before: Entry | undefined): Promise<Entry> {
    const goesOn = before !== undefined && file.size > before.size && (await this.#endsLine(file.path, before.scanned));
    let { fold, scanned } = goesOn ? before : { fold: EMPTY_FOLD, scanned: 0 };
    this.#unsaved += file.size - scanned;
    for await (const { lines, end } of readLines(this.#storage, file.path, { from: scanned })) {
      fold = foldLines(fold, lines, file.path);
      scanned = end;
    }
    return { ...file, scanned, fold };
  }

  /** Rollouts normally only grow, but one that was partly overwritten or replaced by hand is read from the start. */
  async #endsLine(path: string, offset: number): Promise<boolean> {
    if (offset === 0) return true;
    const [byte] = await this.#storage.readBytes(path, offset - 1, 1);
    return byte === 10;
  }

  async #load(): Promise<Map<string, Entry>> {
    try {
      const text = await this.#storage.readText(PATH);
      const { entries } = fileSchema.parse(JSON.parse(text ?? '{"version":1,"entries":[]}'));
      return new Map(entries.map((entry) => [entry.path, entry]));
    } catch (error) {
      this.#log.warn('The thread index is rebuilt', error);
      return new Map();
    }
  }

  async #save(known: ReadonlyMap<string, Entry>): Promise<void> {
    this.#unsaved = 0;
    try {
      await this.#storage.writeText(PATH, JSON.stringify({ version: 1, entries: [...known.values()] }));
    } catch (error) {
      this.#log.warn('The thread index was not saved', error);
    }
  }
}

function isSame(entry: Entry | undefined, file: StoredFile): boolean {
  return entry !== undefined && entry.size === file.size && entry.modifiedAt === file.modifiedAt;
}
