/**
 * The transcript as a value. One pure fold, used three times: in the panel, for the host's snapshot, and on resume
 * (design invariants 4 and 6).
 *
 * Guarantees: an event is folded at most once (`seq`), an event of another thread or of an ended turn changes nothing,
 * and no item is `in_progress` in an ended turn.
 */
import type {
  ApprovalRequest,
  Event,
  EventMsg,
  EventMsgOf,
  QuestionRequest,
  ResolvedBy,
  TokenUsage,
  TurnAbortReason,
  TurnSettings,
} from './event.ts';
import type { PlanStep, TurnItem, TurnItemOf, UserInput } from './item.ts';
import {
  type ApprovalDecision,
  type SandboxMechanism,
  denialIn,
  type ErrorAction,
  type ErrorKind,
  isSameRule,
  type Rule,
} from './policy.ts';
import { reviewSubject } from './text/findings.ts';
import { titleFrom } from './text/threadTitle.ts';

export type TurnStatus =
  | { readonly type: 'running' }
  | { readonly type: 'completed'; readonly at: string; readonly lastMessage: string | null }
  | { readonly type: 'aborted'; readonly at: string; readonly reason: TurnAbortReason };

export interface TurnError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly action?: ErrorAction | undefined;
}

/** A pending retry, shown with a countdown. */
export interface RetryState {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly attempt: number;
  readonly of: number;
  readonly retryInMs: number;
  readonly at: string;
}

export interface Warning {
  readonly message: string;
  /** Identifies quarantined files that can still be restored. */
  readonly quarantineId?: string | undefined;
  /** Images that are no longer sent to the model. */
  readonly imagesLeftOut?: readonly { readonly sha256: string; readonly reason: string }[] | undefined;
}

/** A denial of an item. */
export interface Denial {
  readonly itemId: string;
  readonly by: ResolvedBy;
  /** The message of the denial; may be empty. */
  readonly word: string;
}

/**
 * Turns of a long thread that the host sends and the panel draws at first; "Load Earlier" adds as many again. Each with ten items
 * takes the panel 2 to 3 ms of processor time.
 */
export const TURN_WINDOW = 25;

export interface TurnState {
  readonly id: string;
  readonly startedAt: string;
  readonly settings: TurnSettings;
  readonly status: TurnStatus;
  readonly items: readonly TurnItem[];
  readonly warnings: readonly Warning[];
  readonly error: TurnError | null;
  readonly retry: RetryState | null;
  readonly denials: readonly Denial[];
  /** The number of approvals and questions. */
  readonly asked: number;
  /** In git format; empty without changes. */
  readonly diff: string;
  /** Set by `files_reverted`: the turn's file changes are undone. */
  readonly reverted: boolean;
}

export interface ProcessState {
  readonly processId: string;
  readonly itemId: string;
  readonly command: string;
  readonly cwd: string;
  readonly box: SandboxMechanism;
  readonly tty?: boolean | undefined;
  readonly startedAt: string;
  /** The last `LIVE_OUTPUT_LIMIT` characters. */
  readonly output: string;
  readonly status: { readonly type: 'running' } | { readonly type: 'exited'; readonly exitCode: number | null };
}

/** A sub-agent that the thread has started. */
export type AgentSummary = Readonly<Omit<EventMsgOf<'agent_status'>, 'type'>>;

export interface McpServerState {
  readonly server: string;
  readonly status: EventMsgOf<'mcp_status'>['status'];
  readonly error?: string | undefined;
  readonly toolCount?: number | undefined;
  /** Which tools are not offered and why. */
  readonly leftOut?: string | undefined;
}

/** A question without an answer, with the turn that asks it; `null`: a server asks outside of turns. */
export type PendingQuestion = QuestionRequest & { readonly turnId: string | null };

/** A message that was sent while a turn ran and that no turn has taken yet. */
export interface QueuedMessage {
  readonly id: string;
  readonly input: readonly UserInput[];
  /** True while the user edits it: no turn takes it. */
  readonly held: boolean;
}

