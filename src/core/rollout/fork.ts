/** Copies a thread up to one of its messages, to continue differently from there (codex-behaviour.md §10). */
import type { EventMsg, EventMsgOf } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { SessionMeta } from './line.ts';
import { parseLine, type ReadEntry } from './parseLine.ts';

export type Forked =
  | {
      readonly type: 'forked';
      /** The whole text of the new rollout. */
      readonly text: string;
      /** The message that the fork removed, as a draft for the user to edit. */
      readonly draft: readonly UserInput[] | null;
    }
  | { readonly type: 'no_such_item' };

/** A line of a rollout. */
export interface ForkLine {
  readonly text: string;
  /** `undefined` for a line that is not understood. */
  readonly entry: ReadEntry | undefined;
}

/** Parses one line; its text is copied as it is. */
export function forkLine(text: string): ForkLine {
  return { text, entry: parseLine(text) };
}

/** Parses the lines of a whole rollout. */
export function forkLines(rollout: string): readonly ForkLine[] {
  return rollout
    .split('\n')
    .filter((line) => line !== '')
    .map(forkLine);
}

/** Events that belong to the original thread and its process: queued input, running processes, and approvals. */
const NOT_INHERITED = new Set<EventMsg['type']>([
  'thread_started',
  'thread_closed',
  'input_queued',
  'input_dequeued',
  'memory_changed',
  'process_started',
  'process_exited',
  'mcp_status',
  'agent_status',
]);

/**
 * Cuts before a message of the user, which becomes the draft; after any other item; or not at all. A turn that is cut
 * ends there. Lines are copied unchanged, including those that are not understood.
 */
export function forkRollout(lines: readonly ForkLine[], meta: SessionMeta, itemId: string | null): Forked {
  const cut = itemId === null ? { end: lines.length, draft: null } : cutAt(lines, itemId);
  if (cut === undefined) return { type: 'no_such_item' };
  const kept = lines.slice(0, cut.end);
  const last = kept.findLast(({ entry }) => entry !== undefined)?.entry;
  const timestamp = last?.timestamp ?? meta.timestamp;
  const first = JSON.stringify({ timestamp: meta.timestamp, type: 'session_meta', payload: meta });
  const body = [first, ...kept.flatMap(inherited), ...endOfOpenTurn(kept, timestamp, itemId === null)];
  return { type: 'forked', text: `${body.join('\n')}\n`, draft: cut.draft };
}

function cutAt(
  lines: readonly ForkLine[],
  itemId: string,
): { readonly end: number; readonly draft: readonly UserInput[] | null } | undefined {
  const index = lines.findIndex(({ entry }) => itemOf(entry, 'item_completed')?.id === itemId);
  const item = itemOf(lines[index]?.entry, 'item_completed');
  if (item === undefined) return undefined;
  const turnId = turnOf(lines[index]);
  if (item.type !== 'user_message') return { end: endBehind(lines, index, turnId), draft: null };
  const opensTurn = !lines.slice(0, index).some((line) => turnOf(line) === turnId && endsUserMessage(line));
  const start = lines.findIndex((line) =>
    opensTurn
      ? turnOf(line) === turnId && messageOf(line)?.type === 'turn_started'
      : itemOf(line.entry, 'item_started')?.id === itemId,
  );
  const end = lines[start - 1]?.entry?.type === 'turn_context' ? start - 1 : start;
  return { end: Math.max(0, end), draft: item.content };
}

/**
 * The line after the item and its call's output; if nothing else happened in that turn, the line after the turn's end.
 */
function endBehind(lines: readonly ForkLine[], index: number, turnId: string | undefined): number {
  const item = itemOf(lines[index]?.entry, 'item_completed');
  const callId = item && 'callId' in item ? item.callId : undefined;
  const answered = lines.findIndex(({ entry }) => {
    if (entry?.type !== 'response_item') return false;
    const { payload } = entry;
    return payload.type.endsWith('_output') && 'call_id' in payload && payload.call_id === callId;
  });
  const end = Math.max(index, callId === undefined ? -1 : answered) + 1;
  const next = lines.findIndex((line, at) => at >= end && isSubstance(line));
  const ended = lines.findIndex((line, at) => at >= end && turnOf(line) === turnId && endsTurn(line));
  return ended >= 0 && (next < 0 || ended < next) ? ended + 1 : end;
}

function inherited({ text, entry }: ForkLine): string[] {
  if (entry?.type === 'session_meta') return [];
  if (entry?.type !== 'event_msg') return [text];
  const { msg } = entry.payload;
  if (NOT_INHERITED.has(msg.type)) return [];
  if (msg.type !== 'approval_resolved' || !isRemembered(msg)) return [text];
  const { keys: _keys, ...once } = msg;
  const forgotten: EventMsg = { ...once, decision: 'approved' };
  return [JSON.stringify({ ...entry, payload: { ...entry.payload, msg: forgotten } })];
}

/** True when the approval is remembered for longer than its call. */
function isRemembered({ decision, keys }: EventMsgOf<'approval_resolved'>): boolean {
  return keys !== undefined || (typeof decision === 'object' && 'approved_rule' in decision);
}

function endOfOpenTurn(lines: readonly ForkLine[], timestamp: string, wholeThread: boolean): string[] {
  const start = lines.findLast((line) => messageOf(line)?.type === 'turn_started' || endsTurn(line));
  if (start === undefined || endsTurn(start)) return [];
  const turnId = turnOf(start) ?? null;
  const last = lines.findLast((line) => itemOf(line.entry, 'item_completed')?.type === 'agent_message');
  const message = itemOf(last?.entry, 'item_completed');
  const msg: EventMsg = wholeThread
    ? { type: 'turn_aborted', reason: 'interrupted' }
    : {
        type: 'turn_completed',
        lastMessage: message?.type === 'agent_message' && last && turnOf(last) === turnId ? message.text : null,
      };
  return [JSON.stringify({ timestamp, type: 'event_msg', payload: { turnId, submissionId: null, msg } })];
}

function messageOf({ entry }: ForkLine): EventMsg | undefined {
  return entry?.type === 'event_msg' ? entry.payload.msg : undefined;
}

function turnOf(line: ForkLine | undefined): string | undefined {
  return line?.entry?.type === 'event_msg' ? (line.entry.payload.turnId ?? undefined) : undefined;
}

function itemOf(entry: ReadEntry | undefined, type: 'item_started' | 'item_completed') {
  return entry?.type === 'event_msg' && entry.payload.msg.type === type ? entry.payload.msg.item : undefined;
}

function endsUserMessage({ entry }: ForkLine): boolean {
  return itemOf(entry, 'item_completed')?.type === 'user_message';
}

function endsTurn(line: ForkLine): boolean {
  const type = messageOf(line)?.type;
  return type === 'turn_completed' || type === 'turn_aborted';
}

/** True for content of the thread; figures and notes are not content. */
function isSubstance(line: ForkLine): boolean {
  return line.entry?.type === 'response_item' || messageOf(line)?.type === 'item_started';
}
