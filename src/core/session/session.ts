import path from 'node:path';
import type { Event, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { TurnItem, UserInput } from '../../protocol/item.ts';
import type { Box, SandboxPolicy } from '../../protocol/policy.ts';
import { callIdOf, type ResponseItem } from '../../protocol/responseItem.ts';
import { initialThreadState, type ThreadState } from '../../protocol/thread.ts';
import type { DynamicToolSpec, OpOf, Submission, TurnOverrides } from '../../protocol/op.ts';
import { History } from '../history/history.ts';
import type { ModelClient } from '../model/client.ts';
import type { ModelFamily, Verbosity } from '../model/families.ts';
import type { Prices } from '../model/prices.ts';
import type { FileChange, Ports } from '../ports.ts';
import type { SessionMeta } from '../rollout/line.ts';
import { Recorder } from '../rollout/recorder.ts';
import type { ReplayedThread } from '../rollout/replay.ts';
import { DynamicCalls } from '../tools/dynamicCalls.ts';
import { builtinTools, harmlessTools } from '../tools/builtin.ts';
import { ToolRegistry } from '../tools/registry.ts';
import type { RulesStore } from '../tools/rulesStore.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import { assertNever } from '../util/assertNever.ts';
import { AsyncQueue } from '../util/asyncQueue.ts';
import type { Disposable } from '../util/disposable.ts';
import type { Listener } from '../util/emitter.ts';
import { Approvals } from './approvals.ts';
import { ContextNews } from './contextNews.ts';
import { type EventSequence, EventSink } from './events.ts';
import { describeFailure, StorageFailure } from './failure.ts';
import { TokenMeter } from './tokenMeter.ts';
import { type RecoveredCall, runTurn, type TurnOpening } from './turn.ts';

/** A model and what is known of it. */
export interface ConnectedModel {
  readonly client: ModelClient;
  readonly family: ModelFamily;
  /** `null` where the settings name none. */
  readonly prices: Prices | null;
}

export interface SessionOptions {
  readonly ports: Ports;
  readonly sequence: EventSequence;
  readonly meta: SessionMeta;
  /** The rollout, relative to TILLER_HOME. */
  readonly rolloutPath: string;
  /** The thread as it was, when it is taken up again. */
  readonly replayed: ReplayedThread | null;
  readonly settings: TurnSettings;
  /** How models are reached. One that cannot be says so when it is asked. */
  readonly connect: (model: string) => ConnectedModel;
  readonly rules: RulesStore;
  /** What surrounds commands on this machine under a policy. */
  readonly boxFor: (policy: SandboxPolicy) => Box;
  /** False: no tool touches the workspace, and nothing of it is told to the model (design decision 12). */
  readonly isTrusted: () => boolean;
  readonly review: 'before' | 'after';
  /** Hears what a patch would do before the person is asked about it, for whoever shows it in an editor. */
  readonly onProposal?: ((approvalId: string, changes: readonly FileChange[]) => void) | undefined;
  /** Puts back what a turn has landed, where somebody remembers it. Never rejects. */
  readonly undoTurn?: ((turnId: string) => Promise<RevertedFiles>) | undefined;
  /** False when there is nobody to ask: every question is answered no. */
  readonly interactive: boolean;
  readonly showRawReasoning: boolean;
  readonly maxToolRounds: number;
  readonly maxAttempts: number;
  /** The model family's own where `null`. */
  readonly verbosity: Verbosity | null;
  /** Bytes; 0 leaves the project's instructions out. */
  readonly projectDocMaxBytes: number;
  /** Names besides AGENTS.md. */
  readonly projectDocFallbackFilenames: readonly string[];
  /** The person's own, after the base instructions. */
  readonly userInstructions: string;
}

export interface RevertedFiles {
  readonly paths: readonly string[];
  /** Left alone, each with its reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

interface ActiveTurn {
  readonly turnId: string;
  readonly abort: AbortController;
}

/**
 * A live thread: submissions go in, events come out, and at most one turn runs (codex-behaviour.md §3.1). Submissions are
 * taken in order; while a turn runs the next ones are still heard, which is how it is steered, answered and stopped.
 */
export class Session {
  readonly threadId: string;
  /** The thread before this process: what the events of this session are folded onto. */
  readonly initialState: ThreadState;
  readonly #options: SessionOptions;
  readonly #sink: EventSink;
  readonly #recorder: Recorder;
  readonly #history: History;
  readonly #tokens: TokenMeter;
  readonly #approvals: Approvals;
  readonly #dynamicCalls = new DynamicCalls();
  readonly #submissions = new AsyncQueue<Submission>();
  readonly #context: ContextNews;
  readonly #loop: Promise<void>;
  #dynamicTools: readonly DynamicToolSpec[] = [];
  #settings: TurnSettings;
  #queued: { readonly id: string; readonly input: readonly UserInput[] }[] = [];
  #active: ActiveTurn | undefined;
  /** Settles when the last turn has ended and what it left was seen to. */
  #lastTurn: Promise<void> = Promise.resolve();
  /** Whether this session has started a turn. */
  #begun = false;
  #unhandled = 0;
  readonly #waitForIdle: (() => void)[] = [];
  #closed = false;

  constructor(options: SessionOptions) {
    const { ports, meta, replayed, rolloutPath } = options;
    this.#options = options;
    this.threadId = meta.id;
    this.initialState = replayed?.state ?? initialThreadState(meta.id);
    this.#settings = options.settings;
    this.#history = new History(replayed?.history, options.interactive ? askedCalls(this.initialState) : new Set());
    this.#tokens = new TokenMeter(replayed?.state.tokens ?? null);
    this.#approvals = new Approvals({
      ids: ports.ids,
      interactive: options.interactive,
      remembered: replayed?.state.approvedKeys ?? [],
      onProposal: options.onProposal,
    });
    this.#context = new ContextNews(this.#history.items);
    this.#recorder = new Recorder(rolloutPath, ports);
    this.#sink = new EventSink({
      ...ports,
      threadId: meta.id,
      sequence: options.sequence,
      recorder: this.#recorder,
      onStorageFailure: (failure) => this.#storageFailed(failure),
    });
    this.#loop = this.#takeSubmissions();
  }

  onEvent(listener: Listener<Event>): Disposable {
    return this.#sink.onEvent(listener);
  }

  /** Says hello to whoever listens by now. Once, before the first submission. */
  start(): void {
    const { meta, replayed, ports, rolloutPath } = this.#options;
    if (replayed === null) this.#sink.record({ type: 'session_meta', payload: meta });
    this.#emit(null, {
      type: 'thread_started',
      cwd: this.#settings.cwd,
      model: this.#settings.model,
      approvalPolicy: this.#settings.approvalPolicy,
      sandbox: this.#settings.sandboxPolicy.type,
      box: this.#settings.box,
      rolloutPath: path.join(ports.storage.home, rolloutPath),
      provider: meta.provider,
      ...(replayed === null ? {} : { resumed: true }),
    });
    const { problem } = this.#options.rules;
    if (problem !== undefined) this.#emit(null, { type: 'warning', message: problem });
    if (replayed === null) return;
    const { activeTurnId, queuedInputs } = replayed.state;
    for (const { id } of queuedInputs) this.#emit(null, { type: 'input_dequeued', id, reason: 'dropped' });
    if (activeTurnId !== null) this.#recover(activeTurnId, replayed.state);
  }

  /** Nothing may happen that is not written down: the turn is stopped, and without one the person is told. */
  #storageFailed(failure: StorageFailure): void {
    if (this.#active) this.#active.abort.abort(failure);
    else this.#emit(null, { type: 'error', ...describeFailure(failure) });
  }

  /**
   * The process that ran this turn is gone. What it had begun is never run again: such a call is answered as aborted.
   * What it had asked is asked again; with no question open the turn is over until the person acts (design decision 14).
   */
  #recover(turnId: string, state: ThreadState): void {
    const items = new Map(openItems(state).map((item) => ['callId' in item ? item.callId : item.id, item]));
    const emit = (msg: EventMsg) => this.#sink.emit(turnId, null, msg);
    const waiting = this.#history.owed.map((call): RecoveredCall => ({ call, item: items.get(callIdOf(call) ?? '') }));
    for (const { call } of waiting) items.delete(callIdOf(call) ?? '');
    for (const { approvalId } of state.approvals) {
      emit({ type: 'approval_resolved', approvalId, decision: 'abort', by: 'turn_ended' });
    }
    for (const item of items.values()) emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
    if (waiting.length > 0) {
      const settings = state.turns.at(-1)?.settings ?? this.#settings;
      this.#launch(turnId, null, settings, { type: 'recovered', calls: waiting }, undefined);
    } else {
      this.#remember(turnAbortedMessage('crashed'));
      emit({ type: 'turn_aborted', reason: 'crashed' });
    }
  }

  /** Queued; everything it causes carries its id. Ignored once the session is shut down. */
  submit(submission: Submission): void {
    if (this.#closed) return;
    this.#unhandled++;
    this.#submissions.push(submission);
  }

  /** Nobody will submit any more: what waits for an answer gets a no, what runs goes on to its end. */
  endOfInput(): void {
    this.#approvals.nobodyIsThere();
    this.#dynamicCalls.failAll('The client is gone and cannot run this tool.');
  }

  /** Resolves when it has been shut down, by whomever. */
  get closed(): Promise<void> {
    return this.#loop;
  }

  /** Resolves when no turn runs and everything submitted has been taken. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waitForIdle.push(resolve);
      this.#tellIdle();
    });
  }

  #tellIdle(): void {
    if (this.#active || this.#unhandled > 0) return;
    for (const resolve of this.#waitForIdle.splice(0)) resolve();
  }

  /** Stops what runs, writes the end down and closes. */
  async dispose(): Promise<void> {
    this.submit({ id: this.#options.ports.ids.next('submission'), op: { type: 'shutdown' } });
    await this.#loop;
    this.#sink.dispose();
  }

  /**
   * The host goes away and may come back, as a window that is reloaded: everything stops as it stands and nothing more is
   * written, so that whoever resumes finds the turn as a crash would leave it, its open questions included.
   */
  async suspend(): Promise<void> {
    this.#closed = true;
    this.#sink.freeze();
    this.#active?.abort.abort(new Error('Suspended.'));
    await this.#lastTurn;
    this.#submissions.close();
    await this.#loop;
    await this.#recorder.close();
    this.#sink.dispose();
  }

  async #takeSubmissions(): Promise<void> {
    for await (const submission of this.#submissions) {
      try {
        // What was said behind a shutdown comes too late.
        if (!this.#closed) await this.#handle(submission);
      } catch (error) {
        this.#options.ports.log.error(`${submission.op.type} failed`, error);
        this.#emit(submission.id, { type: 'error', ...describeFailure(error) });
      }
      this.#unhandled--;
      this.#tellIdle();
    }
  }

  async #handle({ id, op }: Submission): Promise<void> {
    switch (op.type) {
      case 'user_turn':
        await this.#stopping();
        if (this.#active) return this.#warn(id, 'A turn is running: steer it, or interrupt it first.');
        return this.#startTurn(id, op.input, op.overrides, op.outputSchema);
      case 'steer':
        await this.#stopping();
        return this.#active ? this.#enqueue(id, op.input) : this.#startTurn(id, op.input);
      case 'edit_queued':
        return this.#editQueued(id, op);
      case 'interrupt':
        this.#active?.abort.abort(new Error('Interrupted.'));
        return;
      case 'override_turn_context':
        this.#settings = this.#overridden(op);
        return this.#emit(id, { type: 'turn_context_changed', settings: this.#settings });
      case 'approval': {
        if (typeof op.decision === 'object' && 'approved_rule' in op.decision) {
          this.#warn(id, 'This version of Tiller keeps no rules yet: it counts as approved once.');
        }
        const unknown = this.#approvals.answer(op.approvalIds, op.decision, id);
        for (const approvalId of unknown) this.#warn(id, `Nobody waits for an answer to ${approvalId}.`);
        return;
      }
      case 'dynamic_tool_response':
        if (!this.#dynamicCalls.respond(op.callId, op)) this.#warn(id, `Nobody waits for the result of ${op.callId}.`);
        return;
      case 'register_tools':
        return this.#registerTools(id, op.tools);
      case 'retry':
        await this.#stopping();
        if (this.#active) return this.#warn(id, 'A turn is running.');
        if (isAnswered(this.#history.items)) return this.#warn(id, 'There is nothing to try again: this was answered.');
        return this.#startTurn(id, null);
      case 'set_title':
        return this.#emit(id, { type: 'title_changed', title: op.title });
      case 'user_input_answer':
      case 'elicitation_answer':
        return this.#warn(id, `Nobody waits for an answer to ${op.questionId}.`);
      case 'process_input':
      case 'kill_process':
        return this.#warn(id, `There is no process ${op.processId}.`);
      case 'undo':
        return this.#undo(id, op.turnId);
      case 'compact':
      case 'redo':
      case 'rollback':
        return this.#warn(id, `This version of Tiller cannot ${op.type} yet.`);
      case 'shutdown':
        return this.#shutdown(id);
      default:
        return assertNever(op);
    }
  }

  /** A turn that was told to stop is waited for, so that "interrupt, then this" can be said in one breath. */
  async #stopping(): Promise<void> {
    if (this.#active?.abort.signal.aborted) await this.#lastTurn;
  }

  async #startTurn(
    submissionId: string,
    input: readonly UserInput[] | null,
    overrides?: TurnOverrides,
    outputSchema?: OpOf<'user_turn'>['outputSchema'],
  ): Promise<void> {
    const { ports } = this.#options;
    const settings = overrides ? this.#overridden(overrides) : this.#settings;
    this.#sink.record({ type: 'turn_context', payload: settings });
    const projectDocMaxBytes = this.#options.isTrusted() ? this.#options.projectDocMaxBytes : 0;
    const context = await this.#context.take(settings, { ...this.#options, projectDocMaxBytes });
    this.#launch(ports.ids.next('turn'), submissionId, settings, { type: 'begun', context, input }, outputSchema);
  }

  #launch(
    turnId: string,
    submissionId: string | null,
    settings: TurnSettings,
    opening: TurnOpening,
    outputSchema: OpOf<'user_turn'>['outputSchema'],
  ): void {
    const { ports } = this.#options;
    const { client, family, prices } = this.#options.connect(settings.model);
    const abort = new AbortController();
    this.#begun = true;
    const emit = (msg: EventMsg, by = submissionId) => {
      // Whoever hears of the end may start the next turn at once.
      if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') this.#active = undefined;
      this.#sink.emit(turnId, by, msg);
    };
    const ready = () => this.#recorder.open().catch((error: unknown) => abort.abort(new StorageFailure(error)));
    this.#active = { turnId, abort };
    this.#unhandled++;
    this.#lastTurn = runTurn(
      {
        turnId,
        threadId: this.threadId,
        settings,
        family,
        prices,
        verbosity: this.#options.verbosity ?? undefined,
        instructions: this.#options.meta.instructions,
        outputSchema,
        showRawReasoning: this.#options.showRawReasoning,
        maxToolRounds: this.#options.maxToolRounds,
        maxAttempts: this.#options.maxAttempts,
        client,
        registry: this.#tools(family),
        approver: this.#approvals.forTurn(emit),
        history: this.#history,
        tokens: this.#tokens,
        ports,
        signal: abort.signal,
        emit,
        ready,
        remember: (item) => this.#remember(item),
        flush: () => this.#recorder.sync(),
        takeQueued: () => this.#takeQueued(submissionId),
        interrupt: () => abort.abort(new Error('Interrupted.')),
      },
      opening,
    ).then((outcome) => this.#turnEnded(outcome));
  }

  /** What was queued too late to join a turn that completed becomes the next one; otherwise the person gets it back. */
  async #turnEnded(outcome: 'completed' | 'interrupted' | 'failed'): Promise<void> {
    const late = this.#queued.splice(0);
    const goesOn = outcome === 'completed' && !this.#closed;
    for (const { id, input } of late) {
      this.#emit(id, { type: 'input_dequeued', id, reason: goesOn ? 'joined' : 'dropped' });
      if (goesOn) this.submit({ id, op: { type: 'steer', input: [...input] } });
    }
    await this.#recorder
      .sync()
      .catch((error: unknown) => this.#options.ports.log.error('The rollout was not synced', error));
    this.#unhandled--;
    this.#tellIdle();
  }

  #remember(item: ResponseItem): void {
    this.#sink.record({ type: 'response_item', payload: item });
    this.#history.append(item);
  }

  #tools(family: ModelFamily): ToolRegistry {
    const { rules, review } = this.#options;
    const options = { rules: () => rules.rules, review };
    const client = { tools: this.#dynamicTools, calls: this.#dynamicCalls };
    const tools = this.#options.isTrusted() ? builtinTools(family, options, client) : harmlessTools();
    return new ToolRegistry(tools);
  }

  /** They are the same for every model. */
  #builtinNames(): readonly string[] {
    const family = { applyPatch: 'function', extraInstructions: false, shell: 'exec_command' } as const;
    const client = { tools: [], calls: this.#dynamicCalls };
    return builtinTools(family, { rules: () => [], review: this.#options.review }, client).flatMap(
      ({ names }) => names,
    );
  }

  async #undo(submissionId: string, turnId: string): Promise<void> {
    const { undoTurn } = this.#options;
    if (!undoTurn) return this.#warn(submissionId, 'Files can only be put back in the editor.');
    if (this.#active) return this.#warn(submissionId, 'A turn is running: stop it before you undo one.');
    const { paths, skipped } = await undoTurn(turnId);
    this.#emit(submissionId, {
      type: 'files_reverted',
      turnId,
      direction: 'undo',
      paths: [...paths],
      skipped: [...skipped],
    });
  }

  #registerTools(submissionId: string, tools: readonly DynamicToolSpec[]): void {
    if (this.#begun) return this.#warn(submissionId, 'Tools can only be registered before the first turn.');
    const names = [...this.#builtinNames(), ...tools.map(({ name }) => name)];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined)
      return this.#warn(submissionId, `Two tools would be called ${twice}: none was registered.`);
    this.#dynamicTools = tools;
  }

  #enqueue(id: string, input: readonly UserInput[]): void {
    this.#queued.push({ id, input });
    this.#emit(id, { type: 'input_queued', id, input: [...input] });
  }

  #editQueued(submissionId: string, op: OpOf<'edit_queued'>): void {
    const index = this.#queued.findIndex((queued) => queued.id === op.id);
    if (index < 0) return this.#warn(submissionId, `The message ${op.id} is not queued any more.`);
    if (op.input === null) {
      this.#queued.splice(index, 1);
      return this.#emit(submissionId, { type: 'input_dequeued', id: op.id, reason: 'withdrawn' });
    }
    this.#queued[index] = { id: op.id, input: op.input };
    this.#emit(submissionId, { type: 'input_queued', id: op.id, input: op.input });
  }

  #takeQueued(submissionId: string | null): readonly (readonly UserInput[])[] {
    const taken = this.#queued;
    this.#queued = [];
    for (const { id } of taken) this.#emit(submissionId, { type: 'input_dequeued', id, reason: 'joined' });
    return taken.map(({ input }) => input);
  }

  #overridden(overrides: TurnOverrides): TurnSettings {
    const { model, effort, summary, cwd, policy, box } = overrides;
    const newCwd = cwd === undefined ? this.#settings.cwd : path.resolve(this.#settings.cwd, cwd);
    const sandboxPolicy = box ? resolved(box, newCwd) : this.#settings.sandboxPolicy;
    return {
      model: model ?? this.#settings.model,
      effort: effort === undefined ? this.#settings.effort : effort,
      summary: summary ?? this.#settings.summary,
      cwd: newCwd,
      approvalPolicy: policy ?? this.#settings.approvalPolicy,
      sandboxPolicy,
      box: this.#options.boxFor(sandboxPolicy),
    };
  }

  async #shutdown(submissionId: string): Promise<void> {
    this.#closed = true;
    this.#active?.abort.abort(new Error('Shut down.'));
    await this.#lastTurn;
    this.#emit(submissionId, { type: 'thread_closed' });
    this.#submissions.close();
    await this.#recorder.close();
  }

  /** News that belong to no turn. */
  #emit(submissionId: string | null, msg: EventMsg): void {
    this.#sink.emit(null, submissionId, msg);
  }

  #warn(submissionId: string, message: string): void {
    this.#emit(submissionId, { type: 'warning', message });
  }
}

/** What a process that is gone left unfinished in its last turn. */
function openItems(state: ThreadState): readonly TurnItem[] {
  return (state.turns.at(-1)?.items ?? []).filter((item) => item.status === 'in_progress');
}

/** Calls that wait for a person. */
function askedCalls(state: ThreadState): ReadonlySet<string> {
  return new Set(state.approvals.map((approval) => approval.callId));
}

/**
 * The model has had the last word. Asking it on would end a prompt with its own words, which many servers refuse, and on
 * Chat would make one message of two.
 */
function isAnswered(items: readonly ResponseItem[]): boolean {
  const last = items.at(-1);
  return last?.type === 'message' && last.role === 'assistant';
}

/** Folders a client names start at the working directory. */
function resolved(policy: SandboxPolicy, cwd: string): SandboxPolicy {
  if (policy.type !== 'workspace-write') return policy;
  return { ...policy, writableRoots: policy.writableRoots.map((root) => path.resolve(cwd, root)) };
}
