/** Side copies: folders with the content of the workspace in which a thread works, apart from the workspace. */
import path from 'node:path';
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

export interface CopiedFolder {
  /** In the workspace. Absolute and resolved. */
  readonly home: string;
  /** In TILLER_HOME. Absolute and resolved. */
  readonly copy: string;
  /** `worktree`: git knows it, and its commits are those of the repository. */
  readonly kind: 'worktree' | 'plain';
}

/** The side copy around a place, and the folder of it. */
export interface CopyPlace {
  readonly copy: SideCopy;
  readonly folder: CopiedFolder;
  /** Relative to the folder, '' for the folder itself. */
  readonly below: string;
}

/** What core needs to know of side copies. Synchronous: it is asked with each decision. */
export interface SideCopies {
  /** The copy that contains a place; `undefined` for a place elsewhere. */
  around(place: string): CopyPlace | undefined;
}

export function copyAround(place: string, copies: Iterable<SideCopy>): CopyPlace | undefined {
  for (const copy of copies) {
    for (const folder of copy.folders) {
      const below = pathBelow(folder.copy, place);
      if (below !== undefined) return { copy, folder, below };
    }
  }
  return undefined;
}

/** The place in the workspace of a place in a side copy; the place itself where it is in none. */
export function homeOf(place: string, copies: SideCopies | undefined): string {
  const found = copies?.around(place);
  return found === undefined ? place : path.join(found.folder.home, found.below);
}

/** The place in the copy of a place in the workspace; `undefined` for a place outside of the copied folders. */
export function placeInCopy(place: string, { folders }: SideCopy): string | undefined {
  for (const { home, copy } of folders) {
    const below = pathBelow(home, place);
    if (below !== undefined) return path.join(copy, below);
  }
  return undefined;
}
