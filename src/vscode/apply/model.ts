/** The words of a landing: what it gets, what it needs of others, what it leaves. */
import type * as vscode from 'vscode';
import type { CanonicalPaths, HeldFolders, PlacedChange } from '../../core/patch/placedChange.ts';
import type { DecidedChange, AppliedFile, Log, TextHunk } from '../../core/ports.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import type { TextContent } from '../workspace/textContent.ts';

/** A change with what only our own memory can add to it. */
export type ApplyChange = DecidedChange & {
  /** Of an `add` that brings a file back: its very bytes and permissions instead of the text. */
  readonly exactly?: FileImage;
};

/** Whose patch it is, so that it can be undone by name. */
export interface PatchOrigin {
  readonly turnId: string;
  readonly itemId: string;
  /** Nobody was asked about it: its hunks are to be reviewed now. */
  readonly isUnseen?: boolean;
}

// ---------------------------------------------------------------- what others do for it

/** Whoever wants the same path waits for its turn. One for all landings of the host. */
export interface PathLocks {
  /** Returns what gives them back. @throws the signal's reason */
  acquire(paths: Iterable<string>, signal?: AbortSignal): Promise<() => void>;
}

/** What the person renames or deletes just now. One for all landings of the host. */
export interface MovesOfPerson {
  /**
   * What is returned says that the changes have landed, and until then nothing of theirs is moved. @throws StaleFiles when
   * it was being moved already, once that is over, or the signal's reason
   */
  pass(changes: readonly PlacedChange[], signal?: AbortSignal): Promise<() => void>;
}

/** What one path on the disk holds. */
export type DiskImage =
  | { readonly type: 'absent' }
  | { readonly type: 'link'; readonly target: string }
  /** Without a mode the system decides, as for any new file. */
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number | null };

export interface JournalEntry {
  readonly path: string;
  readonly before: DiskImage;
  readonly after: DiskImage;
  /** It tells of the buffer, which nobody saves: the disk keeps what it has. */
  readonly unsaved?: true;
}

export interface ApplyJournal {
  /** Returns once it is on the disk: from then on a crash leaves a choice instead of a mess. */
  open(entries: readonly JournalEntry[]): Promise<OpenApplyJournal>;
}

export interface OpenApplyJournal {
  /** All is as it should be: the journal goes. */
  close(): Promise<void>;
  /** Something could not be brought back: it stays, with what was there before. */
  keep(): Promise<void>;
}

/** Hears what a landing does as it does it, and so knows whose the edits are that VS Code tells of next. */
export interface ApplyWatch {
  /** A text is about to become another one. What is returned says that VS Code is done with it, one way or the other. */
  edits(file: Pick<FoundFile, 'uri' | 'path'>, text: { readonly before: string; readonly after: string }): () => void;
  moves(from: Pick<FoundFile, 'uri' | 'path'>, to: Pick<FoundFile, 'uri' | 'path'>): void;
}

export interface HeldPlaces extends HeldFolders {
  /** To be called when a folder was removed at a place. */
  forget(place: string): void;
}

/** For what VS Code writes by its path (a save, the move or deletion of a file with a tab): it follows any link in it. */
export interface PathWrites {
  /**
   * Whether the way to a place was left alone by other processes for a moment, and no name on it is a link; the same for its
   * file, which need not exist. Never rejects. `path`: by which VS Code writes it, where that is another one, through links.
   */
  isStill(place: string, path?: string): Promise<boolean>;
  /** The place was found to be reached by a link: no way through its folder is still for some time. */
  distrust(place: string): void;
  /** Resolves when no sandboxed command of Tiller runs; they go on when it is disposed of. Never rejects. */
  pause(): Promise<Pause>;
}

export interface Pause extends Disposable {
  /** False when a command could not be stopped, or goes on because the pause took too long. */
  isHeld(): boolean;
}

