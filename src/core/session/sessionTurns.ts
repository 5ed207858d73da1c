import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { OpOf, TurnOverrides } from '../../protocol/op.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import type { RefusedSettings } from './failure.ts';
import type { OpenWork } from './openWork.ts';
import { recoverCalls } from './recovery.ts';
import type { SessionParts } from './sessionParts.ts';
import { abortOf, isOpen, type SessionState, withoutTurn } from './sessionState.ts';
import { runTurn, type TurnOpening } from './turn.ts';
import type { TurnRun } from './turnRun.ts';
import { type StartingTurn, takeContext, turnRunOf } from './turnRunOf.ts';
import { messageOp, overridden, refusalOf } from './turnSettings.ts';
import { endUnprepared } from './unpreparedTurn.ts';
import { UnshownMessages } from './unshownMessages.ts';

export interface SessionTurnsDeps {
  /** The settings of the next turn. */
  readonly settings: () => TurnSettings;
  /** Counts a turn until its end is dealt with. */
  readonly work: OpenWork;
  /** Called when a turn has completed and left messages in the queue. */
  readonly onQueueLeft: () => void;
}

/** A turn that the user starts with a message. */
interface RequestedTurn {
  readonly submissionId: string;
  /** `null`: an earlier turn is tried again. */
  readonly input: readonly UserInput[] | null;
  readonly overrides?: TurnOverrides | undefined;
  readonly outputSchema?: OpOf<'user_turn'>['outputSchema'];
  /** Called when nothing is left to wait for; returns false if the turn must not start. */
  readonly begins?: () => boolean;
}

/** A turn for which nothing is left to wait. */
interface Launch {
  readonly turnId: string;
  readonly submissionId: string | null;
  readonly settings: TurnSettings;
  readonly opening: TurnOpening;
  readonly outputSchema?: OpOf<'user_turn'>['outputSchema'];
  /** With it the turn ends at once, with this error. */
  readonly refusal?: RefusedSettings | undefined;
}

/** Starts and ends the turns of one session, of which at most one runs, and holds the state of the session. */
export class SessionTurns {
  readonly #parts: SessionParts;
  readonly #deps: SessionTurnsDeps;
  #state: SessionState = { type: 'new' };
  /** Settles when the last turn has ended, its queued inputs are dealt with and its rollout is synced. */
  #last: Promise<void> = Promise.resolve();
  readonly #unshown = new UnshownMessages();

  constructor(parts: SessionParts, deps: SessionTurnsDeps) {
    this.#parts = parts;
    this.#deps = deps;
  }

