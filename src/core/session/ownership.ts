import type { ThreadOwner } from '../../protocol/threads.ts';
import type { HeldLock, Locks } from '../ports.ts';

/** A session's hold on its thread: nobody else may write to the rollout while it lasts (design decision 13). */
export class Ownership {
  readonly #locks: Locks;
  readonly #threadId: string;
  readonly #onWanted: () => void;
  #lock: HeldLock | undefined;

  /** `onWanted`: somebody else would like to have the thread. */
  constructor(locks: Locks, threadId: string, onWanted: () => void) {
    this.#locks = locks;
    this.#threadId = threadId;
    this.#onWanted = onWanted;
  }

  /** Returns who has it, if somebody else does. */
  async attempt(): Promise<ThreadOwner | undefined> {
    if (this.#lock !== undefined) return undefined;
    const attempt = await this.#locks.acquire(this.#threadId, this.#onWanted);
    if (attempt.type === 'owned') return attempt.owner;
    this.#lock = attempt.lock;
    return undefined;
  }

  /** @throws Error when somebody else has it. */
  async claim(): Promise<void> {
    const owner = await this.attempt();
    if (owner !== undefined) throw new Error(`The thread is open in another process (${owner.pid}).`);
  }

  async release(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }
}
