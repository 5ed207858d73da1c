import type { Event, TurnSettings } from '../../protocol/event.ts';
import { type CompactedHistory, undoCompaction } from '../../protocol/compaction.ts';
import type { TurnItem } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { initialThreadState, type ThreadState } from '../../protocol/thread.ts';
import { threadReducer } from '../../protocol/threadReducer.ts';
import type { Storage } from '../ports.ts';
import { type Compacted, ROLLOUT_VERSION, type SessionMeta } from './line.ts';
import { guessMeta, isGuess } from './lostMeta.ts';
import { parseLine } from './parseLine.ts';
import { describeFileError } from '../util/fileErrors.ts';
import { readLines } from './readLines.ts';

/** A thread as rebuilt from its rollout. */
export interface ReplayedThread {
  readonly meta: SessionMeta;
  readonly state: ThreadState;
  /** The model's history in recorded order; calls and outputs are not paired yet. */
  readonly history: readonly ResponseItem[];
  /** Compactions in effect, oldest first. */
  readonly compacted: readonly CompactedHistory[];
  /** The last compaction was undone and no turn has ended since. */
  readonly compactionUndone: boolean;
  /** Items of `history` that the last `token_count` counted; `null` when it counted another history. */
  readonly countedItems: number | null;
  /** Items of `history` when each turn started. Unknown for turns before a compaction or the undo of one. */
  readonly turnStarts: ReadonlyMap<string, number>;
  /** The usage of the last turn, as reported by `token_count`. */
  readonly spentInTurn: { readonly tokens: number; readonly cost: number; readonly estimated: boolean };
  readonly settings: TurnSettings | null;
  /**
   * The number of lines that could not be read: incomplete, damaged, or of an unknown type. A missing first line counts
   * too, because the metadata is then guessed.
   */
  readonly dropped: number;
  /** True when the format is newer: the thread can be shown but not continued. */
  readonly readOnly: boolean;
}

export type Replay =
  | { readonly type: 'thread'; readonly thread: ReplayedThread }
  | { readonly type: 'unreadable'; readonly message: string };

export const NO_THREAD = 'This file contains no Tiller thread.';
const UNREADABLE: Replay = { type: 'unreadable', message: NO_THREAD };

/**
 * Rebuilds a thread from the text of its rollout and counts the lines that were dropped; refuses only a file without
 * any line that identifies a thread.
 */
export function replay(text: string): Replay {
  const lines = text.split('\n').filter((line) => line !== '');
  const meta = metaOf(lines);
  if (meta === undefined) return UNREADABLE;
  const fold = new ReplayFold(meta);
  for (const line of lines) fold.add(line);
  return { type: 'thread', thread: fold.thread };
}

/** Rebuilds a thread from its file, one chunk at a time, so that a long thread does not block. */
export async function replayFile(storage: Storage, path: string): Promise<Replay> {
  try {
    const meta = await readMeta(storage, path);
    if (meta === undefined) return UNREADABLE;
    const fold = new ReplayFold(meta);
    for await (const { lines } of readLines(storage, path, { torn: true })) for (const line of lines) fold.add(line);
    return { type: 'thread', thread: fold.thread };
  } catch (error) {
    return { type: 'unreadable', message: describeFileError(error, 'The file') };
  }
}

/**
 * Reads the metadata: from the first line, or a later one if a crash or a full disk damaged that; if no line contains
 * it, a guess.
 */
export async function readMeta(storage: Storage, path: string): Promise<SessionMeta | undefined> {
  let guess: SessionMeta | undefined;
  for await (const { lines } of readLines(storage, path, { torn: true })) {
    const meta = metaOf(lines);
    if (meta !== undefined) return meta;
    guess ??= guessMeta(lines, path);
  }
  return guess;
}

/** A thread rebuilt from the lines that were added so far. */
export class ReplayFold {
  readonly #meta: SessionMeta;
  #state: ThreadState;
  #history: ResponseItem[] = [];
  #compacted: readonly CompactedHistory[] = [];
  /** Lines of compactions that are not completed. */
  readonly #started = new Map<string, Compacted>();
  #compactionUndone = false;
  #countedItems: number | null = null;
  readonly #turnStarts = new Map<string, number>();
  /** Totals of the thread when its last turn began. */
  #beforeTurn = { tokens: 0, cost: 0 };
  #settings: TurnSettings | null = null;
  #lines = 0;
  #dropped = 0;

  constructor(meta: SessionMeta) {
    this.#meta = meta;
    this.#state = initialThreadState(meta.id);
  }

