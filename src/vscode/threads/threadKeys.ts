import type { ShownThread } from '../../core/agent/shownThread.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { contextKey } from '../ui/contextKey.ts';

/** Context keys for keys and the palette: a command about threads is listed only while it has an effect. */
export class ThreadKeys implements Disposable {
  readonly #threads: ShownThread;
  readonly #interrupted: () => number;
  readonly #store = new DisposableStore();
  readonly #setRunning = contextKey<boolean>('tiller.running');
  readonly #setHasThread = contextKey<boolean>('tiller.hasThread');
  readonly #setHasPendingRequest = contextKey<boolean>('tiller.hasPendingRequest');
  readonly #setWaitsElsewhere = contextKey<boolean>('tiller.waitsElsewhere');
  readonly #setHasInterruptedPatch = contextKey<boolean>('tiller.hasInterruptedPatch');

  /** `interrupted`: the number of interrupted patches; call `refresh` when it changes. */
  constructor(threads: ShownThread, interrupted: () => number) {
    this.#threads = threads;
    this.#interrupted = interrupted;
    this.#store.add(
      threads.onChange(({ state }) => {
        this.#setRunning(state !== null && state.activeTurnId !== null);
        this.#setHasThread(state !== null);
      }),
    );
    this.#store.add(threads.onActivity(() => this.refresh()));
  }

  refresh(): void {
    const interrupted = this.#interrupted();
    this.#setHasPendingRequest(this.#threads.overview.questions + interrupted > 0);
    this.#setWaitsElsewhere(this.#threads.overview.elsewhere.waiting > 0);
    this.#setHasInterruptedPatch(interrupted > 0);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
