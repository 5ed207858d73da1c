import path from 'node:path';
import type { Event, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { TurnItem, UserInput } from '../../protocol/item.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import { callIdOf, type ResponseItem } from '../../protocol/responseItem.ts';
import { initialThreadState, type ThreadState } from '../../protocol/thread.ts';
import type { DynamicToolSpec, OpOf, Submission, TurnOverrides } from '../../protocol/op.ts';
import { History } from '../history/history.ts';
import { Processes } from '../exec/processes.ts';
import { type Purged, purgeOutput, REMOVED_OUTPUT } from '../rollout/purge.ts';
import { Recorder } from '../rollout/recorder.ts';
import { shownState } from '../rollout/replay.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import { assertNever } from '../util/assertNever.ts';
import { AsyncQueue } from '../util/asyncQueue.ts';
import type { Disposable } from '../util/disposable.ts';
import type { Listener } from '../util/emitter.ts';
import { Approvals } from './approvals.ts';
import { auditTrail } from './auditTrail.ts';
import { ContextUpdates } from './contextUpdates.ts';
import { EventSink } from './events.ts';
import { describeFailure, StorageFailure } from './failure.ts';
import { InputQueue } from './inputQueue.ts';
import { Memory } from './memory.ts';
import type { SessionOptions } from './sessionOptions.ts';
import type { AllowedPrefix } from '../prompt/allowedPrefixes.ts';
import type { RulesInForce, RulesPlace } from '../rules/rulesStore.ts';
import { type RevertOutcome, Reverts } from './reverts.ts';
import { ThreadTurns } from './threadTurns.ts';
import { ThreadChanges } from './threadChanges.ts';
import { ThreadImages } from './threadImages.ts';
import { TokenMeter } from './tokenMeter.ts';
import { Toolset } from './toolset.ts';
import { type RecoveredCall, runTurn, type TurnOpening } from './turn.ts';
import { commandsIn } from './workspaceCoordinator.ts';

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
  readonly #images: ThreadImages;
  readonly #approvals: Approvals;
  readonly #tools: Toolset;
  readonly #processes: Processes;
  readonly #changes: ThreadChanges;
  readonly #reverts: Reverts;
  readonly #turns: ThreadTurns;
  readonly #queue = new InputQueue((submissionId, msg) => this.#emit(submissionId, msg));
  readonly #submissions = new AsyncQueue<Submission>();
  #context: ContextUpdates;
  readonly #loop: Promise<void>;
  #settings: TurnSettings;
  #active: ActiveTurn | undefined;
  /** Settles when the last turn has ended and what it left was seen to. */
  #lastTurn: Promise<void> = Promise.resolve();
  /** Whether this session has started a turn. */
  #started = false;
  #unhandled = 0;
  readonly #rulesChanged: Disposable;
  /** What was last said of files of rules that are broken. */
  #problems: readonly string[] = [];
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
    this.#images = new ThreadImages(this.initialState);
    this.#approvals = new Approvals({
      ids: ports.ids,
      interactive: options.interactive,
      memory: new Memory({ keys: replayed?.state.approvedKeys, rules: replayed?.state.approvedRules }),
      onProposal: options.onProposal,
      keepRule: (rule, scope) => options.rules.add(scope, rule, this.#place(this.#settings.cwd)),
      watchRules: () => options.rules.watch(),
      onRemembered: (keys) => options.rules.noteApprovals(meta.id, keys),
      elsewhere: () => commandsIn(this.#settings.cwd, options.commandsOfOthers?.() ?? []),
    });
    this.#rulesChanged = options.rules.onChange(() => void this.#approvals.reconsider());
    this.#tools = new Toolset({
      ...options,
      rules: (cwd) => this.#rulesIn(cwd),
      onCollision: (name, providerId) =>
        this.#emit(null, { type: 'warning', message: collisionMessage(name, providerId) }),
    });
    this.#context = new ContextUpdates(this.#history.items);
    this.#recorder = new Recorder(rolloutPath, ports);
    this.#sink = new EventSink({
      ...ports,
      threadId: meta.id,
      sequence: options.sequence,
      recorder: this.#recorder,
      onStorageFailure: (failure) => this.#storageFailed(failure),
    });
    this.#processes = new Processes({
      ...ports,
      threadId: meta.id,
      emit: (msg) => this.#emit(null, msg),
      known: this.initialState.processes.map(({ processId }) => processId),
    });
    this.#changes = new ThreadChanges({
      ...ports,
      ledger: options.ledger,
      store: ports.baseline,
      threadId: meta.id,
      maxBytes: options.undoMaxBytes,
      emit: (msg) => this.#emit(null, msg),
    });
    this.#reverts = new Reverts({
      ...ports,
      ledger: options.ledger,
      store: ports.baseline,
      records: this.#changes.records,
      cwd: () => this.#settings.cwd,
      settled: () => this.#changes.settled(),
    });
    this.#turns = new ThreadTurns(replayed);
    this.#loop = this.#takeSubmissions();
  }

  /** `initialState` as a person is shown it, with a word on what could not be read. */
  get shownState(): ThreadState {
    const { replayed } = this.#options;
    return replayed ? shownState(replayed) : this.initialState;
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
      ...(this.#settings.noBoxCause === undefined ? {} : { noBoxCause: this.#settings.noBoxCause }),
      rolloutPath: path.join(ports.storage.home, rolloutPath),
      provider: meta.provider,
      ...(replayed === null ? {} : { resumed: true }),
      ...(meta.forked_from_id === undefined ? {} : { forkedFrom: meta.forked_from_id }),
    });
    this.#rulesIn(this.#settings.cwd).catch((error: unknown) => ports.log.error('The rules cannot be read', error));
    if (replayed === null) return;
    const { activeTurnId, queuedInputs, processes } = replayed.state;
    for (const { processId, status } of processes) {
      // It ended with the process that ran this thread, and nobody heard how.
      if (status.type === 'running') this.#emit(null, { type: 'process_exited', processId, exitCode: null });
    }
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
    this.#queue.dropHeld();
    this.#tools.clientCalls.failAll('The client is gone and cannot run this tool.');
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
    this.#rulesChanged.dispose();
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
    await this.#processes.endAll();
    await this.#changes.settled();
    this.#submissions.close();
    await this.#loop;
    await this.#recorder.close();
    this.#rulesChanged.dispose();
    await this.#options.ownership.release();
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
        return this.#active ? this.#queue.add(id, op.input) : this.#startTurn(id, op.input);
      case 'hold_queued':
      case 'edit_queued':
        return this.#changeQueued(id, op);
      case 'interrupt':
        this.#active?.abort.abort(new Error('Interrupted.'));
        return;
      case 'override_turn_context':
        this.#settings = this.#overridden(op);
        return this.#keep(id, { type: 'turn_context_changed', settings: this.#settings });
      case 'approval': {
        for (const warning of await this.#approvals.answer(op, id)) this.#warn(id, warning);
        return;
      }
      case 'remember': {
        const { memory } = this.#approvals;
        memory.replace(op.keys, op.rules);
        await this.#keep(id, { type: 'memory_changed', keys: [...memory.keys], rules: [...memory.rules] });
        return this.#approvals.reconsider();
      }
      case 'dynamic_tool_response':
        if (!this.#tools.clientCalls.respond(op.callId, op))
          this.#warn(id, `Nobody waits for the result of ${op.callId}.`);
        return;
      case 'register_tools':
        return this.#registerTools(id, op.tools);
      case 'retry':
        await this.#stopping();
        if (this.#active) return this.#warn(id, 'A turn is running.');
        if (isAnswered(this.#history.items)) return this.#warn(id, 'There is nothing to try again: this was answered.');
        return this.#startTurn(id, null);
      case 'purge_output':
        return this.#purge(id, op.itemId);
      case 'set_title':
        return this.#keep(id, { type: 'title_changed', title: op.title });
      case 'user_input_answer':
      case 'elicitation_answer':
        return this.#warn(id, `Nobody waits for an answer to ${op.questionId}.`);
      case 'process_input':
        return this.#type(id, op);
      case 'process_resize':
        // Whoever looks at one that has just ended need not be told.
        return this.#processes.running(op.processId)?.resize(op.columns, op.rows);
      case 'kill_process': {
        const process = this.#processes.running(op.processId);
        // Not waited for: what is said next must not wait for a process that dies slowly.
        if (process) void process.kill('user');
        else this.#warn(id, `There is no process ${op.processId} that runs.`);
        return;
      }
      case 'undo':
      case 'redo':
      case 'rollback':
        return this.#revert(id, op);
      case 'compact':
        return this.#warn(id, `This version of Tiller cannot ${op.type} yet.`);
      case 'shutdown':
        return this.#shutdown(id);
      default:
        return assertNever(op);
    }
  }

  async #changeQueued(submissionId: string, op: OpOf<'hold_queued' | 'edit_queued'>): Promise<void> {
    if (!this.#queue.has(op.id)) return this.#warn(submissionId, `The message ${op.id} is not queued any more.`);
    if (op.type === 'hold_queued') {
      if (op.held || this.#active) this.#queue.hold(submissionId, op.id, op.held);
      else this.#queue.remove(submissionId, op.id, 'dropped');
      return;
    }
    if (op.input === null) return this.#queue.remove(submissionId, op.id, 'withdrawn');
    if (this.#active && !this.#active.abort.signal.aborted) return this.#queue.edit(submissionId, op.id, op.input);
    // The end of a turn that is stopping drops what is not held.
    this.#queue.hold(submissionId, op.id, true);
    await this.#stopping();
    this.#queue.remove(submissionId, op.id, 'joined');
    await this.#startTurn(submissionId, op.input);
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
    const context = await this.#context.take(settings, {
      ...this.#options,
      thread: { id: this.threadId, home: ports.storage.home },
      projectDocMaxBytes,
      allowedPrefixes: this.#options.isTrusted() ? await this.#allowedIn(settings.cwd) : [],
    });
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
    this.#started = true;
    const emit = (msg: EventMsg, by = submissionId) => {
      // Whoever hears of the end may start the next turn at once.
      if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') this.#active = undefined;
      this.#turns.note(turnId, msg, this.#history.items.length);
      this.#sink.emit(turnId, by, msg);
    };
    const ready = () => this.open().catch((error: unknown) => abort.abort(new StorageFailure(error)));
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
        unreadable: this.#options.unreadable,
        maxToolRounds: this.#options.maxToolRounds,
        maxAttempts: this.#options.maxAttempts,
        client,
        tools: () => this.#tools.registryFor(family),
        approver: this.#approvals.forTurn(emit),
        noteUse: (rules) => this.#options.rules.noteUse(rules),
        audit: auditTrail({ threadId: this.threadId, agentId: this.#agentId, turnId }, ports, (failure) =>
          abort.abort(failure),
        ),
        history: this.#history,
        processes: this.#processes,
        changes: (onChanges) => this.#changes.forTurn({ turnId, settings, signal: abort.signal, onChanges }),
        tokens: this.#tokens,
        images: this.#images,
        ports,
        signal: abort.signal,
        emit,
        pace: () => this.#options.pace?.(),
        ready,
        remember: (item) => this.#remember(item),
        flush: () => this.#recorder.sync(),
        takeQueued: () => this.#queue.take('joined', submissionId).map((queued) => queued.input),
        interrupt: () => abort.abort(new Error('Interrupted.')),
      },
      opening,
    ).then((outcome) => this.#turnEnded(outcome));
  }

  /** What was queued too late to join a turn that completed becomes the next one; otherwise the person gets it back. */
  async #turnEnded(outcome: 'completed' | 'interrupted' | 'failed'): Promise<void> {
    const goesOn = outcome === 'completed' && !this.#closed;
    for (const { id, input } of this.#queue.take(goesOn ? 'joined' : 'dropped')) {
      if (goesOn) this.submit({ id, op: { type: 'steer', input: [...input] } });
    }
    await this.#options.rules.flush();
    await this.#recorder
      .sync()
      .catch((error: unknown) => this.#options.ports.log.error('The rollout was not synced', error));
    this.#unhandled--;
    this.#tellIdle();
  }

  get #agentId(): string | null {
    return this.#options.meta.originator === 'sub_agent' ? this.threadId : null;
  }

  #place(cwd: string): RulesPlace {
    return { cwd, trusted: this.#options.isTrusted() };
  }

  async #allowedIn(cwd: string): Promise<readonly AllowedPrefix[]> {
    const allowing = (await this.#rulesIn(cwd)).filter(({ rule }) => rule.decision === 'allow');
    return allowing.map(({ rule }) => ({ pattern: rule.pattern, outside: rule.bypassSandbox === true }));
  }

  /** As they stand now. A file that is broken is said once, until it is broken in another way. */
  async #rulesIn(cwd: string): Promise<RulesInForce['rules']> {
    const { memory } = this.#approvals;
    const { rules, problems } = await this.#options.rules.inForce(this.#place(cwd), {
      threadId: this.threadId,
      keys: memory.keys,
      rules: memory.rules,
    });
    const said = this.#problems;
    this.#problems = problems.map(({ message }) => message);
    for (const message of this.#problems) {
      if (!said.includes(message)) this.#emit(null, { type: 'warning', message });
    }
    return rules;
  }

  /** From here on the thread is ours and can be written. @throws Error when it cannot */
  async open(): Promise<void> {
    await this.#options.ownership.claim();
    await this.#recorder.open();
  }

  /** What changes a thread that is already written down is written at once, also where no turn follows. */
  async #keep(submissionId: string, msg: EventMsg): Promise<void> {
    if (this.#options.replayed !== null) await this.open();
    this.#emit(submissionId, msg);
  }

  #remember(item: ResponseItem): void {
    this.#sink.record({ type: 'response_item', payload: item });
    this.#history.append(item);
  }

  #type(submissionId: string, { processId, chars }: OpOf<'process_input'>): void {
    const process = this.#processes.running(processId);
    if (!process) return this.#warn(submissionId, `There is no process ${processId} that runs.`);
    if (process.write(chars)) return;
    this.#warn(submissionId, `Process ${processId} has no terminal: nothing but Ctrl-C reaches it.`);
  }

  async #revert(submissionId: string, op: OpOf<'undo' | 'redo' | 'rollback'>): Promise<void> {
    await this.#stopping();
    if (this.#active) return this.#warn(submissionId, 'A turn is running: stop it before you undo or redo.');
    const { undoTurn } = this.#options;
    if (op.type === 'rollback') return this.#rollback(submissionId, op);
    if (op.type === 'redo') return this.#tellReverted(submissionId, await this.#reverts.redo(op));
    if (!undoTurn || op.preview) return this.#tellReverted(submissionId, await this.#reverts.undo([op.turnId], op));
    const { paths, skipped } = await undoTurn(op.turnId);
    const msg = { type: 'files_reverted' as const, turnId: op.turnId, direction: 'undo' as const };
    this.#emit(submissionId, { ...msg, paths: [...paths], skipped: [...skipped] });
  }

  /** Files first: where they cannot be restored the conversation stays, too. */
  async #rollback(submissionId: string, op: OpOf<'rollback'>): Promise<void> {
    const { toItemId, files, conversation } = op;
    const gone = this.#turns.from(toItemId, this.#history.items);
    if (gone === undefined) return this.#warn(submissionId, `No turn begins with the message ${toItemId}.`);
    if (conversation && gone.history === null) {
      return this.#warn(submissionId, 'The thread was compacted since this message: it cannot go back there.');
    }
    const { turnIds, history } = gone;
    if (files || op.preview) {
      const outcome = await this.#reverts.undo(turnIds, op);
      this.#tellReverted(submissionId, outcome);
      if (op.preview || outcome.type === 'failed') return;
    }
    if (conversation && history !== null) {
      this.#history.restart(history);
      this.#context = new ContextUpdates(this.#history.items);
      this.#turns.drop(turnIds);
    }
    await this.#keep(submissionId, {
      type: 'turns_rolled_back',
      toItemId,
      turnIds: [...turnIds],
      files,
      conversation,
    });
  }

  #tellReverted(submissionId: string, { msgs }: RevertOutcome): void {
    for (const msg of msgs) this.#emit(submissionId, msg);
  }

  /** The rollout first: what it says no more, nobody says again. */
  async #purge(submissionId: string, itemId: string): Promise<void> {
    if (this.#active) return this.#warn(submissionId, 'A turn is running: an output can be removed when it has ended.');
    const { storage } = this.#options.ports;
    let purged: Purged | undefined;
    if (this.#started || this.#options.replayed !== null) {
      await this.open();
      await this.#recorder.rewrite((bytes) => {
        purged = purgeOutput(bytes, itemId);
        return purged?.bytes;
      });
    }
    if (purged === undefined) return this.#warn(submissionId, `There is no command ${itemId} in this thread.`);
    for (const logPath of purged.logPaths) {
      const inHome = path.relative(storage.home, logPath).split(path.sep).join('/');
      if (inHome.startsWith('logs/')) await storage.remove(inHome);
    }
    this.#history.replaceOutputs(purged.callIds, REMOVED_OUTPUT);
    this.#emit(submissionId, { type: 'output_purged', itemId });
  }

  #registerTools(submissionId: string, tools: readonly DynamicToolSpec[]): void {
    if (this.#started) return this.#warn(submissionId, 'Tools can only be registered before the first turn.');
    this.#tools.register(tools);
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
      ...this.#options.sandboxFor(sandboxPolicy),
    };
  }

  async #shutdown(submissionId: string): Promise<void> {
    this.#closed = true;
    this.#active?.abort.abort(new Error('Shut down.'));
    await this.#lastTurn;
    this.#queue.dropHeld();
    await this.#processes.endAll();
    await this.#changes.settled();
    this.#emit(submissionId, { type: 'thread_closed' });
    this.#submissions.close();
    await this.#recorder.close();
    await this.#options.ownership.release();
  }

  /** News that belong to no turn. */
  #emit(submissionId: string | null, msg: EventMsg): void {
    this.#sink.emit(null, submissionId, msg);
  }

  #warn(submissionId: string, message: string): void {
    this.#emit(submissionId, { type: 'warning', message });
  }
}

function collisionMessage(name: string, providerId: string): string {
  const owner = providerId === 'client' ? 'The tool of the client' : `The tool of ${providerId}`;
  return `${owner} named ${name} is left out: another tool has this name.`;
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
