import type { FileState, RecordedChange } from '../../protocol/baseline.ts';
import type { BaselineStore, Clock, KeptFolder, Look, LookedChange, LookLimits } from '../ports.ts';
import { abortable, onAbort } from '../util/abort.ts';
import { isBelow } from '../util/pathBelow.ts';
import { Emitter } from '../util/emitter.ts';
import { attribute, CLOCK_TICK_MS, type CommandWindow, isKnownWrite, type KnownWrite } from './attribution.ts';
import { sameState } from './diffBaselines.ts';
import { JoinedChanges } from './joinedChanges.ts';

export interface ChangeLedgerDeps {
  readonly store: BaselineStore;
  readonly clock: Clock;
  /** Called with the error of a listener. */
  readonly report: (error: unknown) => void;
}

/** The changes of a command or a patch. */
export interface WindowChanges {
  /** In the order of the paths. */
  readonly changes: readonly RecordedChange[];
  readonly newFolders: readonly string[];
  readonly goneFolders: readonly KeptFolder[];
  /** One sentence for the user if changes may be missing. */
  readonly problem?: string | undefined;
}

/** A command whose changes are being gathered. */
export interface OpenCommand {
  /**
   * Call when the command has ended, with all its processes. Resolves when the folders were compared. @throws the error
   * of the disk that prevented it
   */
  end(): Promise<WindowChanges>;
}

interface Window extends CommandWindow {
  endedAt: number | null;
  /** The look before the command was over when it started. */
  readonly isExact: boolean;
  /** An unknown writer was at work shortly before the command started. */
  hasUnknownWriter: boolean;
  problem: string | undefined;
  readonly changes: JoinedChanges;
  readonly newFolders: Set<string>;
  readonly goneFolders: Map<string, KeptFolder>;
}

const INCOMPLETE =
  'This folder was recorded for the first time while the command ran: files it removed may be missing here.';
/** Writes of patches and of the editor that are remembered. */
const MAX_WRITES = 2_000;

/**
 * Records what the commands and patches of this process change in the folders that they share: one ledger for all
 * threads. Looks at the folders before a command and after it, and attributes each change to the command that made it,
 * or to none (attribution.ts).
 */
