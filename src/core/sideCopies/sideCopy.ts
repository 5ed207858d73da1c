/** Side copies: folders with the content of the workspace in which a thread works, apart from the workspace. */
import type { ThreadWhereabouts } from '../../protocol/threads.ts';
import type { SideCopyPlaces } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';

export interface SideCopy {
  readonly id: string;
  /** The thread that works in it; `null` until the thread has begun. */
  readonly threadId: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** One for each folder of the workspace, the first one first. */
  readonly folders: readonly CopiedFolder[];
}

/** Absolute paths. */
export interface CopiedFolder {
  /** In the workspace. */
  readonly home: string;
  /** In TILLER_HOME; resolved. */
  readonly copy: string;
  /** `worktree`: git knows it, and its commits are those of the repository. */
  readonly kind: 'worktree' | 'plain';
}

/** The content of a file in the base of a copy. */
export type BaseFile =
  | {
      readonly type: 'file';
      /** The hash of the bytes. */
      readonly hash: string;
      readonly mode: number;
      /** The offset and length in the store; `null`: the file is too long, and only its hash is known. */
      readonly at: readonly [offset: number, length: number] | null;
    }
  | { readonly type: 'link'; readonly target: string };

export type CopyState =
  | { readonly type: 'absent' }
  | { readonly type: 'file'; readonly hash: string; readonly mode: number; readonly size: number }
  /** A link or a device, or a file that cannot be read. */
  | { readonly type: 'other' };

/** A file that differs between the base and the copy. Absolute paths. */
export interface CopyChange {
  readonly home: string;
  readonly copy: string;
  /** Absent: it is new in the copy. */
  readonly base: BaseFile | undefined;
  readonly result: CopyState;
}

/** The content that would be lost if the copy were removed. */
export interface CopyLosses {
  readonly changes: readonly CopyChange[];
  /** Ignored files that are new in the copy, and ignored folders that hold some. Absolute paths in the copy. */
  readonly ignored: readonly string[];
  /** Made in the copy, each with its hash and its title. */
  readonly commits: readonly string[];
  /** The copy has more files than are compared. */
  readonly isPartial: boolean;
  /**
   * Folders of the copy that cannot be read, so that new files in them are not known, and files and folders whose names
   * are not UTF-8. Absolute paths.
   */
  readonly unread: readonly string[];
  /** Folders in which a git repository was made in the copy: its history does not come home. Absolute paths. */
  readonly repositories: readonly string[];
}

/** Returns true if a removal of the copy would lose nothing. */
export function isNothing({ changes, ignored, commits, isPartial, unread, repositories }: CopyLosses): boolean {
  const counts = [changes, ignored, commits, unread, repositories].map(({ length }) => length);
  return counts.every((count) => count === 0) && !isPartial;
}

/** Returns true if only ignored files would be lost, such as the output of a build. */
export function isOnlyIgnored(losses: CopyLosses): boolean {
  return isNothing({ ...losses, ignored: [] });
}

/** A folder among the copies that cannot be identified: Tiller does not change it. */
export interface UnreadableCopy {
  /** Absolute. */
  readonly folder: string;
  readonly problem: string;
}

export interface RemoveOptions {
  /** Threads that work in the copy, beside the one that it was assigned to. */
  readonly threads?: readonly string[];
  /** Called when no other process can use the copy any more: whether it may be removed with this. */
  readonly agrees?: (losses: CopyLosses) => Promise<boolean>;
}

export type RemoveResult = 'removed' | 'in_use' | 'kept';

/**
 * The new content of the copy's base for a file that came home: the content of the copy, a text in between, or its
 * former content (`base`).
 */
export interface SettledFile {
  readonly change: CopyChange;
  readonly base: { readonly type: 'result' | 'base' } | { readonly type: 'bytes'; readonly bytes: Uint8Array };
  /** Permission bits of the base, where those of the copy have not come home. */
  readonly mode?: number;
}

