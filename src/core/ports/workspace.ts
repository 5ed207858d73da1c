/** Files as they are now, and patches on them. */
import { describeFileError, fileErrorKind } from '../util/fileErrors.ts';
import type { FileMoveLog } from '../util/moveLog.ts';
import type { Restoration, RestoredFolders, RestoreResult } from './baseline.ts';

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
  /** The path with the links of its folders resolved, but not its last name: a removal removes this name. */
  readonly name: string;
  /**
   * The path with the last name resolved too, even if its target does not exist: reads and writes use it. Equals `name`
   * where that is no link.
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
  /** Set for a hunk of a side copy whose lines the user has changed since. It is left out until the user restores it. */
  readonly isConflict?: true;
}

/** One file of a patch, as shown to the user for approval. */
export interface ProposedFile {
  /** The file's name on the approval card. */
  readonly name: string;
  readonly change: FileChange;
  /** The hunks in order, one per `@@` of the file's diff on the card, without context lines. */
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
   * The files, or the places that their paths lead to, differ from the plan: plan and decide again. No file was
   * changed.
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

/** A file could not be read; the message can be returned by a tool. */
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

/** The names that a search for links wants. */
export interface WantedNames {
  /** Equal for two that want the same names: what was found for one counts for the other. */
  readonly key: string;
  readonly has: (name: string) => boolean;
}

export interface WantedName {
  /** `link`: another name of the same file. `moved`: its name until a sandboxed command moved it, or a folder around it. */
  readonly type: 'link' | 'moved';
  /** Absolute. */
  readonly name: string;
}

export interface Workspace {
  /** The open folders, the first one first. */
  readonly roots: readonly string[];
  /** @throws WorkspaceError */
  read(path: string, signal?: AbortSignal): Promise<TextFile>;
  /** @throws WorkspaceError; `too_large` above `maxBytes`. */
  readBytes(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /** Returns `undefined` for a missing path. Follows symbolic links and reports them. */
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
  /**
   * Returns, of these files, those that have a wanted name besides their own, with that name. Names of the same file (hard
   * links) are searched in the open folders and in `also` (files and folders), not in packages, within bounds. Files with
   * one name cost one look at each. Never rejects. Absent where there are no links.
   */
  findLinks?(
    files: readonly string[],
    wanted: WantedNames,
    also: readonly string[],
  ): Promise<ReadonlyMap<string, WantedName>>;
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
   * Brings all files to another state or none, with their folders. Byte by byte on the disk; a text with unsaved edits is
   * changed in the editor and stays unsaved. Never rejects. Absent where there are no real files, as in a replay.
   */
  restore?(files: readonly Restoration[], folders: RestoredFolders): Promise<RestoreResult>;
}
