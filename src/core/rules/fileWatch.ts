import type { Clock } from '../ports.ts';
import type { Disposable } from '../util/disposable.ts';

const LOOK_MS = 500;

/**
 * Looks now and then whether files are still what they were, as long as somebody wants to know. Looks, and does not
 * listen: a file that is replaced, linked or on another machine tells no listener.
 */
export class FileWatch {
  readonly #clock: Clock;
  readonly #stamp: () => Promise<string>;
  readonly #onChange: () => void;
  #watchers = 0;
  #cancel = () => {};

  /** `stamp` is another text whenever the files are others. */
  constructor(clock: Clock, stamp: () => Promise<string>, onChange: () => void) {
    this.#clock = clock;
    this.#stamp = stamp;
    this.#onChange = onChange;
  }

  /** What changes from here on is told until it is closed. */
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
      // What cannot be looked at now is looked at again.
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
