/** The state of Tiller on disk: TILLER_HOME. */
import type { AuditEntry } from '../../protocol/audit.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';

/** A file that is only appended to. */
export interface AppendFile {
  readonly path: string;
  /**
   * Returns once the operating system has the text, so that a killed process loses nothing. A very long text may be
   * passed in pieces. @throws Error
   */
  append(text: string | Iterable<string>): void;
  /** Forces the file to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** TILLER_HOME. Paths are relative to it, with `/`. Files are 0600, folders 0700. */
export interface Storage {
  readonly home: string;
  openAppend(path: string): Promise<AppendFile>;
  /** Returns `undefined` when there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /**
   * Returns a text that differs after every change of the file; `undefined` when there is none. Cheap enough to call
   * each time. Rejects for a link whose target does not exist.
   */
  stamp(path: string): Promise<string | undefined>;
  /** Replaces the file atomically: afterwards it has the old content or the new one. */
  writeText(path: string, text: string): Promise<void>;
  /** Reads, changes and writes atomically, also between processes. When `change` throws, the file stays as it was. */
  updateText(path: string, change: (text: string | undefined) => string): Promise<void>;
  /** Like `writeText`, for bytes. */
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  /** Reads at most `length` bytes from offset `from`; fewer at the end, none when there is no such file. */
  readBytes(path: string, from: number, length: number): Promise<Uint8Array>;
  /** Paths of all files below a folder, sorted; none when there is no folder. */
  listFiles(path: string): Promise<readonly string[]>;
  /** Folders below a folder that cannot be read, and links there that lead nowhere: `listFiles` leaves out what is in them. */
  unreadable(path: string): Promise<readonly string[]>;
  /** Like `listFiles`, with size and time to detect changes. */
  statFiles(path: string): Promise<readonly StoredFile[]>;
  /**
   * Moves a file; creates the target folder if needed and replaces an existing file. @throws Error when there is no
   * such file
   */
  move(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface StoredFile {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** A name that one process holds, until the process releases it or ends. */
export interface HeldLock {
  release(): Promise<void>;
}

export type LockAttempt =
  | { readonly type: 'held'; readonly lock: HeldLock }
  | { readonly type: 'owned'; readonly owner: ThreadOwner };

/** Names that at most one process holds at a time, among all processes that share TILLER_HOME (design decision 13). */
export interface Locks {
  /** `onAsked` is called whenever another process asks for the lock. */
  acquire(name: string, onAsked?: () => void): Promise<LockAttempt>;
  /** Asks the owner to release the lock; the returned function withdraws the request. */
  ask(name: string): Promise<() => Promise<void>>;
  /** The owner of each held name. */
  owners(): Promise<ReadonlyMap<string, ThreadOwner & { readonly mine: boolean }>>;
}

/** Decisions and their results. Append-only; secrets are redacted; readable only by the user. */
export interface AuditJournal {
  /** Returns once the operating system has the entry. @throws Error when it cannot be written. */
  append(entry: AuditEntry): void;
  /** The last entries, oldest first. The cost depends on `limit`, not on the size of the log. */
  latest(limit: number): Promise<readonly AuditEntry[]>;
}
