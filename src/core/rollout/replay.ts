import type { TurnSettings } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { initialThreadState, type ThreadState, threadReducer } from '../../protocol/thread.ts';
import { ROLLOUT_VERSION, type SessionMeta } from './line.ts';
import { parseLine } from './parseLine.ts';

/** A thread as its rollout tells it. */
export interface ReplayedThread {
  readonly meta: SessionMeta;
  readonly state: ThreadState;
  /** What the model has seen, in the order it was recorded; not yet paired. */
  readonly history: readonly ResponseItem[];
  readonly settings: TurnSettings | null;
  /** Lines that could not be read: torn, damaged or of an unknown type. */
  readonly dropped: number;
  /** Written by a newer format: to be shown, not to be continued. */
  readonly readOnly: boolean;
}

export type Replay =
  | { readonly type: 'thread'; readonly thread: ReplayedThread }
  | { readonly type: 'unreadable'; readonly message: string };

/**
 * Rebuilds a thread from the text of its rollout. Reads what is there and says what was dropped; only a file in which no
 * line says what it is, is refused.
 */
export function replay(text: string): Replay {
  const lines = text.split('\n').filter((line) => line !== '');
  const meta = metaOf(lines);
  if (meta === undefined) return { type: 'unreadable', message: 'No line says that this is a Tiller thread.' };
  let state = initialThreadState(meta.id);
  let history: ResponseItem[] = [];
  let settings: TurnSettings | null = null;
  let dropped = 0;
  lines.forEach((line, index) => {
    const entry = parseLine(line);
    switch (entry?.type) {
      case undefined:
        dropped++;
        break;
      case 'session_meta':
        break;
      case 'turn_context':
        settings = entry.payload;
        break;
      case 'response_item':
        history.push(entry.payload);
        break;
      case 'compacted':
        history = [...entry.payload.replacement_history];
        break;
      case 'event_msg': {
        // The place in the file orders events of several processes, each of which counted from 1.
        const { turnId, submissionId, msg } = entry.payload;
        const event = {
          v: 1 as const,
          seq: index + 1,
          at: entry.timestamp,
          threadId: meta.id,
          turnId,
          submissionId,
          msg,
        };
        state = threadReducer(state, event);
        break;
      }
    }
  });
  state = { ...state, lastSeq: 0 };
  return {
    type: 'thread',
    thread: { meta, state, history, settings, dropped, readOnly: meta.version > ROLLOUT_VERSION },
  };
}

/** On the first line, unless a crash or a full disk tore that one. */
function metaOf(lines: readonly string[]): SessionMeta | undefined {
  for (const line of lines) {
    const entry = parseLine(line);
    if (entry?.type === 'session_meta') return entry.payload;
  }
  return undefined;
}