export interface ThreadState {
  readonly threadId: string;
  /** The name that the user gave, otherwise a title from the first message with content. */
  readonly title: string | null;
  readonly started: EventMsgOf<'thread_started'> | null;
  /** Used from the next turn on. */
  readonly settings: TurnSettings | null;
  readonly turns: readonly TurnState[];
  readonly activeTurnId: string | null;
  readonly approvals: readonly ApprovalRequest[];
  /** Keys of calls that were approved for the thread: restored after a reload, not copied by forks (design §2). */
  readonly approvedKeys: readonly string[];
  /** Rules for this thread only, kept as long as its approvals. */
  readonly approvedRules: readonly Rule[];
  readonly questions: readonly PendingQuestion[];
  readonly queuedInputs: readonly QueuedMessage[];
  readonly dynamicCalls: readonly EventMsgOf<'dynamic_tool_requested'>[];
  readonly processes: readonly ProcessState[];
  readonly plan: { readonly explanation?: string | undefined; readonly steps: readonly PlanStep[] } | null;
  readonly tokens: Omit<EventMsgOf<'token_count'>, 'type'> | null;
  readonly mcpServers: readonly McpServerState[];
  readonly agents: readonly AgentSummary[];
  /** Warnings that belong to no turn. */
  readonly warnings: readonly Warning[];
  readonly error: TurnError | null;
  readonly closed: boolean;
  /** The `seq` of the last folded event. Valid within one process: reset to 0 when another one resumes the thread. */
  readonly lastSeq: number;
}

/** In characters: live output kept for each item or process; the completed item has the model's version. */
export const LIVE_OUTPUT_LIMIT = 256 * 1024;

/** Characters that `tail` keeps when it cuts. */
const KEPT_OUTPUT = (LIVE_OUTPUT_LIMIT * 3) / 4;

/** Maximum characters that are kept of the output of an ended process; its log has the rest. */
const ENDED_OUTPUT_LIMIT = 64 * 1024;
/** Maximum processes that a thread lists; more only if more run. */
const PROCESS_LIMIT = 100;

export function initialThreadState(threadId: string): ThreadState {
  return {
    threadId,
    title: null,
    started: null,
    settings: null,
    turns: [],
    activeTurnId: null,
    approvals: [],
    approvedKeys: [],
    approvedRules: [],
    questions: [],
    queuedInputs: [],
    dynamicCalls: [],
    processes: [],
    plan: null,
    tokens: null,
    mcpServers: [],
    agents: [],
    warnings: [],
    error: null,
    closed: false,
    lastSeq: 0,
  };
}

/** The running processes of a thread whose call has ended, oldest first. */
export function runningInBackground(state: ThreadState): readonly ProcessState[] {
  const items = state.turns.at(-1)?.items ?? [];
  const waitedFor = new Set(items.filter(({ status }) => status === 'in_progress').map(({ id }) => id));
  return state.processes.filter(({ status, itemId }) => status.type === 'running' && !waitedFor.has(itemId));
}

/**
 * An addition to a text of the thread: the host sends it to the panel instead of an event whose text it had to redact.
 */
export interface TextGrowth {
  readonly turnId: string | null;
  readonly msg: EventMsgOf<'item_delta' | 'process_output'>;
}

/** The updates that the panel folds, in order: events, and additions to texts that were redacted. */
export type PanelEvent = Event | TextGrowth;

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
      return { ...state, title: msg.title };
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
      const { type: _type, ...request } = msg;
      const asked = { ...state, approvals: upsert(state.approvals, 'approvalId', request) };
      return updateTurn(asked, event.turnId, (turn) => countRequest(proposeChanges(turn, request)));
    }
    case 'approval_joined':
      return {
        ...state,
        approvals: state.approvals.map((request) =>
          request.approvalId === msg.approvalId
            ? { ...request, alsoItems: [...(request.alsoItems ?? []), msg.itemId] }
            : request,
        ),
      };
    case 'approval_resolved': {
      const resolved = {
        ...state,
        approvals: without(state.approvals, 'approvalId', msg.approvalId),
        approvedKeys: msg.keys ? [...new Set([...state.approvedKeys, ...msg.keys])] : state.approvedKeys,
        approvedRules: withRule(state.approvedRules, msg.decision),
      };
      const request = state.approvals.find(({ approvalId }) => approvalId === msg.approvalId);
      const word = wordOfDenial(msg.decision);
      if (request === undefined || word === null) return resolved;
      return updateTurn(resolved, event.turnId, (turn) => deny(turn, request, { by: msg.by, word }));
    }
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
    case 'token_count': {
      const { type: _type, ...tokens } = msg;
      return { ...state, tokens };
    }
    case 'stream_error': {
      const { type: _type, ...retry } = msg;
      return updateTurn(state, event.turnId, (turn) => ({ ...turn, retry: { ...retry, at: event.at } }));
    }
    case 'warning': {
      const { type: _type, ...warning } = msg;
      return event.turnId === null
        ? { ...state, warnings: [...state.warnings, warning] }
        : updateTurn(state, event.turnId, (turn) => ({ ...turn, warnings: [...turn.warnings, warning] }));
    }
    case 'error': {
      const { type: _type, ...error } = msg;
      return event.turnId === null
        ? { ...state, error }
        : updateTurn(state, event.turnId, (turn) => ({ ...turn, error, retry: null }));
    }
    case 'turn_completed':
      return endTurn(state, event.turnId, { type: 'completed', at: event.at, lastMessage: msg.lastMessage });
    case 'turn_aborted':
      return endTurn(state, event.turnId, { type: 'aborted', at: event.at, reason: msg.reason });
    case 'process_started': {
      const { type: _type, ...process } = msg;
      return {
        ...state,
        processes: upsert(withoutOldest(state.processes), 'processId', {
          ...process,
          startedAt: event.at,
          output: '',
          status: { type: 'running' },
        }),
      };
    }
    case 'process_exited':
      return updateProcess(state, msg.processId, (process) => ({
        ...process,
        output: process.output.slice(-ENDED_OUTPUT_LIMIT),
        status: { type: 'exited', exitCode: msg.exitCode },
      }));
    case 'mcp_status': {
      const { type: _type, ...server } = msg;
      return { ...state, mcpServers: upsert(state.mcpServers, 'server', server) };
    }
    case 'agent_status': {
      const { type: _type, ...agent } = msg;
      return { ...state, agents: upsert(state.agents, 'agentId', agent) };
    }
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
      return {
        ...mapItems(state, (item) => (item.id === msg.itemId ? withoutOutput(item) : item)),
        processes: state.processes.map((process) =>
          process.itemId === msg.itemId ? { ...process, output: '' } : process,
        ),
      };
    case 'thread_closed':
      return { ...state, closed: true };
    default:
      softAssertNever(msg);
      return state;
  }
}