export class ChangeLedger {
  readonly #store: BaselineStore;
  readonly #clock: Clock;
  readonly #others: Emitter<readonly RecordedChange[]>;
  readonly #ofCommands: Emitter<readonly RecordedChange[]>;
  readonly #open = new Set<Window>();
  #writes: readonly KnownWrite[] = [];
  /** Looks that have not begun. */
  readonly #queued = new Map<string, Promise<Look>>();
  /** Duration of the last look. */
  #lookMs = 0;
  /** Looks and patches, one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ store, clock, report }: ChangeLedgerDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#others = new Emitter(report);
    this.#ofCommands = new Emitter(report);
  }

  /**
   * Call before a command starts. Resolves when the folders were recorded, or after `waitMs`, or at once if the last
   * look took longer than that: then the recording continues beside the command, and file times show if the command
   * changed a file before it was recorded. @throws the signal's reason, or the error of the disk
   */
  async begin(
    command: { readonly id: string; readonly roots: readonly string[]; readonly waitMs: number } & LookLimits,
    signal: AbortSignal,
  ): Promise<OpenCommand> {
    const { id, roots, waitMs, maxBytes } = command;
    const look = this.#look(roots, { maxBytes });
    let done: Look | undefined;
    const timer = new AbortController();
    const looked = look.then((result) => (done = result)).finally(() => timer.abort());
    if (this.#lookMs <= waitMs) {
      const waited = this.#clock.sleep(waitMs, timer.signal).catch(() => {});
      await abortable(Promise.race([looked, waited]), signal);
    }
    const window: Window = {
      ...newWindow(id, roots),
      startedAt: this.#clock.now().getTime(),
      isExact: done !== undefined,
      problem: done?.problem,
    };
    this.#open.add(window);
    const ready = looked.then(async ({ isFirst, problem }) => {
      window.problem ??= problem;
      if (isFirst && !window.isExact) await this.#takeLate(window);
    });
    ready.catch(() => {});
    return { end: () => this.#end(window, ready, { maxBytes }) };
  }

  /**
   * Looks for the changes of a command that ended with an earlier process, after its folders were recorded. All of them
   * are uncertain: another program may have made them since. @throws the error of the disk
   */
  async recover(
    command: { readonly id: string; readonly roots: readonly string[]; readonly startedAt: Date } & LookLimits,
  ): Promise<WindowChanges> {
    const { id, roots, startedAt, maxBytes } = command;
    const window: Window = { ...newWindow(id, roots), startedAt: startedAt.getTime(), hasUnknownWriter: true };
    this.#open.add(window);
    return this.#end(window, Promise.resolve(), { maxBytes });
  }

  /**
   * Runs a writer of these paths that is not a command, such as a patch, and returns its changes. No look runs beside
   * it. @throws the signal's reason when it aborts before `act` has begun, which is then not called
   */
  async write<Result>(
    paths: readonly string[],
    act: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<WindowChanges & { readonly result: Result }> {
    const waiting = new AbortController();
    const stop = signal && onAbort(signal, () => waiting.abort(signal.reason));
    const written = this.#inSequence(async () => {
      waiting.signal.throwIfAborted();
      const missing = await this.#store.missingFolders(paths);
      const before = await this.#store.capture(paths);
      waiting.signal.throwIfAborted();
      // From here on the signal has no effect: the caller waits until `act` has ended and its changes are recorded.
      stop?.();
      const result = await act();
      const after = await this.#store.capture(paths);
      const stillMissing = await this.#store.missingFolders(paths);
      const changes = [...before].flatMap(([path, state]): RecordedChange[] => {
        const now = after.get(path) ?? state;
        return sameState(state, now) ? [] : [{ path, before: state, after: now, by: 'this' }];
      });
      for (const { path, after: state } of changes) this.noteWrite(path, state);
      return {
        result,
        changes,
        newFolders: missing.filter((folder) => !stillMissing.includes(folder)),
        goneFolders: [],
      };
    });
    return abortable(written, waiting.signal).finally(() => stop?.());
  }

  /** Fires with changes that no command and no known writer has made. */
  get onOtherChanges(): Emitter<readonly RecordedChange[]>['event'] {
    return this.#others.event;
  }

  /** Fires with the changes of a command, when it has ended and the folders were compared. */
  get onCommandChanges(): Emitter<readonly RecordedChange[]>['event'] {
    return this.#ofCommands.event;
  }

  /** Looks at the folders, for the changes of other programs. @throws the error of the disk */
  async lookForOthers(roots: readonly string[], limits: LookLimits): Promise<void> {
    await this.#look(roots, limits);
  }

  /** Something that is no command of Tiller has written a file: the editor that saves, for one. */
  noteWrite(path: string, after?: FileState): void {
    const write: KnownWrite = { path, at: this.#clock.now().getTime(), after };
    this.#writes = [...this.#writes, write].slice(-MAX_WRITES);
  }

  async #end(window: Window, ready: Promise<void>, limits: LookLimits): Promise<WindowChanges> {
    window.endedAt = this.#clock.now().getTime();
    const look = this.#look(window.roots, limits);
    try {
      await Promise.all([ready, look]);
    } finally {
      this.#open.delete(window);
    }
    const isDoubtful = !window.isExact && window.hasUnknownWriter;
    const changes = window.changes
      .all()
      .map((change) => (isDoubtful ? { ...change, by: 'uncertain' as const } : change));
    if (changes.length > 0) this.#ofCommands.fire(changes);
    return {
      changes,
      newFolders: [...window.newFolders].toSorted(),
      goneFolders: [...window.goneFolders.values()],
      ...(window.problem === undefined ? {} : { problem: window.problem }),
    };
  }

