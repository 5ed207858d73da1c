import type { Event } from '../../protocol/event.ts';
import type { AgentSummary } from '../../protocol/thread.ts';
import type { Clock } from '../ports.ts';
import { isFinal } from '../tools/agents/agentStatus.ts';

export interface AgentWatchDeps {
  readonly clock: Pick<Clock, 'after'>;
  /** Caps, `null` for none: tokens of all its requests, minutes of one turn. */
  readonly maxTokens: number | null;
  readonly maxMinutes: number | null;
  /** The last summary of the agent that the parent has. */
  readonly before: () => AgentSummary | undefined;
  /** The tokens used by its requests. */
  readonly tokens: () => number | undefined;
  /** Reports the state of the agent to its parent. */
  readonly tell: (agent: AgentSummary) => void;
  /** Interrupts its turn. */
  readonly stop: () => void;
  /** Called when a message of the parent's turn `startedIn` has started this turn of the agent. */
  readonly onTurn: (turnId: string, startedIn: string) => void;
}

const MINUTE_MS = 60_000;

/** Turns the events of one sub-agent into its status, and stops it at its caps. */
export class AgentWatch {
  readonly #deps: AgentWatchDeps;
  /** The submission of the last message that no turn has taken yet: a turn that ends earlier is not its answer. */
  #awaited: string | undefined;
  /** The parent's turns in which messages were sent that no turn has taken yet, by submission. */
  readonly #sentIn = new Map<string, string>();
  #isWorking = false;
  /** The reason why a cap stopped its turn. */
  #stopped: string | undefined;
  #failure: string | undefined;
  #cancel = () => {};

  constructor(deps: AgentWatchDeps) {
    this.#deps = deps;
  }

  /** Call when it is sent a message, in this turn of the parent. */
  sent(submissionId: string, turnId: string): void {
    this.#sentIn.set(submissionId, turnId);
    this.#awaited = submissionId;
    this.#become('running');
  }

  take({ turnId, submissionId, msg }: Pick<Event, 'turnId' | 'submissionId' | 'msg'>): void {
    switch (msg.type) {
      case 'turn_started':
        if (submissionId === this.#awaited) this.#awaited = undefined;
        this.#noteStart(turnId, submissionId);
        this.#isWorking = true;
        [this.#stopped, this.#failure] = [undefined, undefined];
        this.#limitTime();
        return this.#become('running');
      case 'input_dequeued':
        if (msg.reason !== 'joined' || this.#isWorking) this.#sentIn.delete(msg.id);
        if (msg.id !== this.#awaited) return;
        this.#awaited = undefined;
        if (msg.reason !== 'joined' && !this.#isWorking) this.#become('interrupted');
        return;
      case 'error':
        this.#failure = msg.message;
        if (turnId !== null) return;
        // A message that could not start a turn.
        this.#awaited = undefined;
        return this.#end('errored', msg.message);
      case 'token_count':
        return this.#limitTokens(msg.total.total);
      case 'turn_completed':
        return this.#end('completed', msg.lastMessage ?? undefined);
      case 'turn_aborted':
        // A turn of an earlier process: its end is not new.
        if (msg.reason === 'crashed') return;
        if (this.#stopped !== undefined) return this.#end('errored', this.#stopped);
        return msg.reason === 'failed' ? this.#end('errored', this.#failure) : this.#end('interrupted', undefined);
      case 'thread_closed': {
        const known = this.#deps.before();
        if (known && !isFinal(known)) this.#become('shutdown');
        return;
      }
      default:
    }
  }

  dispose(): void {
    this.#cancel();
  }

  #noteStart(turnId: string | null, submissionId: string | null): void {
    const startedIn = submissionId === null ? undefined : this.#sentIn.get(submissionId);
    if (turnId === null || submissionId === null || startedIn === undefined) return;
    this.#sentIn.delete(submissionId);
    this.#deps.onTurn(turnId, startedIn);
  }

  #limitTime(): void {
    const { clock, maxMinutes } = this.#deps;
    this.#cancel();
    if (maxMinutes === null) return;
    const stop = () => this.#stop(`It was stopped after ${maxMinutes} min, the most that an agent may take.`);
    this.#cancel = clock.after(maxMinutes * MINUTE_MS, stop);
  }

  #limitTokens(used: number): void {
    const { maxTokens } = this.#deps;
    if (maxTokens === null || used < maxTokens) return;
    this.#stop(`It was stopped after ${used} tokens; an agent may use ${maxTokens}.`);
  }

  #stop(why: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#deps.stop();
  }

  #end(state: 'completed' | 'errored' | 'interrupted', message: string | undefined): void {
    this.#cancel();
    this.#isWorking = false;
    if (this.#awaited === undefined) this.#become(state, message);
  }

  #become(state: AgentSummary['state'], message?: string): void {
    const { before, tokens, tell } = this.#deps;
    const known = before();
    if (known === undefined || (known.state === state && message === undefined)) return;
    const { lastMessage: lastKnown, ...rest } = known;
    const lastMessage = state === 'shutdown' ? lastKnown : message;
    const used = tokens();
    tell({
      ...rest,
      state,
      ...(lastMessage === undefined ? {} : { lastMessage }),
      ...(used === undefined ? {} : { tokens: used }),
    });
  }
}
