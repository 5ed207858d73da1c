/** Cleans up workspaces as soon as this process is killed, not only at the next start. */
import { existsSync } from 'node:fs';
import { startAfterKill } from '../host/ownPrograms.ts';
import { thisProcess } from '../host/processIdentity.ts';

export class KillWatch {
  readonly #home: string;
  readonly #script: string | undefined;
  readonly #isNeeded: () => boolean;
  #watch: ReturnType<typeof startAfterKill> | undefined;
  readonly #onExit = () => this.stop();

  /** `script`: the built afterKill.ts. `isNeeded`: whether a kill of this process would leave anything behind now. */
  constructor(home: string, script: string | undefined, isNeeded: () => boolean) {
    this.#home = home;
    this.#script = script;
    this.#isNeeded = isNeeded;
  }

  /** The first call costs about a millisecond. */
  start(): void {
    if (this.#watch !== undefined || this.#script === undefined || !existsSync(this.#script)) return;
    try {
      this.#watch = startAfterKill(this.#script, [this.#home, JSON.stringify(thisProcess())]);
      process.once('exit', this.#onExit);
    } catch {
      // Too many processes or descriptors: the next start cleans up.
    }
  }

  /**
   * Keeps the watch running while it is needed: sandboxes that still run end with this process, and their mount points
   * may only be removed after that.
   */
  stop(): void {
    process.off('exit', this.#onExit);
    if (!this.#isNeeded()) this.#watch?.stop();
    this.#watch = undefined;
  }
}
