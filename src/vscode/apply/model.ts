/** Types of applying patches in VS Code: input, dependencies, plan and result. */
import type * as vscode from 'vscode';
import type { CanonicalPaths, HeldFolders, PlacedChange } from '../../core/patch/placedChange.ts';
import type { DecidedChange, AppliedFile, Log, TextHunk } from '../../core/ports.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import type { FileMoveLog } from '../../core/util/moveLog.ts';
import type { TextContent } from '../workspace/textContent.ts';

/** A change with data that only Tiller's memory of earlier patches can add. */
export type ApplyChange = DecidedChange & {
  /** For an `add` that restores a file: exact bytes and permissions, used instead of the text. */
  readonly exactly?: FileImage;
  /** For an `add` that replaces a binary file: the bytes of that file. */
  readonly overBytes?: Uint8Array;
};

/** The origin of a patch, by which it can be undone. */
export interface PatchOrigin {
  readonly turnId: string;
  readonly itemId: string;
  /** The thread of the patch; the hunks of its patches are its own. */
  readonly threadId?: string;
  /** Applied without approval: its hunks go to change review. */
  readonly isUnseen?: boolean;
  /** A text that a tab shows is not saved: the user saves it, as after typing. */
  readonly staysUnsaved?: boolean;
}

// ---------------------------------------------------------------- dependencies

/** Serializes work on the same path. One instance for the whole extension host. */
export interface PathLocks {
  /** Returns the function that releases them. @throws the signal's reason */
  acquire(paths: Iterable<string>, signal?: AbortSignal): Promise<() => void>;
}

/** Renames and deletions by the user that are in progress, and past renames. One instance for the whole extension host. */
export interface UserMoves {
  /** Includes the renames of patches and their rollbacks. */
  readonly log: FileMoveLog;
  /**
   * Call the returned function when the changes are applied; until then no file of theirs is moved. @throws StaleFiles,
   * after the move has ended, when one of the files was already being moved; or the signal's reason
   */
  pass(changes: readonly PlacedChange[], signal?: AbortSignal): Promise<() => void>;
}

/** The content of one path on the disk. */
export type DiskImage =
  | { readonly type: 'absent' }
  | { readonly type: 'link'; readonly target: string }
  /** Without a mode the system decides, as for any new file. */
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number | null };

export interface JournalEntry {
  readonly path: string;
  readonly before: DiskImage;
  readonly after: DiskImage;
  /** The image is of the buffer, which stays unsaved: the disk is not changed. */
  readonly unsaved?: true;
  /**
   * The images are of the cells of a notebook. `file`: that of its file before, where the notebook is saved. `removed`:
   * cells of which the patch leaves nothing (cellsInJournal.ts).
   */
  readonly cells?: { readonly file: DiskImage | null; readonly removed: Uint8Array | null };
}

export interface ApplyJournal {
  /**
   * Resolves once the journal is on the disk: from then on a crash leaves an interrupted patch with a recovery choice.
   * Waits until earlier patches of the same files are on the disk. @throws the signal's reason during that
   */
  open(entries: readonly JournalEntry[], signal?: AbortSignal): Promise<OpenApplyJournal>;
}

export interface OpenApplyJournal {
  /** The patch is complete or fully rolled back: removes the journal. */
  close(): Promise<void>;
  /** The rollback was incomplete: keeps the journal with the images before. */
  keep(): Promise<void>;
}

/** Observes an application while it runs, to recognize the edit events of VS Code that the application causes. */
export interface ApplyWatch {
  /** Called before a text is changed. Call the returned function when VS Code has accepted or refused the edit. */
  edits(file: Pick<FoundFile, 'uri' | 'path'>, text: { readonly before: string; readonly after: string }): () => void;
  moves(from: Pick<FoundFile, 'uri' | 'path'>, to: Pick<FoundFile, 'uri' | 'path'>): void;
  /** Called before a file is deleted. Call the returned function when it stays, or is there again. */
  deletes(file: Pick<FoundFile, 'uri'>): () => void;
}

export interface HeldPlaces extends HeldFolders {
  /** Call when a folder was removed at a place. */
  forget(place: string): void;
}

/** Guards writes of VS Code by a path (a save, the move or deletion of a file with a tab): VS Code follows any link. */
export interface PathWrites {
  /**
   * Resolves to true if no other process is changing the folders on the path and no name on it is a link; the same for
   * the file itself, which need not exist. Never rejects. `path`: the path that VS Code writes by, where it differs
   * because of links.
   */
  isStable(place: string, path?: string): Promise<boolean>;
  /** A link was found on the way to the place: for some time `isStable` is false for all paths through its folder. */
  distrust(place: string): void;
  /** Resolves when no sandboxed command of Tiller runs; disposing resumes them. Never rejects. */
  pause(): Promise<Pause>;
}

export interface Pause extends Disposable {
  /** False when a command could not be stopped, or was resumed because the pause took too long. */
  isHeld(): boolean;
}

