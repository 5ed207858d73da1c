/**
 * What core asks of the world. Core decides; behind every interface here stands a hand (in `node/` or `vscode/`) that acts.
 *
 * Paths are absolute and in the host's own notation unless said otherwise. Every wait takes an `AbortSignal`.
 */
import type { AuditEntry } from '../protocol/audit.ts';
import type { FileState } from '../protocol/baseline.ts';
import type { ThreadOwner } from '../protocol/threads.ts';
import { describeFileError, fileErrorKind } from './util/fileErrors.ts';
import type { SecretRedactor } from './util/secretRedactor.ts';

// ---------------------------------------------------------------- workspace

export interface TextFile {
  /** Decoded text with its own line endings, without a byte order mark. */
  readonly text: string;
  /** The live document where one is open, the disk otherwise. */
  readonly source: 'buffer' | 'disk';
  /** True when the buffer holds edits the person has not saved. */
  readonly dirty: boolean;
}

export interface FileStat {
  readonly type: 'file' | 'directory' | 'other';
  readonly symbolicLink: boolean;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symbolic_link' | 'other';
}

/** Lines `start`…`end` (0-based, end excluded) of the old text become `text`, which carries its own line endings. */
export interface TextHunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * One file's net change, planned against the text that was read. A plan can be shown, approved, tested and thrown away;
 * only `Workspace.apply` touches anything.
 */
export type FileChange = TextChange & {
  /** The person was asked about this file by its name and agreed that unsaved edits in it may go. */
  readonly discardsUnsaved?: boolean;
};

type TextChange =
  | {
      readonly kind: 'add';
      readonly path: string;
      readonly text: string;
      /** The text that is replaced; `null` when there was no file, or one that is not text. */
      readonly before: string | null;
    }
  | {
      readonly kind: 'delete';
      readonly path: string;
      /** `null` when the file is not text. */
      readonly before: string | null;
    }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      /** In ascending order, not overlapping. */
      readonly hunks: readonly TextHunk[];
      readonly movedTo: string | null;
      /** The text that the move replaces; `null` when there was no file, or one that is not text. */
      readonly movedOver: string | null;
    };

/** Where a path led when it was looked at. Absolute; no folder of either is a link. */
export interface FilePlace {
  /** Links of the folders followed, the last name as it is: what a removal removes. */
  readonly name: string;
  /** The last name followed, too, even where it leads to nothing yet: what is read and written. The same where it is no link. */
  readonly target: string;
}

export type FilePlaces = ReadonlyMap<string, FilePlace>;

/**
 * A change with the places that were decided about. Everything that reads or writes for it uses these places, follows no
 * link there, and refuses it as stale when its paths lead elsewhere by then.
 */
export type DecidedChange = FileChange & { readonly places: ChangePlaces };

export interface ChangePlaces {
  readonly path: FilePlace;
  /** `null` for a change that moves nothing. */
  readonly movedTo: FilePlace | null;
}

/** Lines that end with a line feed, counted from 0, `end` excluded. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** A part of a file's change that a person decides about by itself: what stands before and after it in both texts. */
export interface ProposedHunk {
  readonly before: LineSpan;
  readonly after: LineSpan;
}

/** One file of a patch as a person is asked about it. */
export interface ProposedFile {
  /** As the question names it. */
  readonly name: string;
  readonly change: FileChange;
  /** One for each `@@` of the file in the question's diff, without the lines around it; in order. */
  readonly hunks: readonly ProposedHunk[];
}

/** Whose landing it is, so that it can be undone by name. */
export interface ApplyOrigin {
  readonly turnId: string;
  readonly itemId: string;
  /** Nobody was asked about it: the person may want to look at it now. */
  readonly isUnseen?: boolean;
}

export interface AppliedFile {
  readonly path: string;
  /** False when the change stands in a buffer only: that held the person's own edits, or could not be saved. */
  readonly saved: boolean;
  /** Set when saving changed the text (a formatter), so that the model can be told. */
  readonly reformatted: boolean;
}

export type ApplyResult =
  | { readonly type: 'applied'; readonly files: readonly AppliedFile[] }
  /** The files, or the places their paths lead to, are no longer what the plan was made for: plan and decide again. Nothing was changed. */
  | {
      readonly type: 'stale';
      readonly paths: readonly string[];
      /** Set when another thread of this host was the last to land a patch there, after the plan was made. */
      readonly byAnotherThread?: boolean;
    }
  /** Everything was put back; `notRestored` names what could not be. */
  | { readonly type: 'failed'; readonly message: string; readonly notRestored: readonly string[] };

