import type { Clock } from '../ports.ts';
import type { Disposable } from '../util/disposable.ts';

const LOOK_MS = 500;

/**
 * Polls files for changes while at least one watcher is open. Polling instead of file events, because no events arrive
 * for a file that is replaced, linked or on another machine.
 */
export class FileWatch {
  readonly #clock: Clock;
  readonly #stamp: () => Promise<string>;
  readonly #onChange: () => void;
  #watchers = 0;
  #cancel = () => {};

  /** `stamp` must return a different text after each change of the files. */
  constructor(clock: Clock, stamp: () => Promise<string>, onChange: () => void) {
    this.#clock = clock;
    this.#stamp = stamp;
    this.#onChange = onChange;
  }

  /** Reports changes from now on until the returned object is disposed. */
  open(): Disposable {
    if (this.#watchers++ === 0) this.#cancel = this.#look();
    let isOpen = true;
    return {
      dispose: () => {
        if (isOpen && --this.#watchers === 0) this.#cancel();
        isOpen = false;
      },
    };
  }

  #look(): () => void {
    let isOver = false;
    let before: string | undefined;
    let cancel = () => {};
    const look = async () => {
      // A file that cannot be read now is tried again.
      const now = await this.#stamp().catch(() => before);
      if (isOver) return;
      cancel = this.#clock.after(LOOK_MS, () => void look());
      const isUpdate = before !== undefined && now !== before;
      before = now;
      if (isUpdate) this.#onChange();
    };
    void look();
    return () => {
      isOver = true;
      cancel();
    };
  }
}