  /** The session accepts ops. */
  get isOpen(): boolean {
    return isOpen(this.#state);
  }

  /** This session has started no turn, whatever the thread did in an earlier process. */
  get isNew(): boolean {
    return this.#state.type === 'new';
  }

  /** A turn runs or is being stopped. */
  get isRunning(): boolean {
    return abortOf(this.#state) !== undefined;
  }

  /** A turn runs that is not being stopped. */
  get isWorking(): boolean {
    return abortOf(this.#state)?.signal.aborted === false;
  }

  /** Waits for a turn that is being stopped, so that a client can submit `interrupt` and a message at once. */
  async stopping(): Promise<void> {
    if (this.isRunning && !this.isWorking) await this.#last;
  }

  /** Stops the turn; its end follows. Returns false if none runs. */
  stop(reason: Error): boolean {
    const abort = abortOf(this.#state);
    abort?.abort(reason);
    return abort !== undefined;
  }

  /** Accepts no more ops and stops the turn. Resolves when its end is dealt with. */
  close(reason: string): Promise<void> {
    this.#state = { type: 'closing', abort: abortOf(this.#state) };
    this.stop(new Error(reason));
    return this.#last;
  }

  /** Call when nothing of the session is left to end. */
  closed(): void {
    this.#state = { type: 'closed' };
  }

  /** Shows the messages that the thread does not show yet as unsent. Returns false if there are none. */
  showUnshown(): boolean {
    return this.#unshown.showAsUnsent(this.#parts.sink, this.#parts.options.ports);
  }

  /** Starts a turn with the unsent messages and a new one. Resolves when it runs, or is not to run. */
  async start({ submissionId, input, overrides, outputSchema, begins }: RequestedTurn): Promise<void> {
    const { options, conversation, sink, tools, models } = this.#parts;
    const { host, ports } = options;
    if (host.tooLate && input && this.#state.type === 'idle')
      return host.tooLate(messageOp(input, overrides, outputSchema));
    const inputs = [...conversation.unsent, ...(input === null ? [] : [input])];
    const present = this.#deps.settings();
    this.#unshown.begin({ submissionId, settings: present, inputs });
    const refusal = overrides && (await refusalOf(present, overrides, ports.workspace));
    if (!this.isOpen) return;
    const settings = overrides && !refusal ? overridden(present, overrides, { models, host }) : present;
    this.#unshown.useSettings(settings);
    sink.record({ type: 'turn_context', payload: settings });
    tools.turnStarts();
    const context = takeContext(this.#parts, conversation.context, settings);
    await context.catch(() => {});
    // The session may have been suspended while the context was read.
    if (!this.isOpen) return;
    if (begins?.() === false) {
      this.#unshown.clear();
      return conversation.context.reset(conversation.history.items);
    }
    const turnId = ports.ids.next('turn');
    this.#unshown.useTurn(turnId);
    const opening: TurnOpening = { type: 'begun', context, inputs };
    this.#launch({ turnId, submissionId, settings, opening, outputSchema, refusal });
  }

  /** Starts a turn under the present settings that needs no context. */
  startNow(submissionId: string, opening: TurnOpening): void {
    const settings = this.#deps.settings();
    this.#parts.sink.record({ type: 'turn_context', payload: settings });
    this.#parts.tools.turnStarts();
    this.#launch({ turnId: this.#parts.options.ports.ids.next('turn'), submissionId, settings, opening });
  }

  /**
   * Goes on with a turn whose process is gone. A call that had started is answered as aborted. A call with a pending
   * request is prepared again; without one the turn is over until the user acts (design decision 14).
   */
  recover(turnId: string, state: ThreadState): void {
    const { sink, conversation, tools, remember } = this.#parts;
    const emit = (msg: EventMsg) => sink.emit(turnId, null, msg);
    const calls = recoverCalls(turnId, state, conversation.history.owed, emit);
    if (calls.length > 0) {
      const settings = state.turns.at(-1)?.settings ?? this.#deps.settings();
      tools.turnStarts();
      this.#launch({ turnId, submissionId: null, settings, opening: { type: 'recovered', calls } });
    } else {
      remember(turnAbortedMessage('crashed'));
      emit({ type: 'turn_aborted', reason: 'crashed' });
    }
  }

  #launch({ turnId, submissionId, settings, opening, outputSchema, refusal }: Launch): void {
    const { options, conversation, findings, caps, sink } = this.#parts;
    const abort = new AbortController();
    const emit = (msg: EventMsg, by = submissionId) => {
      // A listener may submit the next turn as soon as it receives the end of this one.
      if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') this.#state = withoutTurn(this.#state);
      if (msg.type === 'item_started' && msg.item.type === 'user_message') this.#unshown.shown(turnId);
      conversation.note(turnId, msg);
      findings.note(msg);
      sink.emit(turnId, by, msg);
    };
    const turn = { turnId, submissionId, settings, outputSchema, abort, emit };
    if (options.parent === undefined) {
      caps.turn.begin(opening.type === 'recovered' ? options.replayed?.spentInTurn : undefined);
    }
    this.#state = { type: 'running', abort };
    this.#deps.work.begin();
    this.#last = this.#run(turn, opening, refusal).then((outcome) => this.#ended(outcome, abort.signal));
  }

  /** Never rejects. */
  #run(turn: StartingTurn, opening: TurnOpening, refusal?: RefusedSettings): ReturnType<typeof runTurn> {
    let run: TurnRun;
    try {
      if (refusal) throw refusal;
      this.#parts.options.ports.exec.prepare?.();
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
  async #ended(outcome: 'completed' | 'interrupted' | 'failed', signal: AbortSignal): Promise<void> {
    const { options, queue, compaction, caps, recorder } = this.#parts;
    const { rules, ports } = options;
    compaction.turnEnded();
    if (outcome !== 'completed' || signal.aborted || !this.isOpen) queue.take('dropped');
    else if (queue.isReady) this.#deps.onQueueLeft();
    for (const write of [() => rules.flush(), () => caps.flush(), () => recorder.sync()]) {
      // Each is tried, because a client that waits until the session is idle waits for all of them.
      await write().catch((error: unknown) => ports.log.error('The end of a turn was not written completely', error));
    }
    this.#deps.work.end();
  }
}