/** `moved`: the path leads to another place than the one that was asked for. */
export type WorkspaceErrorCode = 'not_found' | 'is_directory' | 'not_text' | 'too_large' | 'denied' | 'io' | 'moved';

/** Why a file could not be read, in a form a tool can answer with. */
export class WorkspaceError extends Error {
  readonly code: WorkspaceErrorCode;
  readonly path: string;
  constructor(code: WorkspaceErrorCode, path: string, message: string) {
    super(message);
    this.name = 'WorkspaceError';
    this.code = code;
    this.path = path;
  }
}

/** What a file system said, as an error of this port. */
export function toWorkspaceError(error: unknown, path: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  return new WorkspaceError(fileErrorKind(error), path, describeFileError(error, path));
}

export interface Workspace {
  /** Folders that are open, the first one first. */
  readonly roots: readonly string[];
  /** @throws WorkspaceError */
  read(path: string, signal?: AbortSignal): Promise<TextFile>;
  /** @throws WorkspaceError; `too_large` above `maxBytes`. */
  readBytes(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /** `undefined` when there is nothing. Follows symbolic links and says so. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Where a file lies when every link on the way to it is followed. @throws WorkspaceError */
  realPath(path: string): Promise<string>;
  /** Where each path leads now, existing or not; the error where that cannot be said. An entry for each. */
  places(paths: readonly string[]): Promise<ReadonlyMap<string, FilePlace | WorkspaceError>>;
  /**
   * What stands at each place, read without following a link; `moved` where one has come to stand there. By the keys of
   * `places`. Rejects only with the signal's reason.
   */
  readPlaces(places: FilePlaces, signal?: AbortSignal): Promise<ReadonlyMap<string, TextFile | WorkspaceError>>;
  /** @throws WorkspaceError. Sorted by name. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Lands all changes or none (design decision 4). Never rejects, except when `signal` aborts before the first write. */
  apply(changes: readonly DecidedChange[], signal?: AbortSignal, origin?: ApplyOrigin): Promise<ApplyResult>;
  /** Files that were changed by `apply` and stand unsaved in an editor now. */
  unsavedFiles(): readonly string[];
  /** Saves them as the person would. Returns those that are still unsaved. Never rejects. */
  save(paths: readonly string[]): Promise<readonly string[]>;
  /**
   * Brings all files to another state or none, byte by byte, and removes `folders` that are empty then. Never rejects.
   * Absent where files cannot be restored this way.
   */
  restore?(files: readonly Restoration[], folders: readonly string[]): Promise<RestoreResult>;
}

// ---------------------------------------------------------------- what the workspace held before

/** One path that a look found in another state than the look before it. */
export interface LookedChange {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** When it came to be so, milliseconds since the epoch, at the latest; `null` where that is not known. */
  readonly changedAt: number | null;
}

export interface Look {
  /** What differs from the last look at these folders; none at the first look. */
  readonly changes: readonly LookedChange[];
  /** Folders that were not there at the last look, outer ones first. */
  readonly newFolders: readonly string[];
  /** Nothing was recorded before: what was there earlier is not known. */
  readonly isFirst: boolean;
  /** One sentence for the user where not everything could be recorded. */
  readonly problem?: string | undefined;
}

/** A file as it was recorded. */
export interface RecordedFile {
  readonly path: string;
  readonly state: FileState;
  readonly changedAt: number;
  /** `null` where the file system does not tell. */
  readonly bornAt: number | null;
}

export interface LookLimits {
  /** Bytes of kept content in TILLER_HOME. */
  readonly maxBytes: number;
}

/**
 * The content of workspaces, kept in TILLER_HOME by its hash. Works off the event loop: callers wait, and hold up nothing.
 * Every method may reject with an error of the disk.
 */
export interface BaselineStore {
  /** Records what the folders hold now. Absolute paths, none inside another. */
  look(roots: readonly string[], limits: LookLimits): Promise<Look>;
  /** Of the last look: files that changed at this time or later. */
  changedSince(roots: readonly string[], since: number): Promise<readonly RecordedFile[]>;
  /** Records what these paths hold now, whatever their size and whether ignored or not. An entry for each. */
  capture(paths: readonly string[]): Promise<ReadonlyMap<string, FileState>>;
  /** Folders on the way to these paths that do not exist, outer ones first. */
  missingFolders(paths: readonly string[]): Promise<readonly string[]>;
  /** Keeps content that no file holds yet. */
  keep(bytes: Uint8Array, mode: number): Promise<Extract<FileState, { type: 'file' }>>;
  /** `undefined` when it is not kept any more, or was damaged. */
  read(hash: string): Promise<Uint8Array | undefined>;
  /** Ends what runs in the background. What is on disk stays. */
  dispose(): Promise<void>;
}

/** A file on its way to another state. */
export interface Restoration {
  /** Absolute, without a link on the way. */
  readonly path: string;
  /** What it must hold for it to be changed. */
  readonly from: FileState;
  readonly to:
    | { readonly type: 'absent' }
    | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number };
}

