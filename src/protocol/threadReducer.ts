/**
 * Folds events into the state of a thread. The same pure function is used in the panel, for the host's snapshot, and to
 * resume a thread (design invariants 4 and 6).
 *
 * Guarantees: an event is folded at most once (`seq`), an event of another thread or of an ended turn changes nothing,
 * and no item is `in_progress` in an ended turn.
 */
import type { ApprovalRequest, Event, EventMsg, EventMsgOf, ReviewerVerdict } from './event.ts';
import type { TurnItem } from './item.ts';
import { type ApprovalDecision, denialIn, isSameRule, type Rule } from './policy.ts';
import { reviewSubject } from './text/findings.ts';
import {
  type Denial,
  type ProcessState,
  type ThreadState,
  titleOf,
  greetingOf,
  type TurnState,
  type TurnStatus,
} from './thread.ts';
import { usageAfter } from './turnUsage.ts';

/**
 * Maximum number of characters of live output that are kept for each item or process. The completed item has the output
 * as the model got it.
 */
export const LIVE_OUTPUT_LIMIT = 256 * 1024;

/** Characters that `tail` keeps when it cuts. */
const KEPT_OUTPUT = (LIVE_OUTPUT_LIMIT * 3) / 4;

/** Maximum characters that are kept of the output of an ended process; its log has the rest. */
const ENDED_OUTPUT_LIMIT = 64 * 1024;
/** Maximum number of processes that a thread lists. There are only more if more are running. */
const PROCESS_LIMIT = 100;

/**
 * An addition to a text of the thread: the host sends it to the panel instead of an event whose text it had to redact.
 */
export interface TextGrowth {
  readonly turnId: string | null;
  readonly msg: EventMsgOf<'item_delta' | 'process_output'>;
}

/** The updates that the panel folds, in order: events, and additions to texts that were redacted. */
export type PanelEvent = Event | TextGrowth;

/** Folds one update of the panel. */
export function foldPanelEvent(state: ThreadState, update: PanelEvent): ThreadState {
  return 'seq' in update ? threadReducer(state, update) : growText(state, update);
}

/** Folds one addition. Additions have no number: the host sends each once, in order. */
function growText(state: ThreadState, { turnId, msg }: TextGrowth): ThreadState {
  if (turnId !== null && turnId !== state.activeTurnId) return state;
  return msg.type === 'item_delta'
    ? updateTurn(state, turnId, (turn) => growItem(turn, msg))
    : updateProcess(state, msg.processId, (process) => ({ ...process, output: tail(process.output + msg.text) }));
}

/** Folds one event. Returns the same object when the event changes nothing. */
export function threadReducer(state: ThreadState, event: Event): ThreadState {
  if (event.threadId !== state.threadId || event.seq <= state.lastSeq) return state;
  if (event.turnId !== null && event.msg.type !== 'turn_started' && event.turnId !== state.activeTurnId) return state;
  const next = reduceMsg(state, event.msg, event);
  return next === state ? state : { ...next, lastSeq: event.seq };
}