/** Several approvals may add the same rule: it is kept once. */
function withRule(rules: readonly Rule[], decision: ApprovalDecision): readonly Rule[] {
  if (typeof decision !== 'object' || !('approved_rule' in decision)) return rules;
  const { rule, scope } = decision.approved_rule;
  if (scope !== 'thread' || rules.some((known) => isSameRule(known, rule))) return rules;
  return [...rules, rule];
}

/** Returns `null` for an approval. */
function wordOfDenial(decision: ApprovalDecision): string | null {
  if (decision === 'abort') return '';
  const denied = denialIn(decision);
  return denied === undefined ? null : (denied.message ?? '').trim();
}

function countRequest(turn: TurnState): TurnState {
  return { ...turn, asked: turn.asked + 1 };
}

/** Adds a denial to the item of the request and to those of the calls that waited for the same answer. */
function deny(turn: TurnState, request: ApprovalRequest, denial: Omit<Denial, 'itemId'>): TurnState {
  const itemIds = [request.itemId, ...(request.alsoItems ?? [])];
  return {
    ...turn,
    denials: itemIds.reduce((known, itemId) => upsert(known, 'itemId', { itemId, ...denial }), turn.denials),
  };
}

/** Ignores values of a newer build at run time; the compiler checks that all known ones are handled. */
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
  };
  // At most one turn runs: a turn whose end is missing has crashed.
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
  if (state.title !== null) return completed;
  const title = titleOfItem(item);
  return title === null ? completed : { ...completed, title };
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

/** True for a turn in which the user only compacted the thread: it has no message and nothing to continue. */
export function isCompactionAlone({ items }: TurnState): boolean {
  return items.length > 0 && items.every(({ type }) => type === 'compaction');
}

/** The review of a turn in which the user only had changes reviewed; `undefined` for other turns. */
export function reviewAlone({ items }: TurnState): TurnItemOf<'code_review'> | undefined {
  const [first] = items;
  return items.length === 1 && first?.type === 'code_review' ? first : undefined;
}

/** Adds the changes of a command, which may be known before its item is complete. */
function withChanges(item: TurnItem, known: TurnItem | undefined): TurnItem {
  if (item.type !== 'command_execution' || known?.type !== 'command_execution') return item;
  return known.changed === undefined ? item : { ...item, changed: known.changed };
}

/** The working directory of the next turn; empty for a thread that has not started. */
export function cwdOf({ settings, started }: Pick<ThreadState, 'settings' | 'started'>): string {
  return settings?.cwd ?? started?.cwd ?? '';
}

/** The text of a message, without its images and mentions. */
export function textOfInput(content: readonly UserInput[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the title for a thread that begins with this message; `null` where it has no words, or only greets. */
export function titleOf(content: readonly UserInput[]): string | null {
  return titleFrom(textOfInput(content));
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

/** True when the beginning of this live output may have been cut. */
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

/** The start of the totals of a thread. */
export const NO_USAGE: TokenUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };
