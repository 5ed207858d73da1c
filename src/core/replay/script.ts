/**
 * What a rollout says about running its thread again: each request by the history that it was made of, each response, and
 * what the user did (docs/decisions/0019). Computed from the lines alone.
 */
import type { ApprovalRequest, EventMsg, EventMsgOf, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ApprovalDecision } from '../../protocol/policy.ts';
import {
  type CallOutput,
  callIdOf,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
} from '../../protocol/responseItem.ts';
import type { ErrorKind } from '../../protocol/policy.ts';
import { guessMeta } from '../rollout/lostMeta.ts';
import type { SessionMeta } from '../rollout/line.ts';
import { parseLine, type ReadEntry } from '../rollout/parseLine.ts';
import { isFromModel } from '../history/fromModel.ts';

/** How the server answers a request. */
export type RecordedAnswer =
  | {
      readonly type: 'items';
      readonly items: readonly ResponseItem[];
      /** `waits`: the turn was stopped before the response was complete. */
      readonly end: 'end_turn' | 'goes_on' | 'waits';
    }
  | { readonly type: 'failure'; readonly kind: ErrorKind; readonly detail: string }
  | { readonly type: 'image_refused' };

/** One request and its response. */
export interface RecordedExchange {
  readonly turnId: string;
  /** Lines of the rollout that the request was made of: those before this index. */
  readonly line: number;
  readonly answer: RecordedAnswer;
  /** Messages that join the turn behind this response. */
  readonly steers: readonly (readonly UserInput[])[];
}

export interface RecordedApproval {
  readonly request: ApprovalRequest;
  /** `undefined` where the process ended before an answer. */
  readonly resolved: EventMsgOf<'approval_resolved'> | undefined;
}

/** One call of a tool in one process. */
export interface RecordedCall {
  /** In the order they were asked; the call joined those of another call where `request.callId` is another one. */
  readonly approvals: readonly RecordedApproval[];
  /** `undefined` where the process ended before it. */
  readonly output: CallOutput | undefined;
}

/** How a turn or a process was ended from outside, and how many items of the history were written by then. */
export interface RecordedStop {
  readonly type: 'interrupt' | 'cut';
  readonly items: number;
}

export interface RecordedTurn {
  readonly turnId: string;
  /** ISO 8601. */
  readonly at: string;
  /** `null`: continued without a message; `recovered`: the process before this one had begun it. */
  readonly input: readonly UserInput[] | null | 'recovered';
  readonly settings: TurnSettings;
  /** Set before it: what the user made of the approvals that the thread remembers. */
  readonly memory: Pick<EventMsgOf<'memory_changed'>, 'keys' | 'rules'> | undefined;
  /** What the model was told when the turn began: the thread's surroundings and the message. */
  readonly context: readonly ResponseItem[];
  /** Messages that joined it. */
  readonly messages: readonly ResponseItem[];
  readonly stop: RecordedStop | undefined;
}

/** What one process did with the thread. */
export interface RecordedPart {
  readonly started: EventMsgOf<'thread_started'>;
  /** ISO 8601. */
  readonly at: string;
  /** Lines of the rollout before this process. */
  readonly line: number;
  readonly turns: readonly RecordedTurn[];
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** Tools that were called and were there, whoever offered them. */
  readonly tools: readonly string[];
  /** Nobody could be asked. */
  readonly interactive: boolean;
  /** Rounds after which a turn paused. */
  readonly maxToolRounds: number | undefined;
}

export interface ReplayScript {
  readonly meta: SessionMeta;
  readonly lines: readonly string[];
  readonly parts: readonly RecordedPart[];
  /** In the order of the requests, over all parts. */
  readonly exchanges: readonly RecordedExchange[];
}

export type ScriptResult =
  | { readonly type: 'script'; readonly script: ReplayScript }
  | { readonly type: 'refused'; readonly message: string };

