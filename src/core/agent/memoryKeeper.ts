import type { EventMsg } from '../../protocol/event.ts';
import type { Clock, Log } from '../ports.ts';
import { type MemoryPorts, ThreadMemories } from '../rollout/threadMemories.ts';
import type { ThreadUpdate } from './liveThreads.ts';
import { memoryOf } from './memoryOf.ts';

/**
 * Writes threads down as memories, where the user wants it: after each compaction and at the end of each turn, so that
 * the end of a thread, whatever ends it, finds its memory written.
 */
export class MemoryKeeper {
  readonly #memories: ThreadMemories;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Pick<Log, 'warn'>;
  /** Threads that are written down. */
  readonly #threads = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(ports: MemoryPorts & { readonly clock: Pick<Clock, 'now'>; readonly log: Pick<Log, 'warn'> }) {
    this.#memories = new ThreadMemories(ports);
    this.#clock = ports.clock;
    this.#log = ports.log;
  }

  /** Starts to write the thread down. */
  add(threadId: string): void {
    this.#threads.add(threadId);
  }

  take({ event, state }: ThreadUpdate): void {
    if (!this.#threads.has(event.threadId) || !isNews(event.msg)) return;
    const memory = memoryOf(state, this.#clock.now().toISOString());
    if (memory === undefined) return;
    this.#last = this.#last
      .then(() => this.#memories.write(memory))
      .catch((error: unknown) => this.#log.warn('The memory of a thread could not be written', error));
  }

  /** Resolves when all is written. Never rejects. */
  written(): Promise<void> {
    return this.#last;
  }
}

function isNews(msg: EventMsg): boolean {
  switch (msg.type) {
    case 'turn_completed':
    case 'turn_aborted':
    case 'compaction_undone':
    case 'files_reverted':
    case 'title_changed':
      return true;
    case 'item_completed':
      return msg.item.type === 'compaction' && msg.item.status === 'completed';
    default:
      return false;
  }
}
