/**
 * The summary of a thread for lists, folded from its lines. A line is parsed only when its beginning shows that it is
 * relevant, and the fold can continue where it stopped, so a thread that has grown is not read again from the start.
 */
import * as z from 'zod';
import { type LastTurn, threadSummarySchema, type ThreadSummary } from '../../protocol/threads.ts';
import { textOfInput, titleOf } from '../../protocol/thread.ts';
import type { RecordedEvent, SessionMeta } from './line.ts';
import { guessMeta, isGuess } from './lostMeta.ts';
import { parseLine } from './parseLine.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

export const summaryFoldSchema = lazyObject(() => ({
  /** `null` until the line with the thread's metadata was read. */
  summary: threadSummarySchema.nullable(),
  named: z.boolean(),
  /** Ids of pending approvals and questions. */
  waiting: z.array(z.string()),
}));
export type SummaryFold = z.infer<typeof summaryFoldSchema>;

export const EMPTY_FOLD: SummaryFold = { summary: null, named: false, waiting: [] };

const PREVIEW_LENGTH = 200;
const ENTRY = /"type":"(session_meta|event_msg)"/;
const MESSAGE =
  /"msg":\{"type":"(?:turn_started|turn_completed|turn_aborted|title_changed|token_count|approval_\w+|question_\w+)"|"item_completed".{0,80}"type":"user_message"/s;

/** In characters: the beginning of a line that contains its type. */
const HEAD_LENGTH = 400;

/** `path`: of the rollout, in TILLER_HOME. */
export function foldLines(fold: SummaryFold, lines: readonly string[], path: string): SummaryFold {
  return lines.reduce((folded, line) => foldLine(folded, line, path), fold);
}

function foldLine(fold: SummaryFold, line: string, path: string): SummaryFold {
  const head = line.slice(0, HEAD_LENGTH);
  const kind = ENTRY.exec(head)?.[1];
  if (kind === undefined || (kind === 'event_msg' && !MESSAGE.test(head))) return fold;
  const entry = parseLine(line);
  if (entry?.type === 'session_meta') {
    if (fold.summary !== null && !isGuess(fold.summary)) return fold;
    return { ...fold, summary: { ...started(entry.payload, path), ...(fold.summary && collected(fold.summary)) } };
  }
  if (entry?.type !== 'event_msg') return fold;
  const summary = fold.summary ?? startedWithout(line, path);
  if (summary === null) return fold;
  const at = entry.timestamp || summary.updatedAt;
  return foldEvent({ ...fold, summary: { ...summary, updatedAt: at } }, entry.payload, at);
}

function startedWithout(line: string, path: string): ThreadSummary | null {
  const guess = guessMeta([line], path);
  return guess ? started(guess, path) : null;
}

function started(meta: SessionMeta, path: string): ThreadSummary {
  const { id, cwd, model, provider, originator, timestamp, workspace_folders, git, forked_from_id, parent_id } = meta;
  return {
    id,
    path,
    title: null,
    preview: '',
    model,
    provider,
    originator,
    cwd,
    folders: workspace_folders ?? [],
    remote: git?.remote ?? null,
    startedAt: timestamp,
    updatedAt: timestamp,
    endedAt: null,
    turns: 0,
    tokens: 0,
    lastTurn: 'none',
    forkedFrom: forked_from_id ?? null,
    parentId: parent_id ?? null,
  };
}

/** Fields collected before the line with the thread's metadata. */
function collected({
  title,
  preview,
  updatedAt,
  endedAt,
  turns,
  tokens,
  lastTurn,
}: ThreadSummary): Partial<ThreadSummary> {
  return { title, preview, updatedAt, endedAt, turns, tokens, lastTurn };
}

function foldEvent(fold: SummaryFold, { msg, turnId }: RecordedEvent, at: string): SummaryFold {
  const with_ = (changes: Partial<ThreadSummary>): SummaryFold => ({
    ...fold,
    summary: fold.summary && { ...fold.summary, ...changes },
  });
  const waiting = (ids: readonly string[]): SummaryFold => ({
    ...with_({ lastTurn: ids.length > 0 ? 'waiting' : 'open' }),
    waiting: [...ids],
  });
  const ended = (lastTurn: LastTurn): SummaryFold => ({ ...with_({ lastTurn, endedAt: at }), waiting: [] });
  switch (msg.type) {
    case 'turn_started': {
      const { model, cwd } = msg.settings;
      return { ...with_({ lastTurn: 'open', model, cwd, turns: (fold.summary?.turns ?? 0) + 1 }), waiting: [] };
    }
    case 'turn_completed':
      return ended('completed');
    case 'turn_aborted':
      return ended(msg.reason === 'replaced' ? 'interrupted' : msg.reason);
    case 'title_changed':
      return { ...with_({ title: msg.title }), named: true };
    case 'token_count':
      return with_({ tokens: msg.total.total });
    case 'approval_requested':
      return waiting([...fold.waiting, msg.approvalId]);
    // A question outside of turns ends with its process and does not belong to the last turn.
    case 'question_requested':
      if (turnId === null) return fold;
      return waiting([...fold.waiting, msg.request.questionId]);
    case 'approval_resolved':
      return waiting(fold.waiting.filter((id) => id !== msg.approvalId));
    case 'question_resolved':
      if (turnId === null) return fold;
      return waiting(fold.waiting.filter((id) => id !== msg.questionId));
    case 'item_completed': {
      if (msg.item.type !== 'user_message') return fold;
      const preview = textOfInput(msg.item.content).trim().slice(0, PREVIEW_LENGTH);
      const title = fold.summary?.title ?? titleOf(msg.item.content);
      return with_({ preview, title });
    }
    default:
      return fold;
  }
}