/** Lines that cannot be read are refused: what they said cannot be compared. */
export function replayScript(text: string, path: string): ScriptResult {
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.map(parseLine);
  const unread = entries.findIndex((entry) => entry === undefined);
  if (unread >= 0) return refused(`line ${unread + 1} cannot be read`);
  const known = entries.filter((entry) => entry !== undefined);
  const first = known.find((entry) => entry.type === 'session_meta');
  const meta = first?.type === 'session_meta' ? first.payload : guessMeta(lines, path);
  if (meta === undefined) return refused('no line says that this is a Tiller thread');
  const starts = known.flatMap((entry, index) => (msgOf(entry)?.type === 'thread_started' ? [index] : []));
  const [begin] = starts;
  if (begin === undefined) return refused('no process has worked in this thread');
  const compacted = known.findIndex((entry, index) => index > begin && isCompaction(entry));
  if (compacted >= 0) return refused(`line ${compacted + 1} compacts the thread, which cannot be replayed yet`);
  const readers = starts.map((start, index) => new PartReader(known, start, starts[index + 1] ?? known.length));
  return {
    type: 'script',
    script: {
      meta,
      lines,
      parts: readers.map((reader) => reader.part()),
      exchanges: readers.flatMap((reader) => reader.exchanges),
    },
  };
}

function isCompaction(entry: ReadEntry): boolean {
  const msg = msgOf(entry);
  return entry.type === 'compacted' || (msg?.type === 'item_started' && msg.item.type === 'compaction');
}

function refused(message: string): ScriptResult {
  return { type: 'refused', message };
}

function msgOf(entry: ReadEntry | undefined): EventMsg | undefined {
  return entry?.type === 'event_msg' ? entry.payload.msg : undefined;
}

/** An exchange while its lines are read. */
interface OpenExchange {
  readonly turnId: string;
  readonly line: number;
  readonly items: ResponseItem[];
  readonly steers: (readonly UserInput[])[];
  answer: RecordedAnswer | undefined;
  /** The response was counted, or its calls were answered: nothing is added to it. */
  isOver: boolean;
}

interface OpenTurn {
  readonly turnId: string;
  readonly at: string;
  readonly settings: TurnSettings;
  input: RecordedTurn['input'];
  readonly memory: RecordedTurn['memory'];
  readonly context: ResponseItem[];
  readonly messages: ResponseItem[];
  readonly exchanges: OpenExchange[];
  stop: RecordedStop | undefined;
  hasEnded: boolean;
}

interface OpenCall {
  readonly approvals: RecordedApproval[];
  output: CallOutput | undefined;
}

/** Reads the lines of one process. */
class PartReader {
  readonly #entries: readonly ReadEntry[];
  readonly #start: number;
  readonly #end: number;
  readonly #turns: OpenTurn[] = [];
  readonly #calls = new Map<string, OpenCall>();
  /** By id. */
  readonly #approvals = new Map<
    string,
    { request: ApprovalRequest; calls: string[]; resolved?: EventMsgOf<'approval_resolved'> }
  >();
  /** Of functions, by the ids of their calls. */
  readonly #names = new Map<string, string>();
  #interactive = true;
  #maxToolRounds: number | undefined;
  /** Response items of the whole rollout so far. */
  #items = 0;
  #settings: TurnSettings | undefined;
  #memory: RecordedTurn['memory'];
  /** Items before the first output of a call that ended with the turn. */
  #firstStopped: number | undefined;

  constructor(entries: readonly ReadEntry[], start: number, end: number) {
    this.#entries = entries;
    this.#start = start;
    this.#end = end;
    for (const entry of entries.slice(0, start)) {
      if (entry.type === 'response_item') this.#items++;
      const msg = msgOf(entry);
      if (msg?.type === 'turn_started') this.#settings = msg.settings;
    }
    for (let index = start; index < end; index++) {
      const entry = entries[index];
      if (entry !== undefined) this.#read(entry, index);
    }
    this.#settleLastTurn();
  }