  /** Looks at the folders. Callers share a look that has not begun yet, because it sees the changes of all of them. */
  #look(roots: readonly string[], limits: LookLimits): Promise<Look> {
    const key = JSON.stringify([roots, limits]);
    const queued = this.#queued.get(key);
    if (queued !== undefined) return queued;
    const look = this.#inSequence(async () => {
      this.#queued.delete(key);
      return this.#lookNow(roots, limits);
    });
    this.#queued.set(key, look);
    return look;
  }

  async #lookNow(roots: readonly string[], limits: LookLimits): Promise<Look> {
    const startedAt = this.#clock.monotonic();
    const look = await this.#store.look(roots, limits);
    this.#lookMs = this.#clock.monotonic() - startedAt;
    const now = this.#clock.now().getTime();
    const others = look.changes.filter((change) => !this.#assign(change, now));
    if (others.length > 0) this.#others.fire(others.map(byOther));
    for (const window of this.#open) {
      const isWatched = (folder: string) => window.roots.some((root) => isBelow(folder, root));
      addFolders(window, {
        newFolders: look.newFolders.filter(isWatched),
        goneFolders: look.goneFolders.filter(({ path }) => isWatched(path)),
      });
    }
    return look;
  }

  /** Looks and patches follow each other, also after one that failed. */
  #inSequence<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Adds a change to the command that made it. Returns false if its writer is not known. */
  #assign(change: LookedChange, now: number): boolean {
    const windows = [...this.#open];
    const owner = attribute(change, windows, this.#writes, now);
    switch (owner.type) {
      case 'command':
        this.#add(windows, [owner.id], change, 'this');
        return true;
      case 'uncertain':
        this.#add(windows, owner.ids, change, 'uncertain');
        return true;
      case 'other':
        if (!this.#writes.some(({ path }) => path === change.path)) noteUnknownWriter(windows, change);
        return isKnownWrite(change, this.#writes);
    }
  }

  #add(windows: readonly Window[], ids: readonly string[], change: LookedChange, by: RecordedChange['by']): void {
    for (const window of windows.filter(({ id }) => ids.includes(id))) {
      const { path, before, after, isOnlyCopy } = change;
      window.changes.add({ path, before, after, by, ...(isOnlyCopy ? { isOnlyCopy } : {}) });
    }
  }

  /** Files that changed before the first recording reached them: their former content is not known. */
  async #takeLate(window: Window): Promise<void> {
    const since = window.startedAt - CLOCK_TICK_MS;
    window.problem ??= INCOMPLETE;
    for (const { path, state, bornAt } of await this.#store.changedSince(window.roots, since)) {
      const isNew = bornAt !== null && bornAt >= since;
      const before: FileState = isNew ? { type: 'absent' } : { type: 'left_out', reason: 'late', stamp: '' };
      window.changes.set({ path, before, after: state, by: 'this' });
    }
  }
}

function newWindow(id: string, roots: readonly string[]): Omit<Window, 'startedAt'> {
  return {
    id,
    roots,
    endedAt: null,
    isExact: false,
    hasUnknownWriter: false,
    problem: undefined,
    changes: new JoinedChanges(),
    newFolders: new Set(),
    goneFolders: new Map(),
  };
}

/** A folder that is made and removed again, or the other way round, is no change. */
function addFolders(window: Window, { newFolders, goneFolders }: Pick<Look, 'newFolders' | 'goneFolders'>): void {
  for (const path of newFolders) if (!window.goneFolders.delete(path)) window.newFolders.add(path);
  for (const folder of goneFolders) {
    if (!window.newFolders.delete(folder.path)) window.goneFolders.set(folder.path, folder);
  }
}

/** `by: 'this'` means a single writer, which here is another program. */
function byOther({ path, before, after }: LookedChange): RecordedChange {
  return { path, before, after, by: 'this' };
}

function noteUnknownWriter(windows: readonly Window[], { path, changedAt }: LookedChange): void {
  for (const window of windows) {
    const isBefore = changedAt !== null && changedAt < window.startedAt - CLOCK_TICK_MS;
    if (isBefore && !window.isExact && window.roots.some((root) => isBelow(path, root))) window.hasUnknownWriter = true;
  }
}