function reduceMsg(state: ThreadState, msg: EventMsg, event: Event): ThreadState {
  switch (msg.type) {
    case 'thread_started':
      return { ...state, started: msg, closed: false };
    case 'turn_context_changed':
      return { ...state, settings: msg.settings };
    case 'title_changed':
      return { ...state, title: msg.title, titleIsGreeting: undefined };
    case 'turn_started':
      return startTurn(state, msg, event);
    case 'input_queued':
      return {
        ...state,
        queuedInputs: upsert(state.queuedInputs, 'id', { id: msg.id, input: msg.input, held: msg.held ?? false }),
      };
    case 'input_dequeued':
      return { ...state, queuedInputs: without(state.queuedInputs, 'id', msg.id) };
    case 'item_started':
      return updateTurn(state, event.turnId, (turn) => addItem(turn, msg.item));
    case 'item_delta':
    case 'process_output':
      return growText(state, { turnId: event.turnId, msg });
    case 'item_completed':
      return completeItem(state, msg.item, event);
    case 'approval_requested': {
      const request = factsOf(msg);
      const asked = { ...state, approvals: upsert(state.approvals, 'approvalId', request) };
      return updateTurn(asked, event.turnId, (turn) => countRequest(proposeChanges(turn, request)));
    }
    case 'approval_joined':
      return { ...state, approvals: state.approvals.map((request) => joinRequest(request, msg)) };
    case 'approval_reviewed':
      return { ...state, approvals: state.approvals.map((request) => leaveToUser(request, msg)) };
    case 'approval_resolved':
      return resolveApproval(state, msg, event);
    case 'memory_changed':
      return { ...state, approvedKeys: msg.keys, approvedRules: msg.rules };
    case 'question_requested':
      return updateTurn(
        { ...state, questions: upsert(state.questions, 'questionId', { ...msg.request, turnId: event.turnId }) },
        event.turnId,
        countRequest,
      );
    case 'question_resolved':
      return { ...state, questions: without(state.questions, 'questionId', msg.questionId) };
    case 'dynamic_tool_requested':
      return { ...state, dynamicCalls: upsert(state.dynamicCalls, 'callId', msg) };
    case 'dynamic_tool_resolved':
      return { ...state, dynamicCalls: without(state.dynamicCalls, 'callId', msg.callId) };
    case 'plan_updated':
      return { ...state, plan: { explanation: msg.explanation, steps: msg.steps } };
    case 'turn_diff':
      return updateTurn(state, event.turnId, (turn) => ({ ...turn, diff: msg.unifiedDiff }));
    case 'token_count':
      return { ...countTokens(state, event.turnId, factsOf(msg)), tokens: factsOf(msg) };
    case 'stream_error':
      return updateTurn(state, event.turnId, (turn) => ({ ...turn, retry: { ...factsOf(msg), at: event.at } }));
    case 'warning':
      return event.turnId === null
        ? { ...state, warnings: [...state.warnings, factsOf(msg)] }
        : updateTurn(state, event.turnId, (turn) => ({ ...turn, warnings: [...turn.warnings, factsOf(msg)] }));
    case 'error':
      return event.turnId === null
        ? { ...state, error: factsOf(msg) }
        : updateTurn(state, event.turnId, (turn) => ({ ...turn, error: factsOf(msg), retry: null }));
    case 'turn_completed':
      return endTurn(state, event.turnId, { type: 'completed', at: event.at, lastMessage: msg.lastMessage });
    case 'turn_aborted':
      return endTurn(state, event.turnId, { type: 'aborted', at: event.at, reason: msg.reason });
    case 'process_started':
      return startProcess(state, msg, event.at);
    case 'process_exited':
      return updateProcess(state, msg.processId, (process) => ({
        ...process,
        output: process.output.slice(-ENDED_OUTPUT_LIMIT),
        status: { type: 'exited', exitCode: msg.exitCode },
      }));
    case 'mcp_status':
      return { ...state, mcpServers: upsert(state.mcpServers, 'server', factsOf(msg)) };
    case 'agent_status':
      return { ...state, agents: upsert(state.agents, 'agentId', factsOf(msg)) };
    case 'compaction_undone':
      return mapItems(state, (item) =>
        item.id === msg.itemId && item.type === 'compaction' ? { ...item, undone: true } : item,
      );
    case 'finding_marked':
      return mapItems(state, (item) => (item.id === msg.itemId ? withMark(item, msg) : item));
    case 'files_changed':
      return mapItems(state, (item) =>
        item.id === msg.itemId && item.type === 'command_execution' ? { ...item, changed: msg.changed } : item,
      );
    case 'revert_planned':
      return state;
    case 'files_reverted':
      return {
        ...state,
        turns: state.turns.map((turn) =>
          turn.id === msg.turnId && msg.paths.length > 0 ? { ...turn, reverted: msg.direction === 'undo' } : turn,
        ),
      };
    case 'turns_rolled_back':
      return msg.conversation
        ? { ...state, turns: state.turns.filter((turn) => !msg.turnIds.includes(turn.id)) }
        : state;
    case 'output_purged':
      return purgeOutput(state, msg.itemId);
    case 'thread_closed':
      return { ...state, closed: true };
    default:
      softAssertNever(msg);
      return state;
  }
}

