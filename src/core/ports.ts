/**
 * What core needs from the outside. Core decides; each interface is implemented in `node/` or `vscode/`.
 *
 * Paths are absolute and in the notation of the host unless stated otherwise. Every wait takes an `AbortSignal`.
 */
import type { AuditEntry } from '../protocol/audit.ts';
import type { FileState } from '../protocol/baseline.ts';
import type { ThreadOwner } from '../protocol/threads.ts';
import { describeFileError, fileErrorKind } from './util/fileErrors.ts';
import type { FileMoveLog } from './util/moveLog.ts';
import type { SecretRedactor } from './util/secretRedactor.ts';

// ---------------------------------------------------------------- workspace

export interface TextFile {
  /** Decoded text with its own line endings, without a byte order mark. */
  readonly text: string;
  /** The live document where one is open, the disk otherwise. */
  readonly source: 'buffer' | 'disk';
  /** True when the buffer has unsaved edits of the user. */
  readonly dirty: boolean;
  /** The file is open as a notebook: `text` is that of its cells (core/patch/notebookText.ts). */
  readonly isCells?: boolean;
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

/** Replaces lines `start`…`end` (0-based, end excluded) of the old text by `text`, which has its own line endings. */
export interface TextHunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * One file's net change, planned against the text that was read. A plan can be shown, approved, tested and discarded;
 * only `Workspace.apply` changes files.
 */
export type FileChange = TextChange & {
  /** Set when the user was asked about this file by its name and agreed to lose unsaved edits in it. */
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

/** The resolved place of a path at one time. Absolute; no folder of either path is a link. */
export interface FilePlace {
  /** With the links of its folders resolved, but not its last name: what a removal removes. */
  readonly name: string;
  /**
   * With the last name resolved too, even if its target does not exist: what is read and written. Equals `name` where
   * that is no link.
   */
  readonly target: string;
}

export type FilePlaces = ReadonlyMap<string, FilePlace>;

/**
 * A change with the places that the decision covers. Every read and write for it uses these places, follows no link
 * there, and refuses the change as stale when its paths lead elsewhere by then.
 */
export type DecidedChange = FileChange & { readonly places: ChangePlaces };

export interface ChangePlaces {
  readonly path: FilePlace;
  /** `null` for a change without a move. */
  readonly movedTo: FilePlace | null;
}

/** Lines that end with a line feed, counted from 0, `end` excluded. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** A part of a file's change that the user can decide about separately: its lines before and after the change. */
export interface ProposedHunk {
  readonly before: LineSpan;
  readonly after: LineSpan;
  /** Of a side copy: the user has changed the same lines since. It is left out until the user restores it. */
  readonly isConflict?: true;
}

/** One file of a patch, as shown to the user for approval. */
export interface ProposedFile {
  /** The file's name on the approval card. */
  readonly name: string;
  readonly change: FileChange;
  /** One for each `@@` of the file's diff on the card, without context lines; in order. */
  readonly hunks: readonly ProposedHunk[];
}

/** The origin of an applied patch, so that it can be identified for undo. */
export interface ApplyOrigin {
  /** The hunks of its patches are its own in review. */
  readonly threadId?: string;
  readonly turnId: string;
  readonly itemId: string;
  /** True when the patch was applied without approval: the user may want to look at it now. */
  readonly isUnseen?: boolean;
  /** A text that an editor shows is changed there and not saved: the user saves it, as after typing. */
  readonly staysUnsaved?: boolean;
}

export interface AppliedFile {
  readonly path: string;
  /** False when the change is only in a buffer: it has unsaved edits of the user, or could not be saved. */
  readonly saved: boolean;
  /** True when saving changed the text (a formatter), so that the model can be informed. */
  readonly reformatted: boolean;
}

export type ApplyResult =
  | { readonly type: 'applied'; readonly files: readonly AppliedFile[] }
  /**
   * The files, or the places that their paths lead to, are no longer what was planned: plan and decide again. Nothing
   * was changed.
   */
  | {
      readonly type: 'stale';
      readonly paths: readonly string[];
      /** True when another thread of this host was the last to apply a patch there, after the plan was made. */
      readonly byAnotherThread?: boolean;
    }
  /** Everything was rolled back; `notRestored` names files that could not be. */
  | { readonly type: 'failed'; readonly message: string; readonly notRestored: readonly string[] };

/** `moved`: the path leads to another place than the requested one. */
export type WorkspaceErrorCode = 'not_found' | 'is_directory' | 'not_text' | 'too_large' | 'denied' | 'io' | 'moved';

/** Why a file could not be read, with a message that a tool can return. */
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

/** Converts an error of a file system to one of this port. */
export function toWorkspaceError(error: unknown, path: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  return new WorkspaceError(fileErrorKind(error), path, describeFileError(error, path));
}

export interface Workspace {
  /** The open folders, the first one first. */
  readonly roots: readonly string[];
  /** @throws WorkspaceError */
  read(path: string, signal?: AbortSignal): Promise<TextFile>;
  /** @throws WorkspaceError; `too_large` above `maxBytes`. */
  readBytes(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /** Returns `undefined` when nothing is there. Follows symbolic links and reports them. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The path of a file with all links resolved. @throws WorkspaceError */
  realPath(path: string): Promise<string>;
  /**
   * The resolved place of each path, existing or not; the error where it cannot be resolved. One entry for each path.
   */
  places(paths: readonly string[]): Promise<ReadonlyMap<string, FilePlace | WorkspaceError>>;
  /**
   * Reads the file at each place without following a link; `moved` where a link has replaced it. Has the keys of
   * `places`. Rejects only with the signal's reason.
   */
  readPlaces(places: FilePlaces, signal?: AbortSignal): Promise<ReadonlyMap<string, TextFile | WorkspaceError>>;
  /** @throws WorkspaceError. Sorted by name. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /**
   * Applies all changes or none (design decision 4). Never rejects, except when `signal` aborts before the first write.
   */
  apply(changes: readonly DecidedChange[], signal?: AbortSignal, origin?: ApplyOrigin): Promise<ApplyResult>;
  /** Files that `apply` changed and that are unsaved in an editor now. */
  unsavedFiles(): readonly string[];
  /** Files whose text in an editor is not the one on the disk; none where absent. */
  unsavedTexts?(): readonly string[];
  /** Absent where files are not moved in an editor. */
  readonly moves?: FileMoveLog | undefined;
  /** Saves them as the user would. Returns those that are still unsaved. Never rejects. */
  save(paths: readonly string[]): Promise<readonly string[]>;
  /**
   * Brings all files to another state or none, and removes `folders` that are empty then. Byte by byte on the disk; a text
   * with unsaved edits is changed in the editor and stays unsaved. Never rejects. Absent where there are no real files, as
   * in a replay.
   */
  restore?(files: readonly Restoration[], folders: readonly string[]): Promise<RestoreResult>;
}

// ---------------------------------------------------------------- problems

/** An error or a warning that the editor shows for a file. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** From 1, like the column. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The program that reports it and its code for it, `ts 2322`; may be empty. */
  readonly origin: string;
  /** The text of its line; empty where the file is not open. */
  readonly lineText: string;
}

/** A file that a patch writes. */
export interface PatchedFile {
  /** The path of the text after the patch, and its resolved place. */
  readonly path: string;
  readonly place: string;
  /** The same before the patch; `null` for a new file. */
  readonly before: { readonly path: string; readonly place: string } | null;
}

/** The problems of one file before a patch and after it. */
export interface CheckedFile {
  readonly path: string;
  readonly isPatched: boolean;
  /**
   * `current`: reported for the text after the patch, or a later one. `checking`: not reported yet, or still changing.
   * `unchecked`: nothing is known, because the file is shown in no tab, or nothing checks its language.
   */
  readonly state: 'current' | 'checking' | 'unchecked';
  readonly before: readonly Problem[];
  readonly after: readonly Problem[];
}

/** The problems that language servers and linters report in an editor. */
export interface Problems {
  /** Records the problems of all open files. Call before a patch that writes these files is applied. Never rejects. */
  watch(files: readonly PatchedFile[]): Promise<ProblemWatch>;
}

/** The caller disposes it. */
export interface ProblemWatch {
  /**
   * Call once, when the patch is applied. Resolves when its files have been checked, after 3 s, or when the signal aborts:
   * with each patched file, and each other open file whose problems have changed. Never rejects.
   */
  settle(signal: AbortSignal): Promise<readonly CheckedFile[]>;
  dispose(): void;
}

// ---------------------------------------------------------------- languages

/** A position in the text of a file, as it is in the editor. */
export interface CodePosition {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 0, in UTF-16 units. */
  readonly column: number;
}

/** A declaration that a language extension knows. */
export interface CodeSymbol extends CodePosition {
  readonly name: string;
  /** `function`, `class` … */
  readonly kind: string;
  /** The name of what it is declared in; may be empty. */
  readonly container: string;
}

/** Replaces a range of a text; the path of both ends is that of the file. */
export interface CodeEdit {
  readonly start: Pick<CodePosition, 'line' | 'column'>;
  readonly end: Pick<CodePosition, 'line' | 'column'>;
  readonly text: string;
}

/** What a rename does to one file. */
export interface RenamedFile {
  readonly path: string;
  readonly movedTo: string | null;
  /** The text that the edits are for; `undefined` where the file is not open, and the disk has it. */
  readonly text: string | undefined;
  readonly edits: readonly CodeEdit[];
}

export type RenameAnswer =
  | { readonly type: 'renamed'; readonly files: readonly RenamedFile[] }
  /** The language extension says why not, or nothing knows the symbol. */
  | { readonly type: 'refused'; readonly message: string };

/** Requests about a language; symbols of a file are often answered before its project is read. */
export type CodeKind = 'outline' | 'code';

export type CodeRelation = 'definition' | 'references' | 'implementations';

/**
 * The language extensions of an editor. An answer is empty where none knows the language, where there is nothing to find,
 * and while an extension is still starting or reading the project: the three look the same. No request can be cancelled.
 */
export interface Languages {
  /** Opens the file without a tab, so that the extension of its language starts. @throws Error for what is not text */
  open(path: string): Promise<void>;
  /**
   * Whether a request of this kind has had an answer that is not empty in this window, about the language of this file.
   * Without a path: about symbols of the workspace.
   */
  hasAnswered(kind: CodeKind, path: string | undefined): boolean;
  /**
   * Whether an empty answer is believed although nothing has answered so far: calls have waited their whole time in vain, and
   * no extension was installed or turned on since.
   */
  isSilent(kind: CodeKind, path: string | undefined): boolean;
  /** Milliseconds that a call may ask again while all answers are empty. */
  patienceFor(path: string | undefined): number;
  /** A call has waited in vain. */
  noteSilence(kind: CodeKind, path: string | undefined): void;
  /**
   * Resolves when the extensions have read the project of an open file, as far as an answer of theirs shows it. Until then
   * the other answers may lack places in other files. Never rejects; at once where no extension has started.
   */
  settle(at: CodePosition): Promise<void>;
  find(relation: CodeRelation, at: CodePosition): Promise<readonly CodePosition[]>;
  /** Type and documentation, as Markdown. */
  describe(at: CodePosition): Promise<readonly string[]>;
  /** All symbols of a file. */
  outline(path: string): Promise<readonly CodeSymbol[]>;
  /** Symbols of the workspace whose names match the query in some way. */
  search(query: string): Promise<readonly CodeSymbol[]>;
  rename(at: CodePosition, newName: string): Promise<RenameAnswer>;
  /** What the editor shows now for this file, or for all that have any. */
  problems(path?: string): readonly { readonly path: string; readonly problems: readonly Problem[] }[];
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

/**
 * A folder that a sandbox leaves writable, and what stays read-only below it, whether or not it exists. Absolute paths.
 */
export interface WritableRoot {
  readonly path: string;
  readonly protectedPaths: readonly string[];
}

/** What a process may do inside a sandbox: `core/sandbox` decides these limits, `node/sandbox` enforces them. */
export interface SandboxLimits {
  /** If empty, only the temporary folder may be written. */
  readonly writableRoots: readonly WritableRoot[];
  /** Readable even where the folder around them is hidden or unreadable. */
  readonly visible: readonly string[];
  readonly network: boolean;
  /** Files and folders that look empty or cannot be opened inside the sandbox. */
  readonly unreadable: readonly string[];
  /**
   * Entries of the setting `sandbox.unreadable`. Files that its globs and Tiller's own match (core/policy/readPatterns)
   * cannot be opened; those that exist when the process starts, within the limits of `node/sandbox/treeScan`.
   */
  readonly unreadableGlobs: readonly string[];
  readonly temporary: {
    /** A folder of Tiller that outlives the process; created when it is missing. */
    readonly folder: string;
    /** The paths at which the process sees it instead of the machine's folders: none, or its own path first. */
    readonly seenAt: readonly string[];
    /** True when `$TMPDIR` of the process names it. */
    readonly isTmpdir: boolean;
  };
}

/**
 * What a sandboxed process has left behind that the user and the model must learn before Tiller reads it. `message` is
 * one plain sentence for both.
 */
export type SandboxFinding =
  /** A protected name that was created, or what had replaced a link: it was quarantined and can be restored. */
  | {
      readonly kind: 'quarantined';
      readonly path: string;
      readonly quarantineId: string;
      readonly message: string;
    }
  /** Like `quarantined`, but there was nothing to move, or moving it failed. */
  | { readonly kind: 'left_behind'; readonly path: string; readonly message: string }
  /** New or changed git metadata that would run a program outside the sandbox. */
  | { readonly kind: 'git_metadata'; readonly path: string; readonly message: string };

/**
 * The sandbox of a process. `none` is a decision, never a fallback: if a sandbox cannot be built, the process does not
 * start.
 */
export type Confinement = { readonly type: 'none' } | { readonly type: 'sandbox'; readonly limits: SandboxLimits };

export interface ExecRequest {
  /** Program and arguments; never a string for a shell to parse. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** A text is written to it, and then it is closed. */
  readonly stdin: 'none' | 'pipe' | { readonly text: string };
  readonly confinement: Confinement;
  /** It is known to only read, so that it may share its sandbox with others that start together with it. */
  readonly onlyReads?: true;
  /** Windows: the arguments are quoted for the program already. */
  readonly verbatimArguments?: true;
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
   * Resolves when the process has ended and all its output was delivered. Waits at most 2 s for output pipes that a
   * surviving child still holds open. Never rejects.
   */
  readonly exited: Promise<ExecExit>;
  /** Allows one listener. Output that arrived before is kept for it. */
  onOutput(listener: (output: ExecOutput) => void): void;
  write(chars: string): void;
  /** Resizes its terminal, if it has one. */
  resize(columns: number, rows: number): void;
  /**
   * Ends the whole process tree: first with a request to exit, and after `graceMs` (default 500) by force. Resolves
   * when it has exited.
   */
  kill(graceMs?: number): Promise<void>;
}

export interface ExecExit {
  /** 128 + n when signal n ended it. */
  readonly code: number;
  readonly signal: string | null;
  /** Set only for a sandboxed process that left something behind. */
  readonly findings?: readonly SandboxFinding[];
}

export interface Exec {
  /** Makes the start of commands cheaper where it can. Call when a command may follow soon. Returns at once. */
  prepare?(): void;
  /**
   * @throws Error with a message for the model when the process cannot be started; or the reason of `signal` as soon as
   * it aborts: then a process that starts all the same is ended at once.
   */
  spawn(request: ExecRequest, signal?: AbortSignal): Promise<ExecProcess>;
}

// ---------------------------------------------------------------- state on disk

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

// ---------------------------------------------------------------- small ports

export type Fetch = typeof globalThis.fetch;

export interface Secrets {
  /**
   * The key that was entered for exactly this origin (scheme, host, port); a key is sent to no other origin (design
   * decision 12).
   */
  keyFor(origin: string): Promise<string | undefined>;
}

export interface Clock {
  /** Wall-clock time, for display and records. */
  now(): Date;
  /** Milliseconds of a monotonic clock, for measuring. */
  monotonic(): number;
  /** Rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface Ids {
  /** UUID version 7, which sorts by time. For threads. */
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

/** Facts about the machine that do not change while the process runs. */
export interface Host {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly homeDirectory: string;
  readonly tempDirectory: string;
  /** Path of the user's shell. */
  readonly shell: string;
  /** IANA name. */
  readonly timeZone: string;
  /** The calendar day at `at` in that time zone, as YYYY-MM-DD. */
  localDay(at: Date): string;
  /** The environment of this process; core decides what a command gets of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Regular expressions that a model has written: a hostile one must not stop Tiller. */
export interface Regexps {
  /**
   * Returns a test whether a line of a text matches; `too_slow` when that takes longer than a second. @throws
   * SyntaxError
   */
  compile(pattern: string): (text: string) => boolean | 'too_slow';
}

// ---------------------------------------------------------------- the web

export interface WebRequest {
  /** http or https, without a user and a fragment. */
  readonly url: URL;
  /** The header `accept`. */
  readonly accept: string;
  /** Of the decompressed body; the rest is not read. */
  readonly maxBytes: number;
  /** False: an address on this machine or in a private network is refused, also when a name leads to it. */
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal;
}

export interface WebAnswer {
  readonly status: number;
  /** Empty where the server sends none. */
  readonly contentType: string;
  /** Absolute; of a redirect, which is not followed. */
  readonly location: URL | undefined;
  readonly bytes: Uint8Array;
  /** There was more than `maxBytes`. */
  readonly isCut: boolean;
}

/** `private`: the address was refused. The message is a sentence for the model. */
export class WebError extends Error {
  readonly code: 'private' | 'failed';

  constructor(code: WebError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Public pages, without keys and cookies. */
export interface Web {
  /** True for the host of a URL that is an address, or a name, of this machine or of a private network. Resolves nothing. */
  isPrivate(hostname: string): boolean;
  /** One GET. @throws WebError; rejects with the signal's reason when that aborts. */
  get(request: WebRequest): Promise<WebAnswer>;
}

export interface TextSearchRequest {
  /** In the syntax of ripgrep. */
  readonly pattern: string;
  /** A folder, which is searched with all below it, or a file. Absolute. */
  readonly place: string;
  /** A glob of file names to look at; all where absent. */
  readonly include?: string | undefined;
  /** Names of folders that are not entered. */
  readonly neverEntered: readonly string[];
  /** Folders in which others than the user may have put a program. */
  readonly untrusted: readonly string[];
  readonly maxFiles: number;
  readonly timeoutMs: number;
}

export type TextSearchResult =
  /** Absolute paths of files on the disk with a line that matches, and that no `.gitignore` in or below the place names. */
  | { readonly type: 'found'; readonly files: readonly string[]; readonly isComplete: boolean }
  /** There is no ripgrep, or it does not take the pattern: search in another way. */
  | { readonly type: 'unavailable' };

/** Searches the files of a folder with another program, which is faster than reading each of them. */
export interface TextSearch {
  /** Rejects only with the signal's reason; the program has ended by then. */
  find(request: TextSearchRequest, signal: AbortSignal): Promise<TextSearchResult>;
}

/** An image to scale down to `width` × `height` pixels. */
export interface ImageScaling {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

export interface Images {
  /** The smaller image, of the same type. Rejects when it cannot be decoded, or with the signal's reason. */
  scale(image: ImageScaling, signal: AbortSignal): Promise<Uint8Array>;
}

/** Where side copies of the workspace are. Places are found synchronously: they are asked for with each decision. */
export interface SideCopyPlaces {
  /** The same place in the workspace; the place itself where it is in no side copy. */
  homeOf(place: string): string;
  /** All folders of the side copy around a place, the first one first; `undefined` for a place elsewhere. */
  foldersAround(place: string): readonly { readonly home: string; readonly copy: string }[] | undefined;
  /**
   * What the thread has changed in its side copy and the user has not brought home: paths in the workspace. `undefined`
   * where it has no side copy. Rejects with the error of the disk, or the signal's reason.
   */
  changedBy(threadId: string, signal: AbortSignal): Promise<readonly string[] | undefined>;
}

export interface Ports {
  /** Keys that Tiller holds: redacted in everything that is shown, recorded or sent to a model. */
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
  readonly regexps: Regexps;
  readonly textSearch?: TextSearch;
  readonly images: Images;
  readonly web: Web;
  /** Absent where there is no editor. */
  readonly problems?: Problems;
  /** Absent where no thread works in a side copy. */
  readonly sideCopies?: SideCopyPlaces;
  /** Absent where there is no editor. */
  readonly languages?: Languages;
}
