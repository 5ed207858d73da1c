/**
 * The script for running a thread again: each request by the history before it, each response, and
 * the actions of the user (docs/decisions/0019). Computed from the lines alone.
 */
import { ROLLOUT_VERSION, type SessionMeta } from '../rollout/line.ts';
import { parseLine, type ReadEntry } from '../rollout/parseLine.ts';
import { msgOf, PartReader } from './partReader.ts';
import type { RecordedExchange, RecordedPart } from './recording.ts';

export interface ReplayScript {
  readonly meta: SessionMeta;
  /** The lines that can be parsed. */
  readonly lines: readonly string[];
  /** The number of lines that cannot be parsed, and are left out as in a thread that is resumed. */
  readonly dropped: number;
  readonly parts: readonly RecordedPart[];
  /** In the order of the requests, over all parts. */
  readonly exchanges: readonly RecordedExchange[];
}

export type ScriptResult =
  | { readonly type: 'script'; readonly script: ReplayScript }
  | { readonly type: 'refused'; readonly message: string };

/** `text`: the whole rollout. A thread that cannot be replayed is a result with the reason. */
export function replayScript(text: string): ScriptResult {
  const all = text.split('\n').filter((line) => line !== '');
  const read = all.flatMap((line) => {
    const entry = parseLine(line);
    return entry === undefined ? [] : { line, entry };
  });
  const known = read.map(({ entry }) => entry);
  const first = known.find((entry) => entry.type === 'session_meta');
  if (first?.type !== 'session_meta') return refused('no line says that this is a Tiller thread');
  const meta = first.payload;
  if (meta.version > ROLLOUT_VERSION) return refused('it was written by a newer Tiller');
  const starts = known.flatMap((entry, index) => (msgOf(entry)?.type === 'thread_started' ? [index] : []));
  const [begin] = starts;
  if (begin === undefined) return refused('no process has worked in this thread');
  const compacted = known.findIndex((entry, index) => index > begin && isCompaction(entry));
  if (compacted >= 0) return refused('the thread was compacted, which cannot be replayed yet');
  if (known.some(isRollback)) return refused('turns were rolled back, which cannot be replayed yet');
  const isUnwritten = known.some((entry) => isStorageFailure(entry));
  if (isUnwritten) return refused('a turn could not be written down, which cannot be replayed');
  const readers = starts.map((start, index) => new PartReader(known, start, starts[index + 1] ?? known.length));
  return {
    type: 'script',
    script: {
      meta,
      lines: read.map(({ line }) => line),
      dropped: all.length - read.length,
      parts: readers.map((reader) => reader.part()),
      exchanges: readers.flatMap((reader) => reader.exchanges),
    },
  };
}

function isCompaction(entry: ReadEntry): boolean {
  const msg = msgOf(entry);
  return entry.type === 'compacted' || (msg?.type === 'item_started' && msg.item.type === 'compaction');
}

function isRollback(entry: ReadEntry): boolean {
  const msg = msgOf(entry);
  return msg?.type === 'turns_rolled_back' && msg.conversation;
}

/** The rollout does not record where such a turn stopped. */
function isStorageFailure(entry: ReadEntry): boolean {
  const msg = msgOf(entry);
  return msg?.type === 'error' && msg.kind === 'storage';
}

function refused(message: string): ScriptResult {
  return { type: 'refused', message };
}
