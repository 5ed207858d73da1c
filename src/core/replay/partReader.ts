/** Reads the work of one process on a thread from the lines of its rollout. */
import type { ApprovalRequest, EventMsg, EventMsgOf, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import {
  callIdOf,
  type CallOutput,
  isFromModel,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
  textOf,
} from '../../protocol/responseItem.ts';
import type { ReadEntry } from '../rollout/parseLine.ts';
import {
  isStopped,
  type RecordedAnswer,
  type RecordedApproval,
  type RecordedCall,
  type RecordedExchange,
  type RecordedPart,
  type RecordedStop,
  type RecordedTurn,
} from './recording.ts';

/** Returns the message of an entry that is an event; `undefined` for all others. */
export function msgOf(entry: ReadEntry | undefined): EventMsg | undefined {
  return entry?.type === 'event_msg' ? entry.payload.msg : undefined;
}

/** An exchange while its lines are read. */
interface OpenExchange {
  readonly turnId: string;
  readonly line: number;
  readonly items: ResponseItem[];
  readonly steers: (readonly UserInput[])[];
  answer: RecordedAnswer | undefined;
  /** The response is complete: it was counted, or its calls were answered. */
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
  /** The text of a message that the model did not complete. */
  unfinished: string | undefined;
  pausedAfter: number | undefined;
  hasEnded: boolean;
}

interface OpenCall {
  readonly approvals: RecordedApproval[];
  output: CallOutput | undefined;
}

/** Reads the lines of one process. */
export class PartReader {
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
  /** The names of called functions, by call id. */
  readonly #names = new Map<string, string>();
  #interactive = true;
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
      turns: this.#turns.map(
        ({ exchanges: _exchanges, hasEnded: _hasEnded, unfinished: _unfinished, ...turn }) => turn,
      ),
      calls: new Map([...this.#calls].map(([callId, call]) => [callId, this.#finished(call, callId)])),
      tools: [...this.#names].filter(([callId]) => isThere(this.#calls.get(callId)?.output)).map(([, name]) => name),
      interactive: this.#interactive,
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
      case 'item_completed':
        if (turn && msg.item.type === 'agent_message' && msg.item.status === 'aborted') {
          this.#readUnfinished(turn, msg.item.text);
        }
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

  /** This process continues a turn of the process before it. */
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

  /**
   * Reads an unfinished message: it is in the history when the user interrupted it, and not when its connection failed.
   */
  #readUnfinished(turn: OpenTurn, text: string): void {
    const open = turn.exchanges.at(-1);
    const last = open?.items.at(-1);
    if (open === undefined || open.isOver || last?.type !== 'message' || textOf(last.content) !== text) return;
    turn.unfinished = text;
    open.answer = { type: 'items', items: open.items, end: 'waits' };
  }

  #readError(turn: OpenTurn, { kind, message, detail }: EventMsgOf<'error'>, index: number): void {
    const rounds = /^Paused after (\d+) tool rounds\./.exec(message)?.[1];
    if (kind === 'paused') {
      // A request without an image that was refused is part of the same round.
      const answered = turn.exchanges.filter(({ answer }) => answer?.type !== 'image_refused');
      turn.pausedAfter = Number(rounds ?? answered.length);
      return;
    }
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

  /** The turn ended while a call ran or its approval was pending, or else while a response was awaited. */
  #stopped(turn: OpenTurn, type: RecordedStop['type'], index: number): void {
    const last = turn.exchanges.at(-1);
    const calls = (last?.items ?? []).filter(isToolCall).map((item) => this.#callOf(callIdOf(item) ?? ''));
    const isInCalls = calls.some(({ output }) => output === undefined || isStopped(output));
    if (isInCalls && this.#saidAbort(turn)) return;
    // An interrupt adds an item to the history.
    const itemsAtRequest = type === 'interrupt' ? this.#items - 1 : this.#items;
    const items = isInCalls ? (this.#firstStopped ?? this.#items) : itemsAtRequest;
    turn.stop = { type, items, unfinished: turn.unfinished };
    if (isInCalls) return;
    // Items without a call are written when their response is complete.
    const isComplete = last !== undefined && (!last.isOver || turn.unfinished !== undefined);
    if (!isComplete) this.#begin(turn, this.#lineOfEnd(index)).answer = { type: 'items', items: [], end: 'waits' };
  }

  /** An answer of the user stopped it, which is replayed as an answer. */
  #saidAbort(turn: OpenTurn): boolean {
    return [...this.#approvals.values()].some(
      ({ resolved, request }) =>
        resolved?.decision === 'abort' &&
        resolved.by === 'user' &&
        turn.exchanges.at(-1)?.items.some((item) => isToolCall(item) && callIdOf(item) === request.callId),
    );
  }

  /** Before the message that reports the end to the model. */
  #lineOfEnd(index: number): number {
    const before = this.#entries[index - 1];
    return before?.type === 'response_item' ? index - 1 : index;
  }

  /** A process that ended without recording it has cut its last turn. */
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
    unfinished: undefined,
    pausedAfter: undefined,
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