/** The facts of an event, without its type. */
function factsOf<Msg extends EventMsg>({ type: _type, ...facts }: Msg): Omit<Msg, 'type'> {
  return facts;
}

/** Adds a call that waits for the same answer. */
function joinRequest(request: ApprovalRequest, joined: EventMsgOf<'approval_joined'>): ApprovalRequest {
  if (request.approvalId !== joined.approvalId) return request;
  return { ...request, alsoItems: [...(request.alsoItems ?? []), joined.itemId] };
}

function leaveToUser(request: ApprovalRequest, reviewed: EventMsgOf<'approval_reviewed'>): ApprovalRequest {
  if (request.approvalId !== reviewed.approvalId) return request;
  const { model, outcome, text } = reviewed;
  return { ...request, reviewer: { model, state: outcome, text } };
}

/** Ends the request, remembers what was approved for the thread, and keeps a denial with the items that it is about. */
function resolveApproval(state: ThreadState, msg: EventMsgOf<'approval_resolved'>, event: Event): ThreadState {
  const resolved = {
    ...state,
    approvals: without(state.approvals, 'approvalId', msg.approvalId),
    approvedKeys: msg.keys ? [...new Set([...state.approvedKeys, ...msg.keys])] : state.approvedKeys,
    approvedRules: withRule(state.approvedRules, msg.decision),
  };
  const request = state.approvals.find(({ approvalId }) => approvalId === msg.approvalId);
  const word = wordOfDenial(msg.decision);
  if (request !== undefined && msg.reviewer !== undefined) {
    const { reviewer } = msg;
    return updateTurn(resolved, event.turnId, (turn) => allowByReviewer(turn, request, reviewer));
  }
  if (request === undefined || word === null) return resolved;
  return updateTurn(resolved, event.turnId, (turn) => deny(turn, request, { by: msg.by, word }));
}

/** Adds the rule of an approval. Several approvals may add the same rule; it is kept once. */
function withRule(rules: readonly Rule[], decision: ApprovalDecision): readonly Rule[] {
  if (typeof decision !== 'object' || !('approved_rule' in decision)) return rules;
  const { rule, scope } = decision.approved_rule;
  if (scope !== 'thread' || rules.some((known) => isSameRule(known, rule))) return rules;
  return [...rules, rule];
}

/** Returns the message of a denial; `null` for an approval. */
function wordOfDenial(decision: ApprovalDecision): string | null {
  if (decision === 'abort') return '';
  const denied = denialIn(decision);
  return denied === undefined ? null : (denied.message ?? '').trim();
}

function countRequest(turn: TurnState): TurnState {
  return { ...turn, asked: turn.asked + 1 };
}

function countTokens(
  state: ThreadState,
  turnId: string | null,
  count: NonNullable<ThreadState['tokens']>,
): ThreadState {
  return updateTurn(state, turnId, (turn) => ({ ...turn, usage: usageAfter(turn.usage, state.tokens, count) }));
}

/** Adds a denial to the item of the request and to those of the calls that waited for the same answer. */
function deny(turn: TurnState, request: ApprovalRequest, denial: Omit<Denial, 'itemId'>): TurnState {
  const itemIds = [request.itemId, ...(request.alsoItems ?? [])];
  return {
    ...turn,
    denials: itemIds.reduce((known, itemId) => upsert(known, 'itemId', { itemId, ...denial }), turn.denials),
  };
}

/** Keeps the sentence of the model with the items that it is about. The user was not asked. */
function allowByReviewer(turn: TurnState, request: ApprovalRequest, reviewer: ReviewerVerdict): TurnState {
  const itemIds = [request.itemId, ...(request.alsoItems ?? [])];
  const reviewed = itemIds.map((itemId) => ({ itemId, ...reviewer }));
  return { ...turn, asked: turn.asked - 1, reviewed: [...(turn.reviewed ?? []), ...reviewed] };
}

/** Lets the compiler check that all known values are handled. At run time, a value of a newer build is ignored. */
function softAssertNever(_value: never): void {}

