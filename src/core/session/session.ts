import type { Event, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { AgentSummary, ThreadState } from '../../protocol/thread.ts';
import type { DynamicToolSpec, OpOf, Submission, TurnOverrides } from '../../protocol/op.ts';
import type { History } from '../history/history.ts';
import { shownState } from '../rollout/replay.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import { assertNever } from '../util/assertNever.ts';
import { AsyncQueue } from '../util/asyncQueue.ts';
import type { Disposable } from '../util/disposable.ts';
import type { Listener } from '../util/emitter.ts';
import type { AgentNotices } from './agentNotices.ts';
import { isWorthASummary } from './compaction.ts';
import { describeFailure, type RefusedSettings, type StorageFailure } from './failure.ts';
import { NotificationHooks } from './notificationHooks.ts';
import { OpenWork } from './openWork.ts';
import { handleProcessOp } from './processOps.ts';
import { cutOffCommands, endLeftovers, recoverCalls } from './recovery.ts';
import { depthOf, type ParentLink, type SessionOptions } from './sessionOptions.ts';
import { createSessionParts, type SessionParts, stateBefore } from './sessionParts.ts';
import { isOpen, type RunningTurn, type SessionState, turnIn, withoutTurn } from './sessionState.ts';
import { ThreadEdits } from './threadEdits.ts';
import { threadStarted } from './threadStarted.ts';
import { runTurn, type TurnOpening } from './turn.ts';
import type { TurnRun } from './turnRun.ts';
import { readAhead, type StartingTurn, takeContext, turnRunOf } from './turnRunOf.ts';
import { messageOp, overridden, refusalOf } from './turnSettings.ts';
import { endUnprepared } from './unpreparedTurn.ts';
import { UnshownMessages } from './unshownMessages.ts';

/** A turn to start. */
interface Launch {
  readonly turnId: string;
  readonly submissionId: string | null;
  readonly settings: TurnSettings;
  readonly opening: TurnOpening;
  readonly outputSchema?: OpOf<'user_turn'>['outputSchema'];
  readonly refusal?: RefusedSettings | undefined;
}

/**
 * A live thread: submissions go in, events come out, and at most one turn runs (codex-behaviour.md §3.1). Submissions
 * are handled in order, also while a turn runs: clients steer, answer and interrupt it by them.
 */
export class Session {
  readonly threadId: string;
  /** The thread before this process. The events of this session are folded onto it. */
  readonly initialState: ThreadState;
  readonly #options: SessionOptions;
  readonly #parts: SessionParts;
  readonly #edits: ThreadEdits;
  /** Submissions in order. `null` starts a turn with the queued messages. */
  readonly #submissions = new AsyncQueue<Submission | null>();
  /**
   * The number of submitted interrupts that are not handled yet. While there are any, no queued message starts a turn.
   */
  #interrupts = 0;
  readonly #loop: Promise<void>;
  #settings: TurnSettings;
  #state: SessionState = { type: 'new' };
  /** Settles when the last turn has ended, its queued inputs are dealt with and its rollout is synced. */
  #lastTurn: Promise<void> = Promise.resolve();
  /** Submissions until they are handled, and turns until `#lastTurn` settles. */
  readonly #work = new OpenWork();
  /** Settles when `prepare` has ended, if it was called. */
  #preparing: Promise<unknown> = Promise.resolve();
  readonly #rulesChanged: Disposable;
  readonly #notifications: NotificationHooks;
  #toolSources: Disposable | undefined;
  readonly #unshown = new UnshownMessages();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.threadId = options.meta.id;
    this.initialState = stateBefore(options);
    this.#settings = options.settings.turn;
    const settings = () => this.#settings;
    this.#parts = createSessionParts(options, {
      settings,
      storageFailed: (failure) => this.#storageFailed(failure),
    });
    this.#edits = new ThreadEdits(this.#parts, settings);
    this.#notifications = new NotificationHooks(options, {
      memory: this.#parts.hooks,
      settings,
      emit: (msg) => this.#emit(null, msg),
    });
    this.#parts.sink.onEvent((event) => this.#notifications.take(event));
    this.#rulesChanged = options.rules.onChange(() => void this.#parts.requests.reconsider());
    this.#loop = this.#takeSubmissions();
  }

  /** `initialState` as the user sees it: with a warning about lines that could not be read. */
  get shownState(): ThreadState {
    const { replayed } = this.#options;
    return replayed ? shownState(replayed) : this.initialState;
  }

  /** The thread that started this sub-agent; `null` for a root thread. */
  get parentId(): string | null {
    return this.#options.meta.parent_id ?? null;
  }

  /** A sub-agent that was started to change no file. */
  get isReadOnlyAgent(): boolean {
    return this.#options.meta.agent?.read_only === true;
  }

  /** Notices about its sub-agents, for the model. */
  get agentNotices(): AgentNotices {
    return this.#parts.agentNotices;
  }

  /** The parent of a sub-agent of this session. */
  get asParent(): ParentLink {
    return {
      threadId: this.threadId,
      rootId: this.#options.parent?.rootId ?? this.threadId,
      depth: depthOf(this.#options),
      requests: this.#parts.requests,
      words: this.#parts.words,
      turnSpending: this.#parts.caps.turn,
      history: () => this.#history.items,
    };
  }

  /** Emits the status of one of its sub-agents. */
  tellAgent(agent: AgentSummary): void {
    this.#parts.agentNotices.note(agent);
    this.#emit(null, { type: 'agent_status', ...agent });
  }

  /** Records that a turn of this thread has started a turn of a sub-agent that may change files. */
  noteAgentTurn(link: Parameters<SessionParts['changes']['noteAgentTurn']>[0]): void {
    this.#parts.changes.noteAgentTurn(link);
  }

  /** Resolves when the changes of ended commands are recorded, or after a few seconds. Never rejects. */
  changesSettled(): Promise<void> {
    return this.#parts.changes.settled();
  }

  /** Emits a change of the thread that was made outside of it. @throws Error when it cannot be written */
  emitOutsideTurns(msg: EventMsg): Promise<void> {
    return this.#parts.keep(null, msg);
  }

  onEvent(listener: Listener<Event>): Disposable {
    return this.#parts.sink.onEvent(listener);
  }

  /**
   * Does what the first turn would wait for while the user still writes its message: claims the thread, and reads the
   * instructions of the project. Emits and writes nothing. Call before `start`, once. Never rejects: the turn meets what
   * fails here, too.
   */
  async prepare(): Promise<void> {
    this.#preparing = Promise.allSettled([this.#options.ownership.attempt(), readAhead(this.#parts, this.#settings)]);
    await this.#preparing;
  }

  /**
   * Emits `thread_started`, and recovers the state that an earlier process left. Call once, before the first
   * submission.
   */
  start(): void {
    const { meta, replayed, ports } = this.#options;
    if (replayed === null) this.#parts.sink.record({ type: 'session_meta', payload: meta });
    this.#emit(null, threadStarted(this.#options, this.#settings));
    this.#toolSources = this.#parts.tools.watch((status) => this.#emit(null, status));
    this.#parts.rules
      .inForce(this.#settings.cwd)
      .catch((error: unknown) => ports.log.error('The rules cannot be read', error));
    for (const payload of this.#options.inherited ?? []) this.#parts.sink.record({ type: 'response_item', payload });
    if (replayed === null) return;
    endLeftovers(replayed.state, (msg) => this.#emit(null, msg));
    this.#parts.changes.recover(cutOffCommands(replayed.state));
    const { activeTurnId, agents } = replayed.state;
    this.#parts.agentNotices.recover(agents, this.#history.everything);
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
    const emit = (msg: EventMsg) => this.#parts.sink.emit(turnId, null, msg);
    const calls = recoverCalls(turnId, state, this.#history.owed, emit);
    if (calls.length > 0) {
      const settings = state.turns.at(-1)?.settings ?? this.#settings;
      this.#parts.tools.turnStarts();
      this.#launch({ turnId, submissionId: null, settings, opening: { type: 'recovered', calls } });
    } else {
      this.#parts.remember(turnAbortedMessage('crashed'));
      emit({ type: 'turn_aborted', reason: 'crashed' });
    }
  }

  /** Appends to the queue. Every event that it causes carries its id. Ignored when the session is closing or closed. */
  submit(submission: Submission): void {
    if (!isOpen(this.#state)) return;
    if (submission.op.type === 'interrupt') this.#interrupts++;
    this.#enqueue(submission);
  }

  #enqueue(submission: Submission | null): void {
    this.#work.begin();
    this.#submissions.push(submission);
  }

  /** The client submits no more: denies pending and later requests; running work continues to its end. */
  endOfInput(): void {
    this.#parts.requests.becomeNonInteractive();
    this.#parts.queue.dropHeld();
    this.#parts.tools.clientCalls.failAll('The client is gone and cannot run this tool.');
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

  /** A turn runs that is not being stopped. */
  get isWorking(): boolean {
    return this.#turn !== undefined && !this.#turn.abort.signal.aborted && this.#interrupts === 0;
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
    const { log } = this.#options.ports;
    if (!isOpen(this.#state)) {
      await this.#loop;
      return this.#stopListening();
    }
    const keepsMessages = this.#unshown.showAsUnsent(this.#parts.sink, this.#options.ports);
    this.#parts.sink.freeze();
    this.#close('Suspended.');
    await this.#lastTurn;
    if (keepsMessages) await this.#parts.open().catch((error: unknown) => log.error('A message was not kept', error));
    await this.#parts.processes.endAll();
    await this.#parts.changes.settled();
    this.#submissions.close();
    await this.#loop;
    await this.#parts.recorder.close();
    await this.#preparing;
    await this.#options.ownership.release();
    this.#state = { type: 'closed' };
    this.#stopListening();
  }

  #stopListening(): void {
    this.#notifications.dispose();
    this.#toolSources?.dispose();
    this.#rulesChanged.dispose();
    this.#parts.sink.dispose();
  }

  #close(reason: string): void {
    this.#state = { type: 'closing', turn: this.#turn };
    this.#turn?.abort.abort(new Error(reason));
  }

  async #takeSubmissions(): Promise<void> {
    for await (const submission of this.#submissions) {
      try {
        // Ignores submissions behind a shutdown.
        if (isOpen(this.#state)) await (submission ? this.#handle(submission) : this.#startQueued());
      } catch (error) {
        this.#options.ports.log.error(`${submission?.op.type ?? 'A queued message'} failed`, error);
        this.#emit(submission?.id ?? null, { type: 'error', ...describeFailure(error) });
      }
      this.#work.end();
    }
  }

  get #history(): History {
    return this.#parts.conversation.history;
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
        return this.#turn ? this.#parts.queue.add(id, op.input) : this.#startLate(id, op.input);
      case 'hold_queued':
      case 'edit_queued':
        return this.#changeQueued(id, op);
      case 'interrupt':
        this.#interrupts--;
        if (this.#turn) this.#turn.abort.abort(new Error('Interrupted.'));
        else this.#parts.queue.take('dropped');
        return;
      case 'override_turn_context': {
        const refusal = await this.#refusalOf(op);
        if (refusal) return this.#emit(id, { type: 'error', ...describeFailure(refusal) });
        this.#settings = this.#overridden(op);
        return this.#parts.keep(id, { type: 'turn_context_changed', settings: this.#settings });
      }
      case 'approval':
      case 'user_input_answer':
      case 'elicitation_answer': {
        for (const warning of await this.#parts.requests.answer(op, id)) this.#warn(id, warning);
        return;
      }
      case 'remember': {
        const { memory } = this.#parts.requests;
        memory.replace(op.keys, op.rules);
        await this.#parts.keep(id, { type: 'memory_changed', keys: [...memory.keys], rules: [...memory.rules] });
        return this.#parts.requests.reconsider();
      }
      case 'dynamic_tool_response':
        if (!this.#parts.tools.clientCalls.respond(op.callId, op))
          this.#warn(id, `No call ${op.callId} waits for a result of the client.`);
        return;
      case 'register_tools':
        return this.#registerTools(id, op.tools);
      case 'retry':
        await this.#stopping();
        if (this.#parts.retryPause.end()) return;
        if (this.#turn) return this.#warn(id, 'A turn is running.');
        if (this.#parts.conversation.isAnswered)
          return this.#warn(id, 'There is nothing to try again: this was answered.');
        return this.#startTurn(id, null);
      case 'purge_output':
        if (this.#turn) return this.#warn(id, 'A turn is running: an output can be removed when it has ended.');
        return this.#edits.purgeOutput(id, op.itemId, this.#state.type !== 'new' || this.#options.replayed !== null);
      case 'set_title':
        return this.#parts.keep(id, { type: 'title_changed', title: op.title });
      case 'process_input':
      case 'process_resize':
      case 'kill_process': {
        const problem = handleProcessOp(op, this.#parts.processes);
        if (problem !== undefined) this.#warn(id, problem);
        return;
      }
      case 'compact':
        await this.#stopping();
        return this.#compact(id, op);
      case 'review':
        await this.#stopping();
        return this.#review(id, op);
      case 'mark_finding':
        return this.#edits.markFinding(id, op);
      case 'undo_compaction':
        if (this.#turn) return this.#warn(id, 'A turn is running: a compaction can be undone when it has ended.');
        return this.#edits.undoCompaction(id, op.itemId);
      case 'undo':
      case 'redo':
      case 'rollback':
        await this.#stopping();
        if (this.#turn) return this.#warn(id, 'A turn is running: stop it before you undo or redo.');
        return this.#edits.revert(id, op);
      case 'shutdown':
        return this.#shutdown(id);
      default:
        return assertNever(op);
    }
  }

  async #changeQueued(submissionId: string, op: OpOf<'hold_queued' | 'edit_queued'>): Promise<void> {
    if (!this.#parts.queue.has(op.id)) return this.#warn(submissionId, `The message ${op.id} is not queued any more.`);
    if (op.type === 'hold_queued') {
      if (op.held || this.#turn) this.#parts.queue.setHeld(submissionId, op.id, op.held);
      else this.#parts.queue.remove(submissionId, op.id, 'dropped');
      return;
    }
    if (op.input === null) return this.#parts.queue.remove(submissionId, op.id, 'withdrawn');
    if (this.#turn?.abort.signal.aborted === false) return this.#parts.queue.edit(submissionId, op.id, op.input);
    // The end of a turn that is stopping drops messages that are not held.
    this.#parts.queue.setHeld(submissionId, op.id, true);
    await this.#stopping();
    this.#parts.queue.remove(submissionId, op.id, 'joined');
    await this.#startTurn(submissionId, op.input);
  }

  /** Waits for a turn that is being aborted, so that a client can submit `interrupt` and a message at once. */
  async #stopping(): Promise<void> {
    if (this.#turn?.abort.signal.aborted) await this.#lastTurn;
  }

  /** Starts a turn with the oldest queued message; the others stay queued for it. */
  async #startQueued(): Promise<void> {
    const { queue } = this.#parts;
    while (!this.#turn && this.#interrupts === 0) {
      const oldest = queue.takeOldest('joined', null);
      if (oldest === undefined) return;
      await this.#startLate(oldest.id, oldest.input);
    }
  }

  /**
   * Starts a turn with a message that was sent for a turn that has ended since. If the user interrupts before the new
   * turn begins, the message is returned to the user, and no turn starts.
   */
  async #startLate(id: string, input: readonly UserInput[]): Promise<void> {
    const begins = () => {
      if (this.#interrupts === 0) return true;
      this.#parts.queue.giveBack(id, input);
      return false;
    };
    if (begins()) await this.#startTurn(id, input, undefined, undefined, begins);
  }

  /** `begins`: called when nothing is left to wait for; returns false if the turn must not start. */
  async #startTurn(
    submissionId: string,
    input: readonly UserInput[] | null,
    overrides?: TurnOverrides,
    outputSchema?: OpOf<'user_turn'>['outputSchema'],
    begins?: () => boolean,
  ): Promise<void> {
    const { host, ports } = this.#options;
    if (host.tooLate && input && this.#state.type === 'idle')
      return host.tooLate(messageOp(input, overrides, outputSchema));
    const inputs = [...this.#parts.conversation.unsent, ...(input === null ? [] : [input])];
    this.#unshown.begin({ submissionId, settings: this.#settings, inputs });
    const refusal = overrides && (await this.#refusalOf(overrides));
    if (!isOpen(this.#state)) return;
    const settings = overrides && !refusal ? this.#overridden(overrides) : this.#settings;
    this.#unshown.useSettings(settings);
    this.#parts.sink.record({ type: 'turn_context', payload: settings });
    this.#parts.tools.turnStarts();
    const context = takeContext(this.#parts, this.#parts.conversation.context, settings);
    await context.catch(() => {});
    // The session may have been suspended meanwhile.
    if (!isOpen(this.#state)) return;
    if (begins?.() === false) {
      this.#unshown.clear();
      return this.#parts.conversation.context.reset(this.#history.items);
    }
    const turnId = ports.ids.next('turn');
    this.#unshown.useTurn(turnId);
    const opening: TurnOpening = { type: 'begun', context, inputs };
    this.#launch({ turnId, submissionId, settings, opening, outputSchema, refusal });
  }

  #review(submissionId: string, order: OpOf<'review'>): void {
    const { agents } = this.#options;
    if (this.#turn) return this.#warn(submissionId, 'A turn is running: changes can be reviewed when it has ended.');
    if (agents === undefined || this.parentId !== null)
      return this.#warn(
        submissionId,
        'A review starts an agent, and an agent cannot start others: review in a thread.',
      );
    this.#launchNow(submissionId, { type: 'review', order, agents });
  }

  #compact(submissionId: string, { continueTurn }: OpOf<'compact'>): void {
    if (this.#turn)
      return this.#warn(submissionId, 'A turn is running: the thread can be compacted when it has ended.');
    if (!isWorthASummary(this.#history.items)) return this.#warn(submissionId, 'There is nothing to compact yet.');
    const { conversation } = this.#parts;
    const goesOn = continueTurn === true && !conversation.isAnswered;
    const opening: TurnOpening = goesOn
      ? { type: 'begun', context: Promise.resolve([]), inputs: conversation.unsent, compacts: true }
      : { type: 'compaction' };
    this.#launchNow(submissionId, opening);
  }

  /** Starts a turn under the present settings that needs no context. */
  #launchNow(submissionId: string, opening: TurnOpening): void {
    this.#parts.sink.record({ type: 'turn_context', payload: this.#settings });
    this.#parts.tools.turnStarts();
    const turnId = this.#options.ports.ids.next('turn');
    this.#launch({ turnId, submissionId, settings: this.#settings, opening });
  }

  /** Starts a turn. With a `refusal` it ends at once, with that error. */
  #launch({ turnId, submissionId, settings, opening, outputSchema, refusal }: Launch): void {
    const abort = new AbortController();
    const emit = (msg: EventMsg, by = submissionId) => {
      // A listener may submit the next turn as soon as it receives the end of this one.
      if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') this.#state = withoutTurn(this.#state);
      if (msg.type === 'item_started' && msg.item.type === 'user_message') this.#unshown.shown(turnId);
      this.#parts.conversation.note(turnId, msg);
      this.#parts.findings.note(msg);
      this.#parts.sink.emit(turnId, by, msg);
    };
    const turn = { turnId, submissionId, settings, outputSchema, abort, emit };
    if (this.#options.parent === undefined) {
      this.#parts.caps.turn.begin(opening.type === 'recovered' ? this.#options.replayed?.spentInTurn : undefined);
    }
    this.#state = { type: 'running', turn: { turnId, abort } };
    this.#work.begin();
    this.#lastTurn = this.#run(turn, opening, refusal).then((outcome) => this.#turnEnded(outcome, abort.signal));
  }

  /** Never rejects. */
  #run(turn: StartingTurn, opening: TurnOpening, refusal?: RefusedSettings): ReturnType<typeof runTurn> {
    let run: TurnRun;
    try {
      if (refusal) throw refusal;
      this.#options.ports.exec.prepare?.();
      run = turnRunOf(turn, this.#parts);
    } catch (error) {
      return endUnprepared(error, opening, turn, this.#parts);
    }
    return runTurn(run, opening);
  }

  /**
   * Queued messages that a completed turn did not take start the next one. After any other end they go back to the
   * user; so they do if the turn was stopped at the moment in which it completed.
   */
  async #turnEnded(outcome: 'completed' | 'interrupted' | 'failed', signal: AbortSignal): Promise<void> {
    const { rules, ports } = this.#options;
    const { queue } = this.#parts;
    this.#parts.compaction.turnEnded();
    if (outcome !== 'completed' || signal.aborted || !isOpen(this.#state)) queue.take('dropped');
    else if (queue.isReady) this.#enqueue(null);
    for (const write of [() => rules.flush(), () => this.#parts.caps.flush(), () => this.#parts.recorder.sync()]) {
      // Each is tried, because a client that waits until the session is idle waits for all of them.
      await write().catch((error: unknown) => ports.log.error('The end of a turn was not written completely', error));
    }
    this.#work.end();
  }

  /**
   * Claims the thread and opens its rollout for writing. @throws Error when another process owns it or it cannot be
   * written
   */
  open(): Promise<void> {
    return this.#parts.open();
  }

  #registerTools(submissionId: string, tools: readonly DynamicToolSpec[]): void {
    if (this.#state.type !== 'new')
      return this.#warn(submissionId, 'Tools can only be registered before the first turn.');
    this.#parts.tools.register(tools);
  }

  #refusalOf(overrides: TurnOverrides): Promise<RefusedSettings | undefined> {
    return refusalOf(this.#settings, overrides, this.#options.ports.workspace);
  }

  #overridden(overrides: TurnOverrides): TurnSettings {
    return overridden(this.#settings, overrides, { models: this.#parts.models, host: this.#options.host });
  }

  async #shutdown(submissionId: string): Promise<void> {
    this.#close('Shut down.');
    await this.#lastTurn;
    this.#parts.queue.dropHeld();
    this.#parts.queue.take('dropped');
    await this.#parts.processes.endAll();
    await this.#parts.changes.settled();
    this.#emit(submissionId, { type: 'thread_closed' });
    this.#submissions.close();
    await this.#parts.recorder.close();
    await this.#preparing;
    await this.#options.ownership.release();
    this.#state = { type: 'closed' };
  }

  /** Emits outside of turns. */
  #emit(submissionId: string | null, msg: EventMsg): void {
    this.#parts.emit(submissionId, msg);
  }

  #warn(submissionId: string, message: string): void {
    this.#emit(submissionId, { type: 'warning', message });
  }
}
