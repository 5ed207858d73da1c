import * as z from 'zod';
import type {
  ThreadListEntry,
  ThreadOwner,
  ThreadSearchHit,
  ThreadSummary,
  ThreadWhereabouts,
} from '../../protocol/threads.ts';
import type { Clock, Locks, Log, Storage, Workspace } from '../ports.ts';
import { isBelow } from '../util/pathBelow.ts';
import { emptyTrash, isInTrash, moveToTrash, type RemoveRest, restore, withAgents } from './trash.ts';
import { type ExportFormat, exportThread } from './exportThread.ts';
import { readGitFacts } from './gitFacts.ts';
import { pinnedThreads, setPinned } from './pinnedThreads.ts';
import { Recorder, threadIdIn } from './recorder.ts';
import { searchThreads } from './search.ts';
import { ThreadIndex } from './threadIndex.ts';
import { type OpenedReader, ThreadReader } from './threadReader.ts';

const SEEN = 'index/seen.json';
/** When each thread was last displayed. */
const seenSchema = z.record(z.string(), z.string());
type Seen = z.infer<typeof seenSchema>;

export interface CatalogPorts {
  readonly storage: Storage;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: Log;
  readonly workspace: Workspace;
}

/** The result of an operation on a thread without an owner. */
export type CatalogResult =
  | { readonly type: 'done' }
  | { readonly type: 'missing' }
  /** A process owns the thread. */
  | { readonly type: 'owned'; readonly owner: ThreadOwner };

export interface ThreadSearchOptions {
  /** In the order in which hits are returned. */
  readonly among?: readonly ThreadSummary[];
  readonly hitsPerThread?: number;
}

/**
 * All threads of TILLER_HOME, whichever front door started them: "per workspace" is a filter, not a place (design
 * decision 13).
 */
export class ThreadCatalog {
  readonly #ports: CatalogPorts;
  readonly #removeRest: RemoveRest;
  readonly #index: ThreadIndex;
  #tidied = false;

  constructor(ports: CatalogPorts, removeRest: RemoveRest) {
    this.#ports = ports;
    this.#removeRest = removeRest;
    this.#index = new ThreadIndex(ports);
  }