export interface ApplyDeps {
  /** A fresh one for each landing: it may remember what it has seen. */
  readonly canonicalPaths: () => CanonicalPaths;
  readonly holdFolders: () => HeldPlaces;
  readonly pathWrites: PathWrites;
  readonly locks: PathLocks;
  readonly moves: MovesOfPerson;
  readonly journal: ApplyJournal;
  readonly log: Log;
  readonly watch?: ApplyWatch | undefined;
}

// ---------------------------------------------------------------- what it finds

export interface DiskFile {
  readonly bytes: Uint8Array;
  /** Changes when somebody writes the file. */
  readonly stamp: string;
  /** Permission bits, where the file system has them. */
  readonly mode: number | undefined;
  /** The same for all names of a file that has several. */
  readonly identity: string | undefined;
  /** Set when the name is a symbolic link, which has no bytes. */
  readonly linkTarget: string | undefined;
}

/** One place as it is before the landing. */
export interface FoundFile {
  /** Real path, links followed. */
  readonly path: string;
  /** Of the document where one is open, which may know the file by another name. */
  readonly uri: vscode.Uri;
  readonly disk: DiskFile | undefined;
  /** As a reader gets it: the unsaved buffer, else the disk. `undefined` when it is not text or nothing. */
  readonly content: TextContent | undefined;
  readonly exists: boolean;
  readonly isDirty: boolean;
  readonly hadTab: boolean;
}

// ---------------------------------------------------------------- what it does

export type ApplyStep =
  /** Bytes put down as they are. */
  | {
      readonly type: 'write';
      readonly file: FoundFile;
      readonly bytes: Uint8Array;
      readonly mode: number | undefined;
      /** Set when the name is to be a link instead. */
      readonly linkTarget: string | undefined;
      /** A step before this one puts the file there. */
      readonly comesFrom: FoundFile | undefined;
    }
  | { readonly type: 'rename'; readonly from: FoundFile; readonly to: FoundFile }
  | EditStep
  | { readonly type: 'delete'; readonly file: FoundFile };

/** One file's text, changed in its buffer. */
export interface EditStep {
  readonly type: 'edit';
  readonly file: FoundFile;
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly TextHunk[];
  /** Saved although it was dirty: the person agreed that what was unsaved may go. */
  readonly savesDirty: boolean;
}

/** An edit that landed. */
export interface BufferEdit {
  readonly step: EditStep;
  readonly document: vscode.TextDocument;
  /** The text just before and just after; the person may have typed since the plan was made. */
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly TextHunk[];
  readonly wasDirty: boolean;
  /** The document's version right after the edit: a later one means that somebody else was there. */
  readonly version: number;
}

/** A change with its steps. */
export interface PlannedChange {
  readonly change: ApplyChange;
  readonly steps: readonly ApplyStep[];
  /** What stood at the place that the change names. */
  readonly source: FoundFile;
  /** What stood where a move leads to. */
  readonly destination: FoundFile | undefined;
}

// ---------------------------------------------------------------- what it leaves

export interface FileImage {
  /** What a person saw there, unsaved edits included; `null` when it was not text. */
  readonly text: string | null;
  /** `null` when it was not on disk. */
  readonly bytes: Uint8Array | null;
  readonly mode: number | undefined;
  readonly linkTarget: string | undefined;
}

/** One change as it came out: enough to take it back. */
export interface AppliedChange {
  readonly change: ApplyChange;
  /** What stood at `path`; `null` for nothing. */
  readonly before: FileImage | null;
  /** What a move replaced at its destination. */
  readonly over: FileImage | null;
  /** The text just before and just after our edit; the person may have typed since the plan was made. */
  readonly edited: { readonly before: string; readonly after: string } | null;
  /** The text that was left when all was done, a formatter's changes included; `null` when the file is gone. */
  readonly final: string | null;
}

export interface AppliedPatch {
  readonly type: 'applied';
  readonly files: readonly AppliedFile[];
  readonly changes: readonly AppliedChange[];
}

/** The files are no longer what the plan was made for. */
export class StaleFiles extends Error {
  readonly paths: readonly string[];
  constructor(paths: readonly string[]) {
    super(paths.join(', '));
    this.paths = paths;
  }
}
