import type { Event, TurnSettings } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { initialThreadState, type ThreadState, threadReducer } from '../../protocol/thread.ts';
import type { Storage } from '../ports.ts';
import { ROLLOUT_VERSION, type SessionMeta } from './line.ts';
import { guessMeta, isGuess } from './lostMeta.ts';
import { parseLine } from './parseLine.ts';
import { describeFileError } from '../util/fileErrors.ts';
import { readLines } from './readLines.ts';

/** A thread as its rollout tells it. */
export interface ReplayedThread {
  readonly meta: SessionMeta;
  readonly state: ThreadState;
  /** What the model has seen, in the order it was recorded; not yet paired. */
  readonly history: readonly ResponseItem[];
  /** How much of `history` was there when each turn began; of turns before a compaction it is not known. */
  readonly turnStarts: ReadonlyMap<string, number>;
  readonly settings: TurnSettings | null;
  /** Lines that could not be read: torn, damaged, of an unknown type, or the first one, without which a thread is only guessed. */
  readonly dropped: number;
  /** Written by a newer format: to be shown, not to be continued. */
  readonly readOnly: boolean;
}

export type Replay =
  | { readonly type: 'thread'; readonly thread: ReplayedThread }
  | { readonly type: 'unreadable'; readonly message: string };

export const NO_THREAD = 'No line says that this is a Tiller thread.';
const UNREADABLE: Replay = { type: 'unreadable', message: NO_THREAD };

/**
 * Rebuilds a thread from the text of its rollout. Reads what is there and says what was dropped; only a file in which no
 * line says what it is, is refused.
 */
export function replay(text: string): Replay {
  const lines = text.split('\n').filter((line) => line !== '');
  const meta = metaOf(lines);
  if (meta === undefined) return UNREADABLE;
  const fold = new ReplayFold(meta);
  for (const line of lines) fold.add(line);
  return { type: 'thread', thread: fold.thread };
}

/** The same from its file, a piece at a time: a long thread holds up nothing else. */
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

/** On the first line, unless a crash or a full disk tore that one; where no line says it any more, what it must have said. */
export async function readMeta(storage: Storage, path: string): Promise<SessionMeta | undefined> {
  let guess: SessionMeta | undefined;
  for await (const { lines } of readLines(storage, path, { torn: true })) {
    const meta = metaOf(lines);
    if (meta !== undefined) return meta;
    guess ??= guessMeta(lines, path);
  }
  return guess;
}

/** A thread as far as its lines were read. */
export class ReplayFold {
  readonly #meta: SessionMeta;
  #state: ThreadState;
  #history: ResponseItem[] = [];
  readonly #turnStarts = new Map<string, number>();
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
      turnStarts: this.#turnStarts,
      settings: this.#settings,
      dropped: this.#dropped,
      readOnly: this.#meta.version > ROLLOUT_VERSION,
    };
  }

  /** Returns the event that the line tells, if it tells one. */
  add(line: string): Event | undefined {
    // The place in the file orders events of several processes, each of which counted from 1.
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
        this.#history = [...entry.payload.replacement_history];
        this.#turnStarts.clear();
        return undefined;
      case 'event_msg': {
        const event = { v: 1 as const, seq, at: entry.timestamp, threadId: this.#meta.id, ...entry.payload };
        this.#state = threadReducer(this.#state, event);
        this.#noteTurns(event);
        return event;
      }
    }
  }

  #noteTurns({ turnId, msg }: Event): void {
    if (msg.type === 'turn_started' && turnId !== null) this.#turnStarts.set(turnId, this.#history.length);
    if (msg.type !== 'turns_rolled_back' || !msg.conversation) return;
    const start = this.#turnStarts.get(msg.turnIds[0] ?? '');
    if (start !== undefined) this.#history = this.#history.slice(0, start);
    for (const gone of msg.turnIds) this.#turnStarts.delete(gone);
  }
}

export function describeDropped(lines: number): string | undefined {
  if (lines === 0) return undefined;
  const what = lines === 1 ? 'One line of this thread' : `${lines} lines of this thread`;
  return `${what} could not be read and ${lines === 1 ? 'was' : 'were'} left out.`;
}

/** The thread as a person is shown it: with a word on what is missing, which stands in no rollout. */
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
