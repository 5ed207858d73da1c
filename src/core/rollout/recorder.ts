import type { AppendFile, Clock, Storage } from '../ports.ts';
import { jsonLine } from '../util/jsonPieces.ts';
import type { RolloutEntry } from './line.ts';

/** The path of a thread's rollout: `threads/YYYY/MM/DD/rollout-<UTC time>-<threadId>.jsonl` (docs/cli.md). */
export function rolloutPath(threadId: string, startedAt: Date): string {
  return homeOf(`rollout-${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}-${threadId}.jsonl`);
}

/** The path of a rollout with this file name. */
export function homeOf(name: string): string {
  const [, year, month, day] = /^rollout-(\d{4})-(\d\d)-(\d\d)T/.exec(name) ?? [];
  return `threads/${year}/${month}/${day}/${name}`;
}

/** The thread id in a rollout's file name. */
export function threadIdIn(path: string): string {
  return /rollout-[\dT-]{19}-([^/]*)\.jsonl$/.exec(path)?.[1] ?? path;
}

/**
 * Writes the rollout of a thread before the thread acts. `record` returns once the operating system has the line, so a
 * killed process loses nothing; `sync` forces it to disk. Nothing is written before `open`, so a thread without a
 * message leaves no file.
 */
export class Recorder {
  readonly path: string;
  readonly #storage: Storage;
  readonly #clock: Clock;
  #file: AppendFile | undefined;
  /** Entries that are not on disk yet, oldest first. */
  readonly #waiting: (RolloutEntry & { readonly timestamp: string })[] = [];
  /** The last write has failed, and may have left a part of a line. */
  #torn = false;

  constructor(path: string, ports: { readonly storage: Storage; readonly clock: Clock }) {
    this.path = path;
    this.#storage = ports.storage;
    this.#clock = ports.clock;
  }

  /** Creates the file or opens the existing one. @throws Error when it cannot be written. */
  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    this.#file = await this.#storage.openAppend(this.path);
    this.#write();
  }

  /** @throws Error when the entry cannot be written; it is then kept and written before the next one. */
  record(entry: RolloutEntry, timestamp = this.#clock.now().toISOString()): void {
    this.#waiting.push({ timestamp, ...entry });
    this.#write();
  }

  /**
   * Replaces the content of the file atomically. `undefined` leaves it unchanged. @throws Error when it cannot be replaced.
   * Lines that cannot be written afterwards are kept, as in `record`.
   */
  async rewrite(change: (bytes: Uint8Array) => Uint8Array | undefined): Promise<void> {
    await this.close();
    try {
      const changed = change(await this.#storage.readBytes(this.path, 0, Number.MAX_SAFE_INTEGER));
      if (changed !== undefined) await this.#storage.writeBytes(this.path, changed);
    } finally {
      // The content is replaced: the next turn or line meets the fault again.
      await this.open().catch(() => {});
    }
  }

  async sync(): Promise<void> {
    await this.#file?.sync();
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  #write(): void {
    if (this.#file === undefined) return;
    for (let entry = this.#waiting[0]; entry !== undefined; entry = this.#waiting[0]) {
      const wasTorn = this.#torn;
      this.#torn = true;
      // Ends an incomplete line, so that it does not damage the next one.
      this.#file.append(jsonLine(entry, wasTorn ? '\n' : ''));
      this.#torn = false;
      this.#waiting.shift();
    }
  }
}
