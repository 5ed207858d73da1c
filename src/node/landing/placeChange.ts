import type { FileChange } from '../../core/ports.ts';
import { describeFileError } from '../errors.ts';
import type { CanonicalPaths } from './canonicalPath.ts';
import { LandingRefused } from './step.ts';

/** A change with its places on disk. */
export interface PlacedChange {
  readonly change: FileChange;
  /** Where the changed file itself is, links followed. */
  readonly source: string;
  /** Where its text goes, links followed. */
  readonly writes: string | undefined;
  /** The name that disappears; of a link only the link. */
  readonly removes: string | undefined;
}

/** @throws LandingRefused */
export async function placeChange(change: FileChange, paths: CanonicalPaths): Promise<PlacedChange> {
  try {
    const source = await paths.throughLinks(change.path);
    switch (change.kind) {
      case 'add':
        return { change, source, writes: source, removes: undefined };
      case 'delete':
        return { change, source, writes: undefined, removes: await paths.of(change.path) };
      case 'update': {
        const writes = change.movedTo === null ? source : await paths.throughLinks(change.movedTo);
        // Moved onto itself it stays, with its updates (design decision 4, difference (b)).
        return { change, source, writes, removes: writes === source ? undefined : await paths.of(change.path) };
      }
    }
  } catch (error) {
    throw new LandingRefused(describeFileError(error, change.path));
  }
}
