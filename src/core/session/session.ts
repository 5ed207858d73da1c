import path from 'node:path';
import type { Event, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { type AgentSummary, initialThreadState, type ThreadState } from '../../protocol/thread.ts';
import type { DynamicToolSpec, OpOf, Submission, TurnOverrides } from '../../protocol/op.ts';
import type { History } from '../history/history.ts';
import { Processes } from '../exec/processes.ts';
import { Recorder } from '../rollout/recorder.ts';
import { listMemories, ThreadMemories } from '../rollout/threadMemories.ts';
import { shownState } from '../rollout/replay.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import { assertNever } from '../util/assertNever.ts';
import { AsyncQueue } from '../util/asyncQueue.ts';
import type { Disposable } from '../util/disposable.ts';
import type { Listener } from '../util/emitter.ts';
import { isWorthASummary } from './compaction.ts';
import { CapCounters, TurnSpending } from './capCounters.ts';
import { CompactionTrigger } from './compactionTrigger.ts';
import { AgentNotices } from './agentNotices.ts';
import { auditTrail } from './auditTrail.ts';
import { Conversation } from './conversation.ts';
import { ContextUpdates } from './contextUpdates.ts';
import { EventSink } from './events.ts';
import { describeFailure, StorageFailure } from './failure.ts';
import { InputQueue } from './inputQueue.ts';
import { Memory } from './memory.ts';
import { PendingRequests } from './pendingRequests.ts';
import { endLeftovers, recoverCalls, standingCompactions } from './recovery.ts';
import { removeOutput } from './removeOutput.ts';
import { OpenWork } from './openWork.ts';
import { askingAgent, depthOf, type ParentLink, type SessionOptions } from './sessionOptions.ts';
import { isOpen, type RunningTurn, type SessionState, turnIn, withoutTurn } from './sessionState.ts';
import { type RevertOutcome, Reverts } from './reverts.ts';
import { ThreadRules } from './threadRules.ts';
import { ThreadChanges } from './threadChanges.ts';
import { ThreadModels } from './threadModels.ts';
import { SettingNotes } from './settingNotes.ts';
import { RetryPause } from './retryPause.ts';
import { ThreadImages } from './threadImages.ts';
import { TokenMeter } from './tokenMeter.ts';
import { rejectionMessage } from '../tools/registry.ts';
import { Toolset } from './toolset.ts';
import { runTurn, type TurnOpening } from './turn.ts';
import type { CompactedItems } from './turnRun.ts';
import { HookMemory, TurnHooks } from './turnHooks.ts';
import { overridden } from './turnSettings.ts';
import { commandsIn } from './workspaceCoordinator.ts';

/**
 * A live thread: submissions go in, events come out, and at most one turn runs (codex-behaviour.md §3.1). Submissions
 * are handled in order, also while a turn runs: clients steer, answer and interrupt it by them.
 */
export class Session {
  readonly threadId: string;
  /** The thread before this process. The events of this session are folded onto it. */
  readonly initialState: ThreadState;
  readonly #options: SessionOptions;
  readonly #sink: EventSink;
  readonly #recorder: Recorder;
  readonly #conversation: Conversation;
  readonly #tokens: TokenMeter;
  readonly #caps: CapCounters;
  readonly #retryPause: RetryPause;
  readonly #compaction: CompactionTrigger;
  readonly #hooks: HookMemory;
  readonly #images: ThreadImages;
  readonly #notes: SettingNotes;
  /** Of sub-agents, for the model. */
  readonly agentNotices = new AgentNotices();
  readonly #models: ThreadModels;
  readonly #requests: PendingRequests;
  readonly #tools: Toolset;
  readonly #processes: Processes;
  readonly #changes: ThreadChanges;
  readonly #reverts: Reverts;
  readonly #queue = new InputQueue((submissionId, msg) => this.#emit(submissionId, msg));
  readonly #submissions = new AsyncQueue<Submission>();
  readonly #loop: Promise<void>;
  #settings: TurnSettings;
  #state: SessionState = { type: 'new' };
  /** Settles when the last turn has ended, its queued inputs are dealt with and its rollout is synced. */
  #lastTurn: Promise<void> = Promise.resolve();
  /** Submissions until they are handled, and turns until `#lastTurn` settles. */
  readonly #work = new OpenWork();
  readonly #rules: ThreadRules;
  readonly #rulesChanged: Disposable;
  #toolSources: Disposable | undefined;

  constructor(options: SessionOptions) {
    const { ports, meta, replayed, rolloutPath } = options;
    this.#options = options;
    this.threadId = meta.id;
    this.initialState = replayed?.state ?? initialThreadState(meta.id);
    this.#settings = options.settings.turn;
    this.#conversation = new Conversation(replayed, options.host.interactive, options.inherited);
    const { caps } = options.settings.limits;
    this.#retryPause = new RetryPause(options.ports.clock);
    this.#caps = new CapCounters(caps, options.parent?.turnSpending ?? new TurnSpending(), options.daySpending);
    this.#tokens = new TokenMeter(replayed?.state.tokens ?? null, replayed?.countedItems, (spent) =>
      this.#caps.add(spent),
    );
    this.#compaction = new CompactionTrigger(options.settings.limits.compactionTokens, {
      afterTokens: standingCompactions(this.initialState).map((item) => item.afterTokens),
      undone: replayed?.compactionUndone ?? false,
    });
    this.#hooks = new HookMemory(replayed === null ? 'startup' : 'resume');
    this.#images = new ThreadImages(this.initialState);
    this.#notes = new SettingNotes(this.initialState);
    this.#models = new ThreadModels(meta.provider, options.host);
    this.#rules = new ThreadRules({
      threadId: meta.id,
      store: options.rules,
      memory: () => this.#requests.memory,
      isTrusted: () => options.host.isTrusted(),
      warn: (message) => this.#emit(null, { type: 'warning', message }),
    });
    this.#requests =
      options.parent?.requests ??
      new PendingRequests({
        ids: ports.ids,
        interactive: options.host.interactive,
        memory: new Memory({ keys: replayed?.state.approvedKeys, rules: replayed?.state.approvedRules }),
        proposals: options.host.proposals,
        keepRule: (rule, scope) => options.rules.add(scope, rule, this.#rules.place(this.#settings.cwd)),
        watchRules: () => options.rules.watch(),
        onRemembered: (keys) => options.rules.noteApprovals(meta.id, keys),
        elsewhere: () => commandsIn(this.#settings.cwd, options.commandsOfOthers?.() ?? []),
        onAgentApproval: ({ keys, rules }) =>
          this.#emit(null, { type: 'memory_changed', keys: [...keys], rules: [...rules] }),
      });
    this.#rulesChanged = options.rules.onChange(() => void this.#requests.reconsider());
    this.#tools = new Toolset({
      settings: options.settings.tools,
      host: options.host,
      rules: (cwd) => this.#rules.inForce(cwd),
      readMemory: (id) => new ThreadMemories(ports).read(id),
      languages: ports.languages,
      agentTools: options.agentTools,
      onRejected: (rejected) => this.#emit(null, { type: 'warning', message: rejectionMessage(rejected) }),
    });
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
      maxBytes: options.settings.limits.undoMaxBytes,
      emit: (msg) => this.#emit(null, msg),
    });
    this.#reverts = new Reverts({
      ...ports,
      ledger: options.ledger,
      store: ports.baseline,
      records: this.#changes.records,
      maxBytes: options.settings.limits.undoMaxBytes,
      cwd: () => this.#settings.cwd,
      settled: () => this.#changes.settled(),
    });
    this.#loop = this.#takeSubmissions();
  }

  /** `initialState` as the user sees it: with a warning about lines that could not be read. */
  get shownState(): ThreadState {
    const { replayed } = this.#options;
    return replayed ? shownState(replayed) : this.initialState;
  }

  /** Of a sub-agent: the thread that started it. */
  get parentId(): string | null {
    return this.#options.meta.parent_id ?? null;
  }

  /** A sub-agent that was started to change no file. */
  get isReadOnlyAgent(): boolean {
    return this.#options.meta.agent?.read_only === true;
  }

  /** For a sub-agent of this session. */
  get asParent(): ParentLink {
    return {
      threadId: this.threadId,
      rootId: this.#options.parent?.rootId ?? this.threadId,
      depth: depthOf(this.#options),
      requests: this.#requests,
      turnSpending: this.#caps.turn,
      history: () => this.#history.items,
    };
  }

  /** Emits the status of one of its sub-agents. */
  tellAgent(agent: AgentSummary): void {
    this.#emit(null, { type: 'agent_status', ...agent });
  }

  onEvent(listener: Listener<Event>): Disposable {
    return this.#sink.onEvent(listener);
  }

  /** Emits `thread_started`, and recovers what an earlier process left. Call once, before the first submission. */
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
      ...(this.#settings.noSandboxCause === undefined ? {} : { noSandboxCause: this.#settings.noSandboxCause }),
      rolloutPath: path.join(ports.storage.home, rolloutPath),
      provider: meta.provider,
      ...(replayed === null ? {} : { resumed: true }),
      ...(meta.forked_from_id === undefined ? {} : { forkedFrom: meta.forked_from_id }),
      ...(meta.parent_id === undefined ? {} : { parentId: meta.parent_id }),
    });
    this.#toolSources = this.#tools.watch((status) => this.#emit(null, status));
    this.#rules
      .inForce(this.#settings.cwd)
      .catch((error: unknown) => ports.log.error('The rules cannot be read', error));
    for (const payload of this.#options.inherited ?? []) this.#sink.record({ type: 'response_item', payload });
    if (replayed === null) return;
    endLeftovers(replayed.state, (msg) => this.#emit(null, msg));
    const { activeTurnId, agents } = replayed.state;
    this.agentNotices.recover(agents, this.#history.items);
    if (activeTurnId !== null) this.#recover(activeTurnId, replayed.state);
  }

  /** Nothing may run unrecorded: stops the turn, or emits an error when none runs. */
  #storageFailed(failure: StorageFailure): void {
    if (this.#turn) this.#turn.abort.abort(failure);
    else this.#emit(null, { type: 'error', ...describeFailure(failure) });
  }

  /**
   * Goes on with a turn whose process is gone. A call that had started is answered as aborted. A call with a pending
   * request is prepared again; without one the turn is over until the user acts (design decision 14).
   */
  #recover(turnId: string, state: ThreadState): void {
    const emit = (msg: EventMsg) => this.#sink.emit(turnId, null, msg);
    const calls = recoverCalls(turnId, state, this.#history.owed, emit);
    if (calls.length > 0) {
      const settings = state.turns.at(-1)?.settings ?? this.#settings;
      this.#tools.turnStarts();
      this.#launch(turnId, null, settings, { type: 'recovered', calls }, undefined);
    } else {
      this.#remember(turnAbortedMessage('crashed'));
      emit({ type: 'turn_aborted', reason: 'crashed' });
    }
  }

  /** Appends to the queue. Every event that it causes carries its id. Ignored when the session is closing or closed. */
  submit(submission: Submission): void {
    if (!isOpen(this.#state)) return;
    this.#work.begin();
    this.#submissions.push(submission);
  }

  /** The client submits no more: denies pending and later requests; what runs goes on to its end. */
  endOfInput(): void {
    this.#requests.becomeNonInteractive();
    this.#queue.dropHeld();
    this.#tools.clientCalls.failAll('The client is gone and cannot run this tool.');
  }

  /** Resolves when the session has closed, whichever client closed it. */
  get closed(): Promise<void> {
    return this.#loop;
  }

  /** No turn runs, and every submission is handled. */
  get isIdle(): boolean {
    return this.#work.isNone;
  }

  /** Resolves when no turn runs and every submission is handled. */
  idle(): Promise<void> {
    return this.#work.none();
  }

  /** Stops the turn and the processes, records the end and closes. */
  async dispose(): Promise<void> {
    this.submit({ id: this.#options.ports.ids.next('submission'), op: { type: 'shutdown' } });
    await this.#loop;
    this.#stopListening();
  }

  /**
   * Closes a session that is to be resumed, as after a reload of the window: stops turn and processes without recording
   * their end. The rollout then is as a crash would leave it, pending requests included.
   */
  async suspend(): Promise<void> {
    if (!isOpen(this.#state)) {
      await this.#loop;
      return this.#stopListening();
    }
    this.#sink.freeze();
    this.#close('Suspended.');
    await this.#lastTurn;
    await this.#processes.endAll();
    await this.#changes.settled();
    this.#submissions.close();
    await this.#loop;
    await this.#recorder.close();
    await this.#options.ownership.release();
    this.#state = { type: 'closed' };
    this.#stopListening();
  }

  #stopListening(): void {
    this.#toolSources?.dispose();
    this.#rulesChanged.dispose();
    this.#sink.dispose();
  }

  #close(reason: string): void {
    this.#state = { type: 'closing', turn: this.#turn };
    this.#turn?.abort.abort(new Error(reason));
  }

  async #takeSubmissions(): Promise<void> {
    for await (const submission of this.#submissions) {
      try {
        // Ignores submissions behind a shutdown.
        if (isOpen(this.#state)) await this.#handle(submission);
      } catch (error) {
        this.#options.ports.log.error(`${submission.op.type} failed`, error);
        this.#emit(submission.id, { type: 'error', ...describeFailure(error) });
      }
      this.#work.end();
    }
  }

  get #history(): History {
    return this.#conversation.history;
  }

  get #turn(): RunningTurn | undefined {
    return turnIn(this.#state);
  }

  async #handle({ id, op }: Submission): Promise<void> {
    switch (op.type) {
      case 'user_turn':
        await this.#stopping();
        if (this.#turn) return this.#warn(id, 'A turn is running: steer it, or interrupt it first.');
        return this.#startTurn(id, op.input, op.overrides, op.outputSchema);
      case 'steer':
        await this.#stopping();
        return this.#turn ? this.#queue.add(id, op.input) : this.#startTurn(id, op.input);
      case 'hold_queued':
      case 'edit_queued':
        return this.#changeQueued(id, op);
      case 'interrupt':
        this.#turn?.abort.abort(new Error('Interrupted.'));
        return;
      case 'override_turn_context':
        this.#settings = this.#overridden(op);
        return this.#keep(id, { type: 'turn_context_changed', settings: this.#settings });
      case 'approval':
      case 'user_input_answer':
      case 'elicitation_answer': {
        for (const warning of await this.#requests.answer(op, id)) this.#warn(id, warning);
        return;
      }
      case 'remember': {
        const { memory } = this.#requests;
        memory.replace(op.keys, op.rules);
        await this.#keep(id, { type: 'memory_changed', keys: [...memory.keys], rules: [...memory.rules] });
        return this.#requests.reconsider();
      }
      case 'dynamic_tool_response':
        if (!this.#tools.clientCalls.respond(op.callId, op))
          this.#warn(id, `No call ${op.callId} waits for a result of the client.`);
        return;
      case 'register_tools':
        return this.#registerTools(id, op.tools);
      case 'retry':
        await this.#stopping();
        if (this.#retryPause.end()) return;
        if (this.#turn) return this.#warn(id, 'A turn is running.');
        if (this.#conversation.isAnswered) return this.#warn(id, 'There is nothing to try again: this was answered.');
        return this.#startTurn(id, null);
      case 'purge_output':
        return this.#purge(id, op.itemId);
      case 'set_title':
        return this.#keep(id, { type: 'title_changed', title: op.title });
      case 'process_input':
        return this.#type(id, op);
      case 'process_resize':
        // No warning: the process may have ended just before.
        return this.#processes.running(op.processId)?.resize(op.columns, op.rows);
      case 'kill_process': {
        const process = this.#processes.running(op.processId);
        // Not awaited: later submissions must not wait for a process that ends slowly.
        if (process) void process.kill('user');
        else this.#warn(id, `There is no process ${op.processId} that runs.`);
        return;
      }
      case 'compact':
        await this.#stopping();
        return this.#compact(id, op);
      case 'undo_compaction':
        return this.#undoCompaction(id, op.itemId);
      case 'undo':
      case 'redo':
      case 'rollback':
        return this.#revert(id, op);
      case 'shutdown':
        return this.#shutdown(id);
      default:
        return assertNever(op);
    }
  }

  async #changeQueued(submissionId: string, op: OpOf<'hold_queued' | 'edit_queued'>): Promise<void> {
    if (!this.#queue.has(op.id)) return this.#warn(submissionId, `The message ${op.id} is not queued any more.`);
    if (op.type === 'hold_queued') {
      if (op.held || this.#turn) this.#queue.hold(submissionId, op.id, op.held);
      else this.#queue.remove(submissionId, op.id, 'dropped');
      return;
    }
    if (op.input === null) return this.#queue.remove(submissionId, op.id, 'withdrawn');
    if (this.#turn?.abort.signal.aborted === false) return this.#queue.edit(submissionId, op.id, op.input);
    // The end of a turn that is stopping drops what is not held.
    this.#queue.hold(submissionId, op.id, true);
    await this.#stopping();
    this.#queue.remove(submissionId, op.id, 'joined');
    await this.#startTurn(submissionId, op.input);
  }

  /** Waits for a turn that is being aborted, so that a client can submit `interrupt` and a message at once. */
  async #stopping(): Promise<void> {
    if (this.#turn?.abort.signal.aborted) await this.#lastTurn;
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
    this.#tools.turnStarts();
    const context = await this.#takeContext(this.#conversation.context, settings);
    // The session may have been suspended meanwhile.
    if (!isOpen(this.#state)) return;
    this.#launch(ports.ids.next('turn'), submissionId, settings, { type: 'begun', context, input }, outputSchema);
  }

  async #takeContext(context: ContextUpdates, settings: TurnSettings): Promise<readonly ResponseItem[]> {
    const { ports, host, settings: thread } = this.#options;
    const isTrusted = host.isTrusted();
    return context.take(settings, {
      ports,
      ...thread.prompt,
      thread: { id: this.threadId, home: ports.storage.home },
      isSubAgent: this.parentId !== null,
      projectDocMaxBytes: isTrusted ? thread.limits.projectDocMaxBytes : 0,
      allowedPrefixes: isTrusted ? await this.#rules.allowedIn(settings.cwd) : [],
      memories: async () => (isTrusted && thread.tools.memory ? listMemories(settings.cwd, this.threadId, ports) : []),
      toolInstructions: this.#tools.instructions(),
    });
  }

  #compact(submissionId: string, { continueTurn }: OpOf<'compact'>): void {
    if (this.#turn)
      return this.#warn(submissionId, 'A turn is running: the thread can be compacted when it has ended.');
    if (!isWorthASummary(this.#history.items)) return this.#warn(submissionId, 'There is nothing to compact yet.');
    const goesOn = continueTurn === true && !this.#conversation.isAnswered;
    const opening: TurnOpening = goesOn
      ? { type: 'begun', context: [], input: null, compacts: true }
      : { type: 'compaction' };
    this.#sink.record({ type: 'turn_context', payload: this.#settings });
    this.#tools.turnStarts();
    this.#launch(this.#options.ports.ids.next('turn'), submissionId, this.#settings, opening, undefined);
  }

  #replaceHistory({ itemId, summary, items }: CompactedItems, signal: AbortSignal): void {
    const payload = { message: summary, item_id: itemId, replacement_history: [...items] };
    this.#sink.record({ type: 'compacted', payload });
    if (signal.aborted) return;
    this.#conversation.compact(itemId, items);
    this.#hooks.start ??= 'compact';
  }

  async #undoCompaction(submissionId: string, itemId: string): Promise<void> {
    if (this.#turn) return this.#warn(submissionId, 'A turn is running: a compaction can be undone when it has ended.');
    await this.open();
    const refusal = this.#conversation.undoCompaction(itemId);
    if (refusal !== undefined) return this.#warn(submissionId, refusal);
    this.#emit(submissionId, { type: 'compaction_undone', itemId });
    this.#compaction.undone();
    this.#countAgain(submissionId);
  }

  /** Estimates the next request, after the history was replaced by another. */
  #countAgain(submissionId: string): void {
    const { family } = this.#models.connect(this.#settings);
    const { instructions } = this.#options.meta;
    const prompt = {
      instructions,
      tools: this.#tools.registryFor(family, this.#settings).specs,
      input: this.#history.items,
    };
    const count = this.#tokens.foresee(prompt, family.contextWindow);
    this.#emit(submissionId, { type: 'token_count', ...count, ...this.#compaction.told(family.contextWindow) });
  }

  #launch(
    turnId: string,
    submissionId: string | null,
    settings: TurnSettings,
    opening: TurnOpening,
    outputSchema: OpOf<'user_turn'>['outputSchema'],
  ): void {
    const { ports } = this.#options;
    ports.exec.prepare?.();
    const connected = this.#models.connect(settings);
    const { client, family, prices, maxAttempts } = connected;
    const abort = new AbortController();
    const emit = (msg: EventMsg, by = submissionId) => {
      // A listener may submit the next turn as soon as it receives the end of this one.
      if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') this.#state = withoutTurn(this.#state);
      this.#conversation.note(turnId, msg);
      this.#sink.emit(turnId, by, msg);
    };
    const agent = askingAgent(this.#options.meta);
    const ready = () => this.open().catch((error: unknown) => abort.abort(new StorageFailure(error)));
    if (this.#options.parent === undefined) {
      this.#caps.turn.begin(opening.type === 'recovered' ? this.#options.replayed?.spentInTurn : undefined);
    }
    this.#state = { type: 'running', turn: { turnId, abort } };
    const audit = auditTrail({ threadId: this.threadId, agentId: this.#agentId, turnId }, ports, (failure) =>
      abort.abort(failure),
    );
    this.#work.begin();
    this.#lastTurn = runTurn(
      {
        turnId,
        threadId: this.threadId,
        settings,
        family,
        prices,
        maxAttempts: maxAttempts ?? this.#options.settings.limits.maxAttempts,
        notes: this.#notes.take(settings, this.#options.settings.prompt.verbosity, connected),
        instructions: this.#options.meta.instructions,
        outputSchema,
        thread: this.#options.settings,
        client,
        origin: connected.origin,
        toolsReady: (servers) => this.#tools.ready(abort.signal, servers),
        tools: () => this.#tools.registryFor(family, settings),
        toolInstructions: () => this.#conversation.context.takeToolInstructions(this.#tools.instructions()),
        approver: { ask: (question, signal) => this.#requests.approve(question, { emit, signal, agent }) },
        inquire: (body, signal, callId) => this.#requests.inquire(body, { emit, signal, agent }, callId),
        noteUse: (rules) => this.#options.rules.noteUse(rules),
        audit,
        history: this.#history,
        processes: this.#processes,
        changes: (onChanges) => this.#changes.forTurn({ turnId, settings, signal: abort.signal, onChanges }),
        tokens: this.#tokens,
        caps: this.#caps,
        compaction: {
          trigger: this.#compaction,
          prompt: this.#options.settings.prompt.compaction,
          initialContext: () => this.#takeContext(new ContextUpdates([]), settings),
          replace: (compacted) => this.#replaceHistory(compacted, abort.signal),
        },
        hooks: new TurnHooks(this.#options, this.#hooks, { turnId, settings, emit, audit, signal: abort.signal }),
        images: this.#images,
        retryPause: this.#retryPause,
        ports,
        signal: abort.signal,
        emit,
        pace: () => this.#options.host.pace?.(),
        ready,
        remember: (item) => this.#remember(item),
        flush: () => this.#recorder.sync(),
        takeNotices: () => this.agentNotices.take(),
        hasQueued: () => this.#queue.isReady,
        takeQueued: () => this.#queue.take('joined', submissionId).map((queued) => queued.input),
        interrupt: () => abort.abort(new Error('Interrupted.')),
      },
      opening,
    ).then((outcome) => this.#turnEnded(outcome));
  }

  /**
   * Inputs that were queued too late for a completed turn start the next one. Those of any other turn go back to the
   * user.
   */
  async #turnEnded(outcome: 'completed' | 'interrupted' | 'failed'): Promise<void> {
    this.#compaction.turnEnded();
    const goesOn = outcome === 'completed' && isOpen(this.#state);
    for (const { id, input } of this.#queue.take(goesOn ? 'joined' : 'dropped')) {
      if (goesOn) this.submit({ id, op: { type: 'steer', input: [...input] } });
    }
    await this.#options.rules.flush();
    await this.#caps.flush();
    await this.#recorder
      .sync()
      .catch((error: unknown) => this.#options.ports.log.error('The rollout was not synced', error));
    this.#work.end();
  }

  get #agentId(): string | null {
    return this.#options.meta.originator === 'sub_agent' ? this.threadId : null;
  }

  /**
   * Claims the thread and opens its rollout for writing. @throws Error when another process owns it or it cannot be
   * written
   */
  async open(): Promise<void> {
    await this.#options.ownership.claim();
    await this.#recorder.open();
  }

  /** Emits a change of the thread. It is written at once where the thread has a rollout, also when no turn follows. */
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
    if (this.#turn) return this.#warn(submissionId, 'A turn is running: stop it before you undo or redo.');
    if (op.type === 'rollback') return this.#rollback(submissionId, op);
    const reverts = this.#reverts;
    this.#tellReverted(submissionId, await (op.type === 'redo' ? reverts.redo(op) : reverts.undo([op.turnId], op)));
  }

  /** Files first: where they cannot be restored the conversation stays, too. */
  async #rollback(submissionId: string, op: OpOf<'rollback'>): Promise<void> {
    const { toItemId, files, conversation } = op;
    const gone = this.#conversation.from(toItemId);
    if (gone === undefined) return this.#warn(submissionId, `No turn begins with the message ${toItemId}.`);
    if (conversation && gone.history === null) return this.#warn(submissionId, COMPACTED_SINCE);
    const { turnIds, history } = gone;
    if (files || op.preview) {
      const outcome = await this.#reverts.undo(turnIds, op);
      this.#tellReverted(submissionId, outcome);
      if (op.preview || outcome.type === 'failed') return;
    }
    if (conversation && history !== null) this.#conversation.goBack(turnIds, history);
    const msg = { type: 'turns_rolled_back' as const, toItemId, turnIds: [...turnIds], files, conversation };
    await this.#keep(submissionId, msg);
    if (conversation) this.#countAgain(submissionId);
  }

  #tellReverted(submissionId: string, { msgs }: RevertOutcome): void {
    for (const msg of msgs) this.#emit(submissionId, msg);
  }

  /** The rollout comes first: a resumed thread must not bring the output back. */
  async #purge(submissionId: string, itemId: string): Promise<void> {
    if (this.#turn) return this.#warn(submissionId, 'A turn is running: an output can be removed when it has ended.');
    const callIds = await this.#removeOutput(itemId);
    if (callIds === undefined) return this.#warn(submissionId, `There is no command ${itemId} in this thread.`);
    this.#conversation.removeOutputs(callIds);
    this.#emit(submissionId, { type: 'output_purged', itemId });
  }

  async #removeOutput(itemId: string): Promise<ReadonlySet<string> | undefined> {
    if (this.#state.type === 'new' && this.#options.replayed === null) return undefined;
    await this.open();
    return removeOutput(itemId, { recorder: this.#recorder, storage: this.#options.ports.storage });
  }

  #registerTools(submissionId: string, tools: readonly DynamicToolSpec[]): void {
    if (this.#state.type !== 'new')
      return this.#warn(submissionId, 'Tools can only be registered before the first turn.');
    this.#tools.register(tools);
  }

  #overridden(overrides: TurnOverrides): TurnSettings {
    return overridden(this.#settings, overrides, { models: this.#models, host: this.#options.host });
  }

  async #shutdown(submissionId: string): Promise<void> {
    this.#close('Shut down.');
    await this.#lastTurn;
    this.#queue.dropHeld();
    await this.#processes.endAll();
    await this.#changes.settled();
    this.#emit(submissionId, { type: 'thread_closed' });
    this.#submissions.close();
    await this.#recorder.close();
    await this.#options.ownership.release();
    this.#state = { type: 'closed' };
  }

  /** Emits outside of turns. */
  #emit(submissionId: string | null, msg: EventMsg): void {
    this.#sink.emit(null, submissionId, msg);
  }

  #warn(submissionId: string, message: string): void {
    this.#emit(submissionId, { type: 'warning', message });
  }
}

const COMPACTED_SINCE =
  'The thread was compacted since this message, or a compaction was undone: it cannot go back there.';