export type RestoreResult =
  | { readonly type: 'restored' }
  /** These hold something else by now, or are reached by a link. Nothing was changed. */
  | { readonly type: 'stale'; readonly paths: readonly string[] }
  /** Nothing was changed, but for `notRestored`. */
  | { readonly type: 'failed'; readonly message: string; readonly notRestored: readonly string[] };

// ---------------------------------------------------------------- commands

/** A folder a box leaves writable, and what stays read-only below it, whether or not it exists. Absolute paths. */
export interface WritableRoot {
  readonly path: string;
  readonly protectedPaths: readonly string[];
}

/** What a process may do inside a box: `core/sandbox` draws these walls, the hand builds them. */
export interface SandboxLimits {
  /** Empty: nothing may be written but the temporary folder. */
  readonly writableRoots: readonly WritableRoot[];
  /** Can be read even where the folder around them is hidden or unreadable. */
  readonly visible: readonly string[];
  readonly network: boolean;
  /** Files and folders that look empty or cannot be opened from inside. */
  readonly unreadable: readonly string[];
  readonly temporary: {
    /** A folder of ours that outlives the process; made when it is missing. */
    readonly folder: string;
    /** Where the process sees it, and nothing of what the machine has there: none, or its own path first. */
    readonly seenAt: readonly string[];
    /** Whether `$TMPDIR` of the process names it. */
    readonly isTmpdir: boolean;
  };
}

/**
 * What a boxed process has left behind that the person and the model must hear of before anything of ours reads it.
 * `message` is one plain sentence for both.
 */
export type SandboxFinding =
  /** A name that nobody may make, or what had taken the place of a link: it was moved away, and can be put back. */
  | {
      readonly kind: 'quarantined';
      readonly path: string;
      readonly quarantineId: string;
      readonly message: string;
    }
  /** The same, where there was nothing to move away, or it could not be moved. */
  | { readonly kind: 'left_behind'; readonly path: string; readonly message: string }
  /** New or changed git metadata that would run a program on the host. */
  | { readonly kind: 'git_metadata'; readonly path: string; readonly message: string };

/** What surrounds a process. `none` is a decision, never a fallback: a box that cannot be built is a failure to start. */
export type Confinement = { readonly type: 'none' } | { readonly type: 'box'; readonly walls: SandboxLimits };

export interface ExecRequest {
  /** Program and arguments; never a string for a shell to take apart. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'none' | 'pipe';
  readonly confinement: Confinement;
  /** A pseudo terminal instead of pipes. */
  readonly tty?: { readonly columns: number; readonly rows: number };
}

export interface ExecOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/** A process group (or a pid namespace) with its output. */
export interface ExecProcess {
  readonly pid: number | undefined;
  /**
   * Resolves when the process has ended and all its output was delivered. Output pipes that a surviving child still
   * holds are waited for at most 2 s. Never rejects.
   */
  readonly exited: Promise<ExecExit>;
  /** Output that came before the first listener is kept for it. One listener. */
  onOutput(listener: (output: ExecOutput) => void): void;
  write(chars: string): void;
  /** Of its terminal, if it has one. */
  resize(columns: number, rows: number): void;
  /** Ends the whole tree: politely, and after `graceMs` (default 500) by force. Resolves when it has exited. */
  kill(graceMs?: number): Promise<void>;
}

export interface ExecExit {
  /** 128 + n when signal n ended it. */
  readonly code: number;
  readonly signal: string | null;
  /** Of a boxed process; absent when there is nothing to tell. */
  readonly findings?: readonly SandboxFinding[];
}

export interface Exec {
  /** @throws Error with a sentence fit for the model when the process cannot be started. */
  spawn(request: ExecRequest): Promise<ExecProcess>;
}