function startTurn(state: ThreadState, msg: EventMsgOf<'turn_started'>, event: Event): ThreadState {
  if (event.turnId === null || state.turns.some((turn) => turn.id === event.turnId)) return state;
  const turn: TurnState = {
    id: event.turnId,
    startedAt: event.at,
    settings: msg.settings,
    status: { type: 'running' },
    items: [],
    warnings: [],
    error: null,
    retry: null,
    denials: [],
    asked: 0,
    diff: '',
    reverted: false,
    usage: null,
  };
  // At most one turn runs at a time: a turn whose end is missing was cut off by a crash.
  const before = endTurn(state, state.activeTurnId, { type: 'aborted', at: event.at, reason: 'crashed' });
  return { ...before, turns: [...before.turns, turn], activeTurnId: turn.id, error: null };
}

/** Ends all open items and requests of the turn: no progress indicator and no request remains. */
function endTurn(state: ThreadState, turnId: string | null, status: TurnStatus): ThreadState {
  if (turnId === null) return state;
  const ended = updateTurn(state, turnId, (turn) => ({
    ...turn,
    status,
    retry: null,
    items: turn.items.map((item) => (item.status === 'in_progress' ? { ...item, status: 'aborted' } : item)),
  }));
  const questions = ended.questions.some((question) => question.turnId !== null)
    ? ended.questions.filter((question) => question.turnId === null)
    : ended.questions;
  return { ...ended, activeTurnId: null, approvals: [], questions, dynamicCalls: [] };
}

function addItem(turn: TurnState, item: TurnItem): TurnState {
  if (turn.items.some((known) => known.id === item.id)) return turn;
  return { ...turn, items: [...turn.items, item], retry: null };
}

function completeItem(state: ThreadState, item: TurnItem, event: Event): ThreadState {
  const completed = updateTurn(state, event.turnId, (turn) => {
    const index = turn.items.findLastIndex((known) => known.id === item.id);
    if (index < 0) return { ...turn, items: [...turn.items, item], retry: null };
    return { ...turn, items: turn.items.with(index, withChanges(item, turn.items[index])) };
  });
  if (state.title !== null && state.titleIsGreeting !== true) return completed;
  const title = titleOfItem(item);
  if (title !== null) return { ...completed, title, titleIsGreeting: undefined };
  const greeting = state.title === null && item.type === 'user_message' ? greetingOf(item.content) : null;
  return greeting === null ? completed : { ...completed, title: greeting, titleIsGreeting: true };
}

/** Returns a title from the first message, or from a review before it; `null` where it has none. */
function titleOfItem(item: TurnItem): string | null {
  if (item.type === 'code_review') return `Review: ${reviewSubject(item.target)}`;
  return item.type === 'user_message' ? titleOf(item.content) : null;
}

function withMark(item: TurnItem, { findingId, state }: EventMsgOf<'finding_marked'>): TurnItem {
  if (item.type !== 'code_review') return item;
  return {
    ...item,
    findings: item.findings.map((finding) => (finding.id === findingId ? { ...finding, state } : finding)),
  };
}

/** Adds the changes of a command, which may be known before its item is complete. */
function withChanges(item: TurnItem, known: TurnItem | undefined): TurnItem {
  if (item.type !== 'command_execution' || known?.type !== 'command_execution') return item;
  return known.changed === undefined ? item : { ...item, changed: known.changed };
}

/** Replaces the preview of a patch by its proposed changes. */
function proposeChanges(turn: TurnState, { itemId, changes, diff }: ApprovalRequest): TurnState {
  const index = turn.items.findLastIndex((item) => item.id === itemId);
  const item = turn.items[index];
  if (item?.type !== 'file_change' || changes === undefined) return turn;
  return { ...turn, items: turn.items.with(index, { ...item, changes, diff: diff ?? item.diff }) };
}

function growItem(turn: TurnState, delta: EventMsgOf<'item_delta'>): TurnState {
  const index = turn.items.findLastIndex((item) => item.id === delta.itemId);
  const item = turn.items[index];
  if (item === undefined || item.status !== 'in_progress') return turn;
  const grown = grow(item, delta);
  return grown === item ? turn : { ...turn, items: turn.items.with(index, grown) };
}