  get exchanges(): readonly RecordedExchange[] {
    return this.#turns.flatMap(({ exchanges }) =>
      exchanges.map((exchange, index): RecordedExchange => {
        const isLast = index === exchanges.length - 1;
        const { turnId, line, steers } = exchange;
        return { turnId, line, steers, answer: exchange.answer ?? answerOf(exchange, isLast) };
      }),
    );
  }

  part(): RecordedPart {
    const entry = this.#entries[this.#start];
    const started = msgOf(entry);
    if (started?.type !== 'thread_started') throw new Error('A part begins with thread_started.');
    return {
      started,
      at: entry?.timestamp ?? '',
      line: this.#start,
      turns: this.#turns.map(({ exchanges: _exchanges, hasEnded: _hasEnded, ...turn }) => turn),
      calls: new Map([...this.#calls].map(([callId, call]) => [callId, this.#finished(call, callId)])),
      tools: [...this.#names].filter(([callId]) => isThere(this.#calls.get(callId)?.output)).map(([, name]) => name),
      interactive: this.#interactive,
      maxToolRounds: this.#maxToolRounds,
    };
  }

  #finished(call: OpenCall, callId: string): RecordedCall {
    const asked = [...this.#approvals.values()].filter(({ calls }) => calls.includes(callId));
    return { output: call.output, approvals: asked.map(({ request, resolved }) => ({ request, resolved })) };
  }

  get #turn(): OpenTurn | undefined {
    const last = this.#turns.at(-1);
    return last?.hasEnded === false ? last : undefined;
  }

  #read(entry: ReadEntry, index: number): void {
    switch (entry.type) {
      case 'response_item':
        this.#readItem(entry.payload, index);
        this.#items++;
        return;
      case 'event_msg':
        return this.#readEvent(entry.payload.msg, entry.payload.turnId, entry.timestamp, index);
      case 'session_meta':
      case 'turn_context':
      case 'compacted':
        return;
    }
  }

  #readItem(item: ResponseItem, index: number): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    if (isFromModel(item)) {
      const open = turn.exchanges.at(-1);
      if (open === undefined || open.isOver) this.#begin(turn, index).items.push(item);
      else open.items.push(item);
      if (isToolCall(item)) this.#callOf(callIdOf(item) ?? '');
      if (item.type === 'function_call') this.#names.set(item.call_id, item.name);
      return;
    }
    const open = turn.exchanges.at(-1);
    if (isToolCallOutput(item)) {
      this.#callOf(item.call_id).output = item.output;
      if (isStopped(item.output)) this.#firstStopped ??= this.#items;
      if (open) open.isOver = true;
      return;
    }
    if (turn.exchanges.length > 0) {
      turn.messages.push(item);
      if (open) open.isOver = true;
      return;
    }
    turn.context.push(item);
  }

  #readEvent(msg: EventMsg, turnId: string | null, at: string, index: number): void {
    const turn = this.#turn;
    switch (msg.type) {
      case 'turn_started':
        if (turnId !== null) this.#turns.push(openTurn(turnId, at, msg.settings, null, this.#memory));
        this.#memory = undefined;
        this.#settings = msg.settings;
        this.#firstStopped = undefined;
        return;
      case 'item_started':
        this.#takeUp(turnId, at);
        if (msg.item.type === 'user_message') this.#readMessage(msg.item.content);
        return;
      case 'question_requested':
        this.#takeUp(turnId, at);
        return;
      case 'token_count': {
        if (turn === undefined) return;
        const open = turn.exchanges.at(-1);
        if (open === undefined || open.isOver) this.#begin(turn, index).isOver = true;
        else open.isOver = true;
        return;
      }
      case 'approval_requested': {
        const { type: _type, ...request } = msg;
        this.#takeUp(turnId, at);
        this.#callOf(msg.callId);
        this.#approvals.set(msg.approvalId, { request, calls: [msg.callId] });
        return;
      }
      case 'approval_joined':
        this.#callOf(msg.callId);
        this.#approvals.get(msg.approvalId)?.calls.push(msg.callId);
        return;
      case 'approval_resolved': {
        const approval = this.#approvals.get(msg.approvalId);
        if (approval === undefined) return;
        approval.resolved = msg;
        if (msg.by === 'non_interactive') this.#interactive = false;
        return;
      }
      case 'memory_changed':
        this.#memory = { keys: msg.keys, rules: msg.rules };
        return;
      case 'warning': {
        const isRefused = msg.imagesLeftOut?.some(({ reason }) => reason === 'the server refused it');
        if (turn && isRefused)
          Object.assign(this.#begin(turn, index), { isOver: true, answer: { type: 'image_refused' } });
        return;
      }
      case 'error':
        if (turn) this.#readError(turn, msg, index);
        return;
      case 'turn_completed':
        if (turn) turn.hasEnded = true;
        return;
      case 'turn_aborted':
        if (turn === undefined) return;
        if (msg.reason === 'interrupted') this.#stopped(turn, 'interrupt', index);
        turn.hasEnded = true;
        return;
      default:
        return;
    }
  }

  /** A turn that the process before this one had begun goes on. */
  #takeUp(turnId: string | null, at: string): void {
    if (this.#turn !== undefined || turnId === null || this.#settings === undefined) return;
    this.#turns.push(openTurn(turnId, at, this.#settings, 'recovered', undefined));
  }

  #readMessage(content: readonly UserInput[]): void {
    const turn = this.#turn;
    const last = turn?.exchanges.at(-1);
    if (turn === undefined) return;
    if (last) last.steers.push(content);
    else if (turn.input === null) turn.input = content;
  }

  #readError(turn: OpenTurn, { kind, message, detail }: EventMsgOf<'error'>, index: number): void {
    const rounds = /^Paused after (\d+) tool rounds\./.exec(message)?.[1];
    if (kind === 'paused') this.#maxToolRounds = Number(rounds ?? turn.exchanges.length);
    if (kind === 'paused' || kind === 'storage') return;
    const open = turn.exchanges.at(-1);
    const isCountOfFullWindow = kind === 'context_exceeded' && open?.isOver === true && open.items.length === 0;
    const failed = isCountOfFullWindow ? open : this.#begin(turn, index);
    Object.assign(failed, { isOver: true, answer: { type: 'failure', kind, detail: detail ?? message } });
  }

  #begin(turn: OpenTurn, line: number): OpenExchange {
    const exchange: OpenExchange = {
      turnId: turn.turnId,
      line,
      items: [],
      steers: [],
      answer: undefined,
      isOver: false,
    };
    turn.exchanges.push(exchange);
    return exchange;
  }

  /** The turn ended while a call ran or was asked about, or else while a response was awaited. */
  #stopped(turn: OpenTurn, type: RecordedStop['type'], index: number): void {
    const last = turn.exchanges.at(-1);
    const calls = (last?.items ?? []).filter(isToolCall).map((item) => this.#callOf(callIdOf(item) ?? ''));
    const isInCalls = calls.some(({ output }) => output === undefined || isStopped(output));
    if (isInCalls && this.#saidAbort(turn)) return;
    // The model is told of an interrupt with an item of its own.
    const itemsAtRequest = type === 'interrupt' ? this.#items - 1 : this.#items;
    turn.stop = { type, items: isInCalls ? (this.#firstStopped ?? this.#items) : itemsAtRequest };
    if (isInCalls) return;
    if (last !== undefined && !last.isOver) last.answer = { type: 'items', items: last.items, end: 'waits' };
    else this.#begin(turn, this.#lineOfEnd(index)).answer = { type: 'items', items: [], end: 'waits' };
  }

  /** The user's own word stopped it, which is replayed as an answer. */
  #saidAbort(turn: OpenTurn): boolean {
    return [...this.#approvals.values()].some(
      ({ resolved, request }) =>
        resolved?.decision === 'abort' &&
        resolved.by === 'user' &&
        turn.exchanges.at(-1)?.items.some((item) => isToolCall(item) && callIdOf(item) === request.callId),
    );
  }

  /** Before the message that tells the model about the end. */
  #lineOfEnd(index: number): number {
    const before = this.#entries[index - 1];
    return before?.type === 'response_item' ? index - 1 : index;
  }

  /** A process that ended without a word has cut its last turn. */
  #settleLastTurn(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#stopped(turn, 'cut', this.#end);
    turn.hasEnded = true;
  }

  #callOf(callId: string): OpenCall {
    const known = this.#calls.get(callId) ?? { approvals: [], output: undefined };
    this.#calls.set(callId, known);
    return known;
  }
}

