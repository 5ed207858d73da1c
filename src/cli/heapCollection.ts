import { getHeapStatistics } from 'node:v8';
import { messageOf } from '../core/util/fileErrors.ts';

const MIN_GROWTH_BYTES = 16 * 2 ** 20;

/**
 * Returns true if the heap is to be collected: it has grown by 16 MiB and by half of the bytes in use after the last
 * collection, so that collections cost a fixed share of the work however large the heap is. Both arguments are in
 * bytes.
 */
export function isCollectionDue(used: number, usedAfterLast: number): boolean {
  return used - usedAfterLast >= Math.max(MIN_GROWTH_BYTES, usedAfterLast / 2);
}

interface HeapCollectionOptions {
  /** Called at most once, if this Node.js cannot collect on request. */
  readonly log: (reason: string) => void;
  /** Called before each collection. */
  readonly before?: () => void;
  /** Collects the heap. Rejects if this Node.js cannot. */
  readonly collect?: () => Promise<void>;
  /** Returns the bytes of the heap that are in use. */
  readonly used?: () => number;
}

/**
 * Collects V8's whole heap while the process waits for the model, if enough of it may be garbage. V8 itself collects
 * the old space for the first time at 70 MiB (decision 0063). Use it only in a process of which Tiller is the only
 * program: the thread stops for about 30 ms.
 */
export class HeapCollection {
  readonly #log: (reason: string) => void;
  readonly #before: () => void;
  readonly #collect: () => Promise<void>;
  readonly #used: () => number;
  #usedAfterLast: number | undefined;
  #isOff = false;

  constructor({ log, before = () => {}, collect = collectByInspector, used = usedBytes }: HeapCollectionOptions) {
    this.#log = log;
    this.#before = before;
    this.#collect = collect;
    this.#used = used;
  }

  /** Call when a request is sent. The first call only measures the heap. Never rejects. */
  async collectIfDue(): Promise<void> {
    if (this.#isOff) return;
    const used = this.#used();
    this.#usedAfterLast ??= used;
    if (!isCollectionDue(used, this.#usedAfterLast)) return;
    this.#isOff = true;
    try {
      this.#before();
      await this.#collect();
      this.#usedAfterLast = this.#used();
      this.#isOff = false;
    } catch (error) {
      this.#log(messageOf(error));
    }
  }
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/**
 * Collects the heap through a session of the inspector inside the process, which opens no port. Has no effect while a
 * debugger may be attached.
 * @throws Error in a Node.js without inspector
 */
async function collectByInspector(): Promise<void> {
  const { Session, url } = await import('node:inspector');
  if (url() !== undefined) return;
  const session = new Session();
  session.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      session.post('HeapProfiler.collectGarbage', (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  } finally {
    // Not called within the callback of `post`: there it would keep Node.js 20 from exiting.
    session.disconnect();
  }
}
