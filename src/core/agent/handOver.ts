import type { Clock, Ports } from '../ports.ts';
import type { Session } from '../session/session.ts';
import type { ThreadHost } from '../session/sessionOptions.ts';
import { Emitter } from '../util/emitter.ts';
import type { LiveThreads } from './liveThreads.ts';

/** Time limit for the owner of a thread to hand it over: its user has to see the question and answer it. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/**
 * Asks the process that owns a thread to hand it over, and attempts to open it until it has, for 30 s. Returns the last
 * attempt.
 */
export async function takeOver<Result>(
  threadId: string,
  { locks, clock }: Pick<Ports, 'locks' | 'clock'>,
  { attempt, isOwned }: { readonly attempt: () => Promise<Result>; readonly isOwned: (result: Result) => boolean },
): Promise<Result> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  const withdraw = await locks.ask(threadId);
  try {
    while (true) {
      const result = await attempt();
      if (!isOwned(result) || clock.monotonic() > deadline) return result;
      await clock.sleep(PAUSE_MS);
    }
  } finally {
    await withdraw();
  }
}

interface HandOverDeps {
  readonly live: LiveThreads;
  readonly hostOf: (session: Session) => ThreadHost | undefined;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called with the error of a listener. */
  readonly report: (error: unknown) => void;
}

/** Hands threads of this process over to another process that asks for them, when the front end agrees. */
export class HandOver {
  readonly #deps: HandOverDeps;
  /** Threads that another process asks for, and that the user has not refused to hand over. */
  readonly #asked = new Set<string>();
  readonly #taken: Emitter<string>;

  constructor(deps: HandOverDeps) {
    this.#deps = deps;
    this.#taken = new Emitter(deps.report);
  }

  /** Fires with the id of a thread that another process now owns; its session has ended. */
  get onTaken(): Emitter<string>['event'] {
    return this.#taken.event;
  }

  /** Asks the front end, which has to answer within the time that the other process waits. Rejects as it does. */
  async asked(threadId: string): Promise<void> {
    const { live, hostOf, clock } = this.#deps;
    const session = live.get(threadId)?.session;
    const host = session && hostOf(session);
    if (!session || !host?.allowsTakeOver || this.#asked.has(threadId)) return;
    this.#asked.add(threadId);
    try {
      const tooLate = clock.sleep(PATIENCE_MS).then(() => false);
      if (!(await Promise.race([host.allowsTakeOver(threadId), tooLate]))) return;
      await live.close(threadId, 'suspend');
    } finally {
      this.#asked.delete(threadId);
    }
    this.#taken.fire(threadId);
  }
}