// ---------------------------------------------------------------- state on disk

/** A file that only grows. */
export interface AppendFile {
  readonly path: string;
  /**
   * Returns once the operating system has it, so that a killed process loses nothing. A text that is very long may come
   * in pieces. @throws Error
   */
  append(text: string | Iterable<string>): void;
  /** Forces it to the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** TILLER_HOME. Paths are relative to it, with `/`. Files are 0600, folders 0700. */
export interface Storage {
  readonly home: string;
  openAppend(path: string): Promise<AppendFile>;
  /** `undefined` when there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** Another text whenever the file is another; `undefined` when there is none. Cheap enough to ask each time. Rejects for a link that leads nowhere. */
  stamp(path: string): Promise<string | undefined>;
  /** Replaces the file whole: afterwards it is the old one or the new one. */
  writeText(path: string, text: string): Promise<void>;
  /** Reads, changes and writes as one act, whoever else does. What `change` throws leaves the file as it was. */
  updateText(path: string, change: (text: string | undefined) => string): Promise<void>;
  /** The same for what need not be text. */
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  /** At most `length` bytes from byte `from` on; fewer at the end, none when there is no such file. */
  readBytes(path: string, from: number, length: number): Promise<Uint8Array>;
  /** Paths of all files below a folder, sorted; none when there is no folder. */
  listFiles(path: string): Promise<readonly string[]>;
  /** The same, with what tells whether one has changed. */
  statFiles(path: string): Promise<readonly StoredFile[]>;
  /** Into a folder that is made where it is missing; takes the place of what is there. @throws Error when there is no such file */
  move(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface StoredFile {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** A name that one process holds. It is free again when that process lets go or is gone. */
export interface HeldLock {
  release(): Promise<void>;
}

export type LockAttempt =
  | { readonly type: 'held'; readonly lock: HeldLock }
  | { readonly type: 'owned'; readonly owner: ThreadOwner };

/** Names that at most one process holds at a time, over all processes that share TILLER_HOME (design decision 13). */
export interface Locks {
  /** `onAsked` is called whenever somebody else would like to have it. */
  acquire(name: string, onAsked?: () => void): Promise<LockAttempt>;
  /** Tells the owner that it is wanted; the returned function takes the wish back. */
  ask(name: string): Promise<() => Promise<void>>;
  /** Who holds what. */
  owners(): Promise<ReadonlyMap<string, ThreadOwner & { readonly mine: boolean }>>;
}

/** What was decided and what came of it. It only grows; secrets are hidden; it is for nobody else's eyes. */
export interface AuditJournal {
  /** Returns once the operating system has it. @throws Error when it cannot be kept. */
  append(entry: AuditEntry): void;
  /** The last ones, oldest first. Costs what they are, not what the whole log is. */
  latest(limit: number): Promise<readonly AuditEntry[]>;
}

// ---------------------------------------------------------------- small hands

export type Fetch = typeof globalThis.fetch;

export interface Secrets {
  /** The key entered for exactly this origin (scheme, host, port); a key is sent nowhere else (design decision 12). */
  keyFor(origin: string): Promise<string | undefined>;
}

export interface Clock {
  /** Wall time, for showing and recording. */
  now(): Date;
  /** Milliseconds of a clock that never jumps, for measuring. */
  monotonic(): number;
  /** Rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface Ids {
  /** UUID version 7: sorts by time. For threads. */
  uuid(): string;
  /** Short and unique in this process, e.g. `item_k3f9…`. */
  next(prefix: string): string;
  /** In [0, 1). For jitter. */
  random(): number;
}

export interface Log {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

/** Facts about the machine that do not change while we run. */
export interface Host {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly homeDirectory: string;
  readonly tempDirectory: string;
  /** Path of the person's shell. */
  readonly shell: string;
  /** IANA name. */
  readonly timeZone: string;
  /** As we were started; what a command gets of it is decided in core. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Ports {
  /** Keys that Tiller holds: hidden in everything that is shown, written down or told to a model. */
  readonly keys: SecretRedactor;
  readonly workspace: Workspace;
  readonly exec: Exec;
  readonly storage: Storage;
  /** Absent where nothing is kept of what commands change. */
  readonly baseline?: BaselineStore;
  readonly audit: AuditJournal;
  readonly locks: Locks;
  readonly fetch: Fetch;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly host: Host;
}