  get thread(): ReplayedThread {
    return {
      meta: this.#meta,
      state: { ...this.#state, lastSeq: 0 },
      history: this.#history,
      compacted: this.#compacted,
      compactionUndone: this.#compactionUndone,
      countedItems: this.#countedItems,
      turnStarts: this.#turnStarts,
      spentInTurn: this.#spentInTurn(),
      settings: this.#settings,
      dropped: this.#dropped,
      readOnly: this.#meta.version > ROLLOUT_VERSION,
    };
  }

  /** Adds a line. Returns its event, if it contains one. */
  add(line: string): Event | undefined {
    // Events are numbered by their place in the file, because several processes may each have counted from 1.
    const seq = ++this.#lines;
    const entry = parseLine(line);
    if (seq === 1 && entry !== undefined && isGuess(this.#meta)) this.#dropped++;
    switch (entry?.type) {
      case undefined:
        this.#dropped++;
        return undefined;
      case 'session_meta':
        return undefined;
      case 'turn_context':
        this.#settings = entry.payload;
        return undefined;
      case 'response_item':
        this.#history.push(entry.payload);
        return undefined;
      case 'compacted':
        if (entry.payload.item_id === undefined) this.#replace([...entry.payload.replacement_history], []);
        else this.#started.set(entry.payload.item_id, entry.payload);
        return undefined;
      case 'event_msg': {
        const event = { v: 1 as const, seq, at: entry.timestamp, threadId: this.#meta.id, ...entry.payload };
        this.#state = threadReducer(this.#state, event);
        this.#follow(event);
        return event;
      }
    }
  }

  #totals(): { readonly tokens: number; readonly cost: number } {
    const { tokens } = this.#state;
    return { tokens: tokens?.total.total ?? 0, cost: tokens?.cost?.total ?? 0 };
  }

  #spentInTurn(): ReplayedThread['spentInTurn'] {
    const { tokens, cost } = this.#totals();
    const estimated = this.#state.tokens?.estimated ?? false;
    return { tokens: tokens - this.#beforeTurn.tokens, cost: cost - this.#beforeTurn.cost, estimated };
  }

  /** Applies an event to the history and to its size. */
  #follow({ turnId, msg }: Event): void {
    switch (msg.type) {
      case 'item_completed':
        return this.#complete(msg.item);
      case 'turn_started':
        this.#beforeTurn = this.#totals();
        if (turnId !== null) this.#turnStarts.set(turnId, this.#history.length);
        return;
      case 'turn_completed':
      case 'turn_aborted':
        this.#compactionUndone = false;
        return;
      case 'token_count':
        this.#countedItems = this.#history.length;
        return;
      case 'compaction_undone': {
        const undone = undoCompaction(this.#history, this.#compacted, msg.itemId);
        if (undone.type !== 'undone') return;
        this.#compactionUndone = true;
        return this.#replace(undone.items, undone.compacted);
      }
      case 'turns_rolled_back':
        if (msg.conversation) this.#rollBack(msg.turnIds);
        return;
      default:
        return;
    }
  }

  #rollBack(turnIds: readonly string[]): void {
    const start = this.#turnStarts.get(turnIds[0] ?? '');
    if (start !== undefined) this.#history = this.#history.slice(0, start);
    this.#countedItems = null;
    for (const turnId of turnIds) this.#turnStarts.delete(turnId);
  }

  #complete({ id, status }: TurnItem): void {
    const started = this.#started.get(id);
    if (started === undefined) return;
    this.#started.delete(id);
    if (status !== 'completed') return;
    const replacement = [...started.replacement_history];
    const step = { itemId: id, before: this.#history, kept: replacement.length };
    this.#replace(replacement, [...this.#compacted, step]);
  }

  #replace(items: ResponseItem[], compacted: readonly CompactedHistory[]): void {
    this.#history = items;
    this.#compacted = compacted;
    this.#countedItems = null;
    this.#turnStarts.clear();
  }
}

/** A sentence for the user; `undefined` where every line was read. */
export function describeDropped(lines: number): string | undefined {
  if (lines === 0) return undefined;
  const what = lines === 1 ? 'One line of this thread' : `${lines} lines of this thread`;
  return `${what} could not be read and ${lines === 1 ? 'was' : 'were'} left out.`;
}

/** The thread as it is shown: with a warning about missing lines, which is not in the rollout. */
export function shownState({ state, dropped }: ReplayedThread): ThreadState {
  const message = describeDropped(dropped);
  return message === undefined ? state : { ...state, warnings: [...state.warnings, { message }] };
}

function metaOf(lines: readonly string[]): SessionMeta | undefined {
  for (const line of lines) {
    const entry = parseLine(line);
    if (entry?.type === 'session_meta') return entry.payload;
  }
  return undefined;
}
