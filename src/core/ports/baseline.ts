/** Records the content of the workspace before commands and patches change it. */
import type { FileState } from '../../protocol/baseline.ts';

/** A path whose state differs from the previous scan. */
export interface LookedChange {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** When it came to be so, milliseconds since the epoch, at the latest; `null` where that is not known. */
  readonly changedAt: number | null;
  /** It was moved here from a place whose content is not kept: without this file it would be lost. */
  readonly isOnlyCopy?: true | undefined;
}

export interface KeptFolder {
  readonly path: string;
  /** Permission bits; left to the system where they are not known. */
  readonly mode?: number | undefined;
}

export interface Look {
  /** Differences from the last scan of these folders; none at the first scan. */
  readonly changes: readonly LookedChange[];
  /** Folders that were not there at the last look, outer ones first. */
  readonly newFolders: readonly string[];
  /** Folders that were there at the last look and are gone, outer ones first. */
  readonly goneFolders: readonly KeptFolder[];
  /** The first record: the earlier content is not known. */
  readonly isFirst: boolean;
  /** One sentence for the user if not everything could be recorded. */
  readonly problem?: string | undefined;
}

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
 * The content of workspaces, kept in TILLER_HOME by its hash. Works off the event loop: callers wait, and other work
 * goes on. Every method may reject with an error of the disk.
 */
export interface BaselineStore {
  /** Records the content of the folders. Absolute paths, none inside another. */
  look(roots: readonly string[], limits: LookLimits): Promise<Look>;
  /** Files of the last scan that changed at this time or later. */
  changedSince(roots: readonly string[], since: number): Promise<readonly RecordedFile[]>;
  /** Records the content of these paths, of any size and also of ignored files. An entry for each. */
  capture(paths: readonly string[]): Promise<ReadonlyMap<string, FileState>>;
  /** Folders on the way to these paths that do not exist, outer ones first. */
  missingFolders(paths: readonly string[]): Promise<readonly string[]>;
  /** Keeps content that no file holds yet. */
  keep(bytes: Uint8Array, mode: number): Promise<Extract<FileState, { type: 'file' }>>;
  /** `undefined` when it is not kept any more, or was damaged. */
  read(hash: string): Promise<Uint8Array | undefined>;
  /** Ends the background work. Files on disk stay. */
  dispose(): Promise<void>;
}

/** A file on its way to another state. */
export interface Restoration {
  /** Absolute, without a link on the way. */
  readonly path: string;
  /** The expected present content; the file is changed only if it matches. */
  readonly from: FileState;
  readonly to:
    | { readonly type: 'absent' }
    | { readonly type: 'link'; readonly target: string }
    | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number };
}

/** Absolute paths. */
export interface RestoredFolders {
  /** Removed where they are empty when the files are restored. */
  readonly remove: readonly string[];
  /** Made where nothing is at their place. */
  readonly make: readonly KeptFolder[];
}

export type RestoreResult =
  | { readonly type: 'restored' }
  /** These hold something else by now, or are reached by a link. Nothing was changed. */
  | { readonly type: 'stale'; readonly paths: readonly string[] }
  /** Nothing was changed, but for `notRestored`. */
  | { readonly type: 'failed'; readonly message: string; readonly notRestored: readonly string[] };