function grow(item: TurnItem, delta: EventMsgOf<'item_delta'>): TurnItem {
  switch (delta.kind) {
    case 'text':
      return item.type === 'agent_message' ? { ...item, text: item.text + delta.text } : item;
    case 'summary': {
      if (item.type !== 'reasoning') return item;
      const last = item.summary.length - 1;
      return {
        ...item,
        summary: last < 0 ? [delta.text] : item.summary.with(last, (item.summary[last] ?? '') + delta.text),
      };
    }
    case 'section_break':
      return item.type === 'reasoning' ? { ...item, summary: [...item.summary, ''] } : item;
    case 'raw':
      return item.type === 'reasoning' ? { ...item, raw: (item.raw ?? '') + delta.text } : item;
    case 'output':
      if (item.type === 'mcp_tool_call') return { ...item, progress: (item.progress ?? '') + delta.text };
      return item.type === 'command_execution' ? { ...item, output: tail(item.output + delta.text) } : item;
    case 'patch':
      return item.type === 'file_change' ? { ...item, patch: (item.patch ?? '') + delta.text } : item;
    default:
      softAssertNever(delta.kind);
      return item;
  }
}

/** Returns true if the beginning of this live output may have been cut. */
export function mayBeCut(output: string): boolean {
  return output.length >= KEPT_OUTPUT;
}

/** Keeps the end of a text; cuts a quarter at a time, so that a long stream is not copied for each delta. */
function tail(text: string): string {
  return text.length <= LIVE_OUTPUT_LIMIT ? text : text.slice(-KEPT_OUTPUT);
}

function updateTurn(state: ThreadState, turnId: string | null, update: (turn: TurnState) => TurnState): ThreadState {
  const index = state.turns.findLastIndex((turn) => turn.id === turnId);
  const turn = state.turns[index];
  if (turn === undefined) return state;
  const updated = update(turn);
  return updated === turn ? state : { ...state, turns: state.turns.with(index, updated) };
}

/** Adds a process. `at`: the time in ISO 8601. */
function startProcess(state: ThreadState, msg: EventMsgOf<'process_started'>, at: string): ThreadState {
  const process: ProcessState = { ...factsOf(msg), startedAt: at, output: '', status: { type: 'running' } };
  return { ...state, processes: upsert(withoutOldest(state.processes), 'processId', process) };
}

/** Drops the oldest ended process if there are too many. */
function withoutOldest(processes: readonly ProcessState[]): readonly ProcessState[] {
  if (processes.length < PROCESS_LIMIT) return processes;
  const oldest = processes.findIndex(({ status }) => status.type === 'exited');
  return oldest < 0 ? processes : processes.toSpliced(oldest, 1);
}

function updateProcess(
  state: ThreadState,
  processId: string,
  update: (process: ProcessState) => ProcessState,
): ThreadState {
  const index = state.processes.findLastIndex((process) => process.processId === processId);
  const process = state.processes[index];
  return process === undefined ? state : { ...state, processes: state.processes.with(index, update(process)) };
}

function mapItems(state: ThreadState, map: (item: TurnItem) => TurnItem): ThreadState {
  return { ...state, turns: state.turns.map((turn) => ({ ...turn, items: turn.items.map(map) })) };
}

/** Removes the output of a command from its item and its process. */
function purgeOutput(state: ThreadState, itemId: string): ThreadState {
  return {
    ...mapItems(state, (item) => (item.id === itemId ? withoutOutput(item) : item)),
    processes: state.processes.map((process) => (process.itemId === itemId ? { ...process, output: '' } : process)),
  };
}

function withoutOutput(item: TurnItem): TurnItem {
  if (item.type !== 'command_execution') return item;
  const { logPath: _logPath, tests: _tests, ...kept } = item;
  return { ...kept, output: '' };
}

/** Replaces the element with the same key, or appends. */
function upsert<Element, Key extends keyof Element>(
  list: readonly Element[],
  key: Key,
  element: Element,
): readonly Element[] {
  const index = list.findIndex((known) => known[key] === element[key]);
  return index < 0 ? [...list, element] : list.with(index, element);
}

function without<Element, Key extends keyof Element>(
  list: readonly Element[],
  key: Key,
  value: Element[Key],
): readonly Element[] {
  return list.some((element) => element[key] === value) ? list.filter((element) => element[key] !== value) : list;
}