  /** Lists the threads without sub-agents, the most recently changed first. `folders`: the open workspace folders. */
  async list(folders: readonly string[]): Promise<readonly ThreadListEntry[]> {
    if (!this.#tidied) void this.#tidy();
    const [summaries, owners, seen, pinned, remotes] = await Promise.all([
      this.#index.summaries(),
      this.#ports.locks.owners(),
      this.#seen(),
      pinnedThreads(this.#ports.storage),
      this.#remotesOf(folders),
    ]);
    const entries = summaries.filter(isRoot).map(async (summary): Promise<ThreadListEntry> => {
      const owner = owners.get(summary.id);
      const lookedAt = seen[summary.id];
      return {
        ...summary,
        status: owner ? statusOf(summary) : 'resting',
        unread: lookedAt !== undefined && summary.endedAt !== null && summary.endedAt > lookedAt,
        pinned: pinned.has(summary.id),
        owner: owner === undefined ? 'nobody' : owner.mine ? 'this_process' : 'another_process',
        place: await this.#placeOf(summary, folders, remotes),
      };
    });
    return (await Promise.all(entries)).toSorted(newestFirst);
  }

  /** All threads, sub-agents included, the most recently changed first. */
  async withSubAgents(): Promise<readonly ThreadSummary[]> {
    return (await this.#index.summaries()).toSorted(newestFirst);
  }

  async find(threadId: string): Promise<ThreadSummary | undefined> {
    return (await this.#index.summaries()).find(({ id }) => id === threadId);
  }

  /**
   * `listed`: its rollout is there, even if it cannot be read at this time. `deleted`: it is in the trash. `gone`: it is
   * not, or no longer.
   */
  async whereIs(threadId: string): Promise<ThreadWhereabouts> {
    // Looked for first: a thread that is restored by now is in the list below.
    const isDeleted = await isInTrash(this.#ports, threadId);
    const rollouts = await this.#ports.storage.listFiles('threads');
    if (rollouts.some((path) => threadIdIn(path) === threadId)) return 'listed';
    // A rollout that was renamed by hand.
    if ((await this.find(threadId)) !== undefined) return 'listed';
    return isDeleted ? 'deleted' : 'gone';
  }

  /** False where a folder of threads or of the trash cannot be read: a thread that is not found may be in it. */
  async isComplete(): Promise<boolean> {
    const { storage } = this.#ports;
    const unreadable = await Promise.all(['threads', 'bin'].map((folder) => storage.unreadable(folder)));
    return unreadable.flat().length === 0;
  }

  /** Ids of the threads, sub-agents included, that work in one of these folders. */
  async threadsIn(folders: readonly string[]): Promise<readonly string[]> {
    const summaries = await this.#index.summaries();
    return summaries.filter(({ cwd }) => folders.some((folder) => isBelow(cwd, folder))).map(({ id }) => id);
  }

  /** Records that the user sees this thread now. */
  async markSeen(threadId: string): Promise<void> {
    const now = this.#ports.clock.now().toISOString();
    await this.#ports.storage.updateText(SEEN, (text) => JSON.stringify({ ...parseSeen(text), [threadId]: now }));
  }

  async isPinned(threadId: string): Promise<boolean> {
    return (await pinnedThreads(this.#ports.storage)).has(threadId);
  }

  /** Pins the thread, or removes its pin, also while another process owns it. */
  async pin(threadId: string, isPinned: boolean): Promise<void> {
    await setPinned(this.#ports.storage, threadId, isPinned);
  }

  /** Renames a thread without a session; for one with a session submit the op `set_title`. */
  rename(threadId: string, title: string): Promise<CatalogResult> {
    return this.whileFree(threadId, async (summary) => {
      const recorder = new Recorder(summary.path, this.#ports);
      await recorder.open();
      try {
        const msg = { type: 'title_changed' as const, title };
        recorder.record({ type: 'event_msg', payload: { turnId: null, submissionId: null, msg } });
      } finally {
        await recorder.close();
      }
    });
  }

  /** Moves the thread with its sub-agents to the trash, from where it can be restored for 30 days. */
  remove(threadId: string): Promise<CatalogResult> {
    return this.whileFree(threadId, async () => {
      const summaries = await this.#index.summaries();
      const paths = withAgents(threadId, summaries).flatMap(
        (id) => summaries.find((summary) => summary.id === id)?.path ?? [],
      );
      await moveToTrash(this.#ports, paths);
    });
  }

  /** Returns false when the thread is no longer in the trash. */
  restore(threadId: string): Promise<boolean> {
    return restore(this.#ports, threadId);
  }

  /**
   * Yields each hit as soon as it is found, in all threads but sub-agents or in those of `among`; the latest changed
   * come first. Throws the signal's reason when it aborts.
   */
  async *search(
    query: string,
    signal: AbortSignal,
    options: ThreadSearchOptions = {},
  ): AsyncGenerator<ThreadSearchHit> {
    const threads = options.among ?? (await this.#index.summaries()).filter(isRoot).toSorted(newestFirst);
    yield* searchThreads(this.#ports.storage, threads, query, signal, options.hitsPerThread);
  }

  /** Opens a thread for reading, also while another process owns it. */
  async read(threadId: string): Promise<OpenedReader> {
    const summary = await this.find(threadId);
    if (summary === undefined) return { type: 'unreadable', message: `there is no thread ${threadId}` };
    return ThreadReader.open(this.#ports.storage, summary.path);
  }

  /** Returns `undefined` when there is no such thread. */
  async export(threadId: string, format: ExportFormat): Promise<string | undefined> {
    const opened = await this.read(threadId);
    return opened.type === 'reader' ? exportThread(opened.reader.thread, format) : undefined;
  }

  /** Runs `work` on a rollout while no other process can own the thread. */
  async whileFree(threadId: string, work: (summary: ThreadSummary) => Promise<void>): Promise<CatalogResult> {
    const summary = await this.find(threadId);
    if (summary === undefined) return { type: 'missing' };
    const attempt = await this.#ports.locks.acquire(threadId);
    if (attempt.type === 'owned') return attempt;
    try {
      await work(summary);
      return { type: 'done' };
    } finally {
      await attempt.lock.release();
    }
  }

  /** Runs once for each process. */
  async #tidy(): Promise<void> {
    this.#tidied = true;
    const { log } = this.#ports;
    await emptyTrash(this.#ports, this.#removeRest).catch((error: unknown) =>
      log.warn('The trash was not emptied', error),
    );
  }

  async #seen(): Promise<Seen> {
    return parseSeen(await this.#ports.storage.readText(SEEN));
  }

  async #remotesOf(folders: readonly string[]): Promise<ReadonlySet<string>> {
    const facts = await Promise.all(folders.map((folder) => readGitFacts(this.#ports.workspace, folder)));
    return new Set(facts.flatMap((fact) => fact?.remote ?? []));
  }

  async #placeOf(
    { cwd, folders: startedIn, remote }: ThreadSummary,
    folders: readonly string[],
    remotes: ReadonlySet<string>,
  ): Promise<ThreadListEntry['place']> {
    if ([cwd, ...startedIn].some((place) => folders.some((folder) => isBelow(place, folder)))) return 'here';
    if (remote === null || !remotes.has(remote)) return 'elsewhere';
    // If the old folder still exists, these are two clones, and the thread has not moved.
    return (await this.#ports.workspace.stat(cwd).catch(() => undefined)) === undefined ? 'moved' : 'elsewhere';
  }
}

function isRoot({ parentId }: ThreadSummary): boolean {
  return parentId === null;
}

function newestFirst(left: ThreadSummary, right: ThreadSummary): number {
  return left.updatedAt < right.updatedAt ? 1 : -1;
}

/** A damaged file is ignored: losing it does no harm. */
function parseSeen(text: string | undefined): Seen {
  try {
    return seenSchema.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

function statusOf({ lastTurn }: ThreadSummary): ThreadListEntry['status'] {
  if (lastTurn === 'open') return 'running';
  return lastTurn === 'waiting' ? 'waiting' : 'resting';
}