export interface MakeOptions {
  /** Folders of the workspace, the first one first. */
  readonly roots: readonly string[];
  /** Names or relative paths of ignored folders that are linked, not copied. */
  readonly links: readonly string[];
  /** Unsaved text by path. */
  readonly unsaved: ReadonlyMap<string, Uint8Array>;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => void;
}

export interface MadeCopy {
  readonly copy: SideCopy;
  /** Files that could not be read, or whose names are not UTF-8. */
  readonly skipped: readonly string[];
  /** Folders of the workspace with a git repository of their own, such as submodules: plain files in the copy. */
  readonly repositories: readonly string[];
}

/** The reason why no side copy can be made or used: a sentence for the user. */
export class CopyRefused extends Error {}

/** The facts about threads that a store of copies needs; implemented by ThreadCatalog. */
export interface ThreadsOfCopies {
  readonly whereIs: (threadId: string) => Promise<ThreadWhereabouts>;
  /** Ids of the threads, forks and sub-agents included, that work in one of these folders. */
  readonly threadsIn: (folders: readonly string[]) => Promise<readonly string[]>;
  /** False: there may be threads that the others do not find. */
  readonly isComplete: () => Promise<boolean>;
}

/** The side copies of this machine. Methods reject with the error of the disk, or with the reason of their signal. */
export interface SideCopyStore extends SideCopyPlaces {
  /** The copies that are ready, newest first. Other processes also make and remove copies: see `reload`. */
  readonly all: readonly SideCopy[];
  /** As `all`: of copies whose record cannot be read. */
  readonly unreadable: readonly UnreadableCopy[];
  reload(): void;
  of(threadId: string): SideCopy | undefined;
  /** Rejects with CopyRefused, too; the copy is removed then. */
  make(options: MakeOptions): Promise<MadeCopy>;
  /** The thread that works in the copy from now on. */
  assign(id: string, threadId: string): Promise<void>;
  /** The differences from the base, sorted by path. */
  changes(id: string, signal: AbortSignal): Promise<readonly CopyChange[]>;
  /** `undefined` where the content is not kept. */
  baseContent(id: string, base: BaseFile | undefined): Promise<Uint8Array | undefined>;
  /** The content of a file in the copy; `undefined` if it is longer than `maxBytes` or missing. */
  content(place: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Call when changes came home: they are no longer offered. */
  settle(id: string, files: readonly SettledFile[]): Promise<void>;
  /** Call when changes that had come home were undone there: `base` is the former base of each file. */
  unsettle(id: string, files: readonly Pick<CopyChange, 'copy' | 'base'>[]): Promise<void>;
  /** Bytes on the disk. */
  size(id: string, signal: AbortSignal): Promise<number>;
  /** The content that removing the copy would lose. */
  losses(id: string, signal: AbortSignal): Promise<CopyLosses>;
  /** Removes the copy with all its files. `in_use` while an act, or a process that owns one of its threads, uses it. */
  remove(id: string, options?: RemoveOptions): Promise<RemoveResult>;
  /** Runs `act`, unless the copy is used by another act or process: then it returns false. */
  alone(id: string, act: () => Promise<unknown>): Promise<boolean>;
  /**
   * Removes leftovers of a crash, copies of deleted threads that lose no change, and copies of missing threads that
   * lose only ignored files. Any other one, and one whose record cannot be read, is never removed. Never rejects: a
   * failed removal is tried again at the next start.
   */
  sweep(threads: ThreadsOfCopies): Promise<void>;
}

/** The copy that contains a place, and how the place is reached from which of its folders. */
export function copyAround(
  place: string,
  copies: Iterable<SideCopy>,
): { readonly copy: SideCopy; readonly folder: CopiedFolder; readonly below: string } | undefined {
  for (const copy of copies) {
    for (const folder of copy.folders) {
      const below = pathBelow(folder.copy, place);
      if (below !== undefined) return { copy, folder, below };
    }
  }
  return undefined;
}
