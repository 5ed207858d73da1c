import type { Event, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { AgentSummary, ThreadState } from '../../protocol/thread.ts';
import type { DynamicToolSpec, Op, OpOf, Submission, TurnOverrides } from '../../protocol/op.ts';
import { shownState } from '../rollout/replay.ts';
import { assertNever } from '../util/assertNever.ts';
import { AsyncQueue } from '../util/asyncQueue.ts';
import type { Disposable } from '../util/disposable.ts';
import type { Listener } from '../util/emitter.ts';
import type { AgentNotices } from './agentNotices.ts';
import { isWorthASummary } from './compaction.ts';
import { describeFailure, type StorageFailure } from './failure.ts';
import { NotificationHooks } from './notificationHooks.ts';
import { OpenWork } from './openWork.ts';
import { handleProcessOp } from './processOps.ts';
import { cutOffCommands, endLeftovers } from './recovery.ts';
import { depthOf, type ParentLink, type SessionOptions } from './sessionOptions.ts';
import { createSessionParts, type SessionParts, stateBefore } from './sessionParts.ts';
import { SessionTurns } from './sessionTurns.ts';
import { ThreadEdits } from './threadEdits.ts';
import { threadStarted } from './threadStarted.ts';
import { readAhead } from './turnRunOf.ts';
import { overridden, refusalOf } from './turnSettings.ts';

/** Ops that are refused while a turn runs, with the reason. They wait for the end of a turn that is being stopped. */
const NEEDS_END_OF_TURN: { readonly [Type in Op['type']]?: string } = {
  user_turn: 'A turn is running: steer it, or interrupt it first.',
  compact: 'A turn is running: the thread can be compacted when it has ended.',
  review: 'A turn is running: changes can be reviewed when it has ended.',
  purge_output: 'A turn is running: an output can be removed when it has ended.',
  undo_compaction: 'A turn is running: a compaction can be undone when it has ended.',
  undo: 'A turn is running: stop it before you undo or redo.',
  redo: 'A turn is running: stop it before you undo or redo.',
  rollback: 'A turn is running: stop it before you undo or redo.',
};

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
  readonly #turns: SessionTurns;
  /** Submissions until they are handled, and turns until their end is dealt with. */
  readonly #work = new OpenWork();
  /** Settles when `prepare` has ended, if it was called. */
  #preparing: Promise<unknown> = Promise.resolve();
  readonly #rulesChanged: Disposable;
  readonly #notifications: NotificationHooks;
  #toolSources: Disposable | undefined;

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
    this.#turns = new SessionTurns(this.#parts, {
      settings,
      work: this.#work,
      onQueueLeft: () => this.#enqueue(null),
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
      history: () => this.#parts.conversation.history.items,
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
    this.#parts.agentNotices.recover(agents, this.#parts.conversation.history.everything);
    if (activeTurnId !== null) this.#turns.recover(activeTurnId, replayed.state);
  }

  /**
   * Claims the thread and opens its rollout for writing. @throws Error when another process owns it or it cannot be
   * written
   */
  open(): Promise<void> {
    return this.#parts.open();
  }

  /** Nothing may run unrecorded: stops the turn, or emits an error when none runs. */
  #storageFailed(failure: StorageFailure): void {
    if (!this.#turns.stop(failure)) this.#emit(null, { type: 'error', ...describeFailure(failure) });
  }

  /** Appends to the queue. Every event that it causes carries its id. Ignored when the session is closing or closed. */
  submit(submission: Submission): void {
    if (!this.#turns.isOpen) return;
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
    return this.#turns.isWorking && this.#interrupts === 0;
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
    if (!this.#turns.isOpen) {
      await this.#loop;
      return this.#stopListening();
    }
    const keepsMessages = this.#turns.showUnshown();
    this.#parts.sink.freeze();
    await this.#turns.close('Suspended.');
    if (keepsMessages) await this.#parts.open().catch((error: unknown) => log.error('A message was not kept', error));
    await this.#endProcesses();
    this.#submissions.close();
    await this.#loop;
    await this.#release();
    this.#stopListening();
  }

  #stopListening(): void {
    this.#notifications.dispose();
    this.#toolSources?.dispose();
    this.#rulesChanged.dispose();
    this.#parts.sink.dispose();
  }

  async #takeSubmissions(): Promise<void> {
    for await (const submission of this.#submissions) {
      try {
        // Ignores submissions behind a shutdown.
        if (this.#turns.isOpen) await (submission ? this.#handle(submission) : this.#startQueued());
      } catch (error) {
        this.#options.ports.log.error(`${submission?.op.type ?? 'A queued message'} failed`, error);
        this.#emit(submission?.id ?? null, { type: 'error', ...describeFailure(error) });
      }
      this.#work.end();
    }
  }

  async #handle({ id, op }: Submission): Promise<void> {
    const whileRunning = NEEDS_END_OF_TURN[op.type];
    if (whileRunning !== undefined) {
      await this.#turns.stopping();
      if (this.#turns.isRunning) return this.#warn(id, whileRunning);
    }
    switch (op.type) {
      case 'user_turn':
        return this.#turns.start({ submissionId: id, ...op });
      case 'steer':
        await this.#turns.stopping();
        return this.#turns.isRunning ? this.#parts.queue.add(id, op.input) : this.#startLate(id, op.input);
      case 'hold_queued':
      case 'edit_queued':
        return this.#changeQueued(id, op);
      case 'interrupt':
        this.#interrupts--;
        if (!this.#turns.stop(new Error('Interrupted.'))) this.#parts.queue.take('dropped');
        return;
      case 'override_turn_context':
        return this.#changeSettings(id, op);
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
        await this.#turns.stopping();
        if (this.#parts.retryPause.end()) return;
        if (this.#turns.isRunning) return this.#warn(id, 'A turn is running.');
        if (this.#parts.conversation.isAnswered)
          return this.#warn(id, 'There is nothing to try again: this was answered.');
        return this.#turns.start({ submissionId: id, input: null });
      case 'purge_output':
        return this.#edits.purgeOutput(id, op.itemId, !this.#turns.isNew || this.#options.replayed !== null);
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
        return this.#compact(id, op);
      case 'review':
        return this.#review(id, op);
      case 'mark_finding':
        return this.#edits.markFinding(id, op);
      case 'undo_compaction':
        return this.#edits.undoCompaction(id, op.itemId);
      case 'undo':
      case 'redo':
      case 'rollback':
        return this.#edits.revert(id, op);
      case 'shutdown':
        return this.#shutdown(id);
      default:
        return assertNever(op);
    }
  }

  async #changeSettings(submissionId: string, overrides: TurnOverrides): Promise<void> {
    const { host, ports } = this.#options;
    const refusal = await refusalOf(this.#settings, overrides, ports.workspace);
    if (refusal) return this.#emit(submissionId, { type: 'error', ...describeFailure(refusal) });
    this.#settings = overridden(this.#settings, overrides, { models: this.#parts.models, host });
    await this.#parts.keep(submissionId, { type: 'turn_context_changed', settings: this.#settings });
  }

  async #changeQueued(submissionId: string, op: OpOf<'hold_queued' | 'edit_queued'>): Promise<void> {
    if (!this.#parts.queue.has(op.id)) return this.#warn(submissionId, `The message ${op.id} is not queued any more.`);
    if (op.type === 'hold_queued') {
      if (op.held || this.#turns.isRunning) this.#parts.queue.setHeld(submissionId, op.id, op.held);
      else this.#parts.queue.remove(submissionId, op.id, 'dropped');
      return;
    }
    if (op.input === null) return this.#parts.queue.remove(submissionId, op.id, 'withdrawn');
    if (this.#turns.isWorking) return this.#parts.queue.edit(submissionId, op.id, op.input);
    // The end of a turn that is stopping drops messages that are not held.
    this.#parts.queue.setHeld(submissionId, op.id, true);
    await this.#turns.stopping();
    this.#parts.queue.remove(submissionId, op.id, 'joined');
    await this.#turns.start({ submissionId, input: op.input });
  }

  /** Starts a turn with the oldest queued message; the others stay queued for it. */
  async #startQueued(): Promise<void> {
    const { queue } = this.#parts;
    while (!this.#turns.isRunning && this.#interrupts === 0) {
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
    if (begins()) await this.#turns.start({ submissionId: id, input, begins });
  }

  #review(submissionId: string, order: OpOf<'review'>): void {
    const { agents } = this.#options;
    if (agents === undefined || this.parentId !== null)
      return this.#warn(
        submissionId,
        'A review starts an agent, and an agent cannot start others: review in a thread.',
      );
    this.#turns.startNow(submissionId, { type: 'review', order, agents });
  }

  #compact(submissionId: string, { continueTurn }: OpOf<'compact'>): void {
    const { history, isAnswered, unsent: inputs } = this.#parts.conversation;
    if (!isWorthASummary(history.items)) return this.#warn(submissionId, 'There is nothing to compact yet.');
    if (continueTurn === true && !isAnswered) {
      this.#turns.startNow(submissionId, { type: 'begun', context: Promise.resolve([]), inputs, compacts: true });
    } else this.#turns.startNow(submissionId, { type: 'compaction' });
  }

  #registerTools(submissionId: string, tools: readonly DynamicToolSpec[]): void {
    if (!this.#turns.isNew) return this.#warn(submissionId, 'Tools can only be registered before the first turn.');
    this.#parts.tools.register(tools);
  }

  async #shutdown(submissionId: string): Promise<void> {
    await this.#turns.close('Shut down.');
    this.#parts.queue.dropHeld();
    this.#parts.queue.take('dropped');
    await this.#endProcesses();
    this.#emit(submissionId, { type: 'thread_closed' });
    this.#submissions.close();
    await this.#release();
  }

  async #endProcesses(): Promise<void> {
    await this.#parts.processes.endAll();
    await this.#parts.changes.settled();
  }

  /** Closes the rollout, and lets other processes have the thread. */
  async #release(): Promise<void> {
    await this.#parts.recorder.close();
    await this.#preparing;
    await this.#options.ownership.release();
    this.#turns.closed();
  }

  /** Emits outside of turns. */
  #emit(submissionId: string | null, msg: EventMsg): void {
    this.#parts.emit(submissionId, msg);
  }

  #warn(submissionId: string, message: string): void {
    this.#emit(submissionId, { type: 'warning', message });
  }
}