function openTurn(
  turnId: string,
  at: string,
  settings: TurnSettings,
  input: RecordedTurn['input'],
  memory: RecordedTurn['memory'],
): OpenTurn {
  return {
    turnId,
    at,
    settings,
    input,
    memory,
    context: [],
    messages: [],
    exchanges: [],
    stop: undefined,
    hasEnded: false,
  };
}

function answerOf({ items, steers }: OpenExchange, isLast: boolean): RecordedAnswer {
  const isOwed = items.some(isToolCall) || steers.length > 0;
  return { type: 'items', items, end: isOwed || isLast ? 'end_turn' : 'goes_on' };
}

function isThere(output: CallOutput | undefined): boolean {
  return typeof output !== 'string' || !output.startsWith('Unsupported call: ');
}

/** A call that ended with its turn. */
export function isStopped(output: CallOutput | undefined): boolean {
  return (
    typeof output === 'string' &&
    /^(?:aborted by user after [\d.]+ s|Denied by the user, who stopped the turn\..*)$/.test(output)
  );
}

/** What is submitted for the user: the parts of a patch that was approved in part are in its recorded output. */
export function replayedDecision(decision: ApprovalDecision): ApprovalDecision {
  if (typeof decision === 'string') return decision === 'approved_saving' ? 'approved' : decision;
  return 'approved_reviewed' in decision || 'approved_discarding' in decision ? 'approved' : decision;
}
