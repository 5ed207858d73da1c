import type { ThreadOwner } from '../../protocol/threads.ts';
import type { HeldLock, Locks } from '../ports.ts';

/** The lock of a session on its thread: no other process writes the rollout while it is held (design decision 13). */
export class Ownership {
  readonly #locks: Locks;
  readonly #threadId: string;
  readonly #onWanted: () => void;
  #lock: HeldLock | undefined;

  /** `onWanted`: another process asks for the thread. */
  constructor(locks: Locks, threadId: string, onWanted: () => void) {
    this.#locks = locks;
    this.#threadId = threadId;
    this.#onWanted = onWanted;
  }

  /** Returns the owner when it is another process. */
  async attempt(): Promise<ThreadOwner | undefined> {
    if (this.#lock !== undefined) return undefined;
    const attempt = await this.#locks.acquire(this.#threadId, this.#onWanted);
    if (attempt.type === 'owned') return attempt.owner;
    this.#lock = attempt.lock;
    return undefined;
  }

  /** @throws Error when another process owns it. */
  async claim(): Promise<void> {
    const owner = await this.attempt();
    if (owner !== undefined) throw new Error(`The thread is open in another process (${owner.pid}).`);
  }

  async release(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }
}