export interface ApplyDeps {
  /** A new one for each application: it may cache. */
  readonly canonicalPaths: () => CanonicalPaths;
  readonly holdFolders: () => HeldPlaces;
  readonly pathWrites: PathWrites;
  readonly locks: PathLocks;
  readonly moves: UserMoves;
  readonly journal: ApplyJournal;
  readonly log: Log;
  readonly watch?: ApplyWatch | undefined;
  /** A text that a tab shows is not saved. */
  readonly staysUnsaved?: boolean | undefined;
}

// ---------------------------------------------------------------- what was found

export interface DiskFile {
  readonly bytes: Uint8Array;
  /** Changes with every write of the file. */
  readonly stamp: string;
  /** Permission bits, where the file system has them. */
  readonly mode: number | undefined;
  /** The same value for all names of a file that has several. */
  readonly identity: string | undefined;
  /** Set when the name is a symbolic link, which has no bytes. */
  readonly linkTarget: string | undefined;
}

/** The state of one path before the patch is applied. */
export interface FoundFile {
  /** Real path, links followed. */
  readonly path: string;
  /** The URI of the open document, if there is one; its path may differ, for example by a link or by case. */
  readonly uri: vscode.Uri;
  readonly disk: DiskFile | undefined;
  /** As a reader gets it: the unsaved buffer, else the disk. `undefined` for a missing or binary file. */
  readonly content: TextContent | undefined;
  readonly exists: boolean;
  readonly isDirty: boolean;
  readonly hadTab: boolean;
  /** Set if the file is open as a notebook: `content` is then the text of its cells. */
  readonly notebook?: vscode.NotebookDocument | undefined;
}

// ---------------------------------------------------------------- the steps

export type ApplyStep =
  /** Bytes written as they are. */
  | {
      readonly type: 'write';
      readonly file: FoundFile;
      readonly bytes: Uint8Array;
      readonly mode: number | undefined;
      /** Set if the path is to become a symbolic link. */
      readonly linkTarget: string | undefined;
      /** Set if an earlier step moves this file to the path. */
      readonly comesFrom: FoundFile | undefined;
    }
  | { readonly type: 'rename'; readonly from: FoundFile; readonly to: FoundFile }
  | EditStep
  | { readonly type: 'delete'; readonly file: FoundFile };

/** A change of one file's text in its buffer. */
export interface EditStep {
  readonly type: 'edit';
  readonly file: FoundFile;
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly TextHunk[];
  /** `always`, although it was dirty: the user agreed to discard the unsaved edits. */
  readonly saving: 'if_clean' | 'always' | 'never';
}

/** A document changed by an edit: a text document or a notebook. */
export type EditedDocument = Pick<vscode.TextDocument, 'uri' | 'isDirty' | 'version' | 'save'> & { getText(): string };

/** An edit that was applied. */
export interface BufferEdit {
  readonly step: EditStep;
  readonly document: EditedDocument;
  /** The text directly before and after; the user may have typed since the plan was made. */
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly TextHunk[];
  readonly wasDirty: boolean;
  /** The document's version directly after the edit: a later one means that it was edited again. */
  readonly version: number;
}

/** A change with its steps. */
export interface PlannedChange {
  readonly change: ApplyChange;
  readonly steps: readonly ApplyStep[];
  /** The state of the path that the change names. */
  readonly source: FoundFile;
  /** The state of the destination of a move. */
  readonly destination: FoundFile | undefined;
}

// ---------------------------------------------------------------- the result

export interface FileImage {
  /** The text that the user saw, unsaved edits included; `null` when it was not text. */
  readonly text: string | null;
  /** `null` when it was not on the disk. */
  readonly bytes: Uint8Array | null;
  readonly mode: number | undefined;
  readonly linkTarget: string | undefined;
}

/** An applied change, with all facts for its undo. */
export interface AppliedChange {
  readonly change: ApplyChange;
  /** The content of `path` before; `null` if it did not exist. */
  readonly before: FileImage | null;
  /** The content that a move replaced at its destination; `null` if there was none. */
  readonly over: FileImage | null;
  /** The text directly before and after our edit; the user may have typed since the plan was made. */
  readonly edited: { readonly before: string; readonly after: string } | null;
  /** The text after saving, changes by formatters included; `null` when the file is gone. */
  readonly final: string | null;
  /** Set for an open notebook whose cells were changed: all texts of `change` and `final` are texts of cells. */
  readonly cells?: {
    /** The bytes of the file after saving; `null` when it was not saved. */
    readonly saved: Uint8Array | null;
  };
}

export interface AppliedPatch {
  readonly type: 'applied';
  readonly files: readonly AppliedFile[];
  readonly changes: readonly AppliedChange[];
}

/** The files no longer match the plan. */
export class StaleFiles extends Error {
  readonly paths: readonly string[];
  constructor(paths: readonly string[]) {
    super(paths.join(', '));
    this.paths = paths;
  }
}
