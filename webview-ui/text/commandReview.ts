import type { ChangedFile } from '../../src/protocol/baseline.ts';
import { absolutePath, pathKey } from './filePaths.ts';
import type { LastWriters } from './lastWriters.ts';

interface InReview {
  /** The working directory of the thread. */
  readonly folder: string;
  /** Keys (`pathKey`) of the files with changes that are pending in review. */
  readonly inReview: ReadonlySet<string>;
  readonly writers: LastWriters;
}

/** Returns true if a file of the command is to be reviewed, and no later command or patch has changed it. */
export function hasPendingChanges(
  itemId: string,
  files: readonly ChangedFile[],
  { folder, inReview, writers }: InReview,
): boolean {
  return files.some(({ path }) => writers.get(path) === itemId && inReview.has(pathKey(absolutePath(path, folder))));
}
