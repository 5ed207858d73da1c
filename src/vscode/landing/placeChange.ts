import { uriOf } from '../workspace/places.ts';
import { describeFileError } from '../workspace/fileErrors.ts';
import { type CanonicalPaths, type LandingChange, LandingRefused } from './model.ts';

/** A change with its places, links followed: a link and its target are two documents (workspace-edits.md §6). */
export interface PlacedChange {
  readonly change: LandingChange;
  /** Where the changed file itself is. */
  readonly source: string;
  /** Where its text goes. */
  readonly writes: string | undefined;
  /** The name that disappears; of a link only the link. */
  readonly removes: string | undefined;
}

/** @throws LandingRefused */
export async function placeChange(change: LandingChange, paths: CanonicalPaths): Promise<PlacedChange> {
  const resolved = onThisDisk(paths);
  try {
    const source = await resolved.throughLinks(change.path);
    switch (change.kind) {
      case 'add':
        return { change, source, writes: source, removes: undefined };
      case 'delete':
        return { change, source, writes: undefined, removes: await resolved.of(change.path) };
      case 'update': {
        const writes = change.movedTo === null ? source : await resolved.throughLinks(change.movedTo);
        // Moved onto itself it stays, with its updates (design decision 4, difference (b)).
        return { change, source, writes, removes: writes === source ? undefined : await resolved.of(change.path) };
      }
    }
  } catch (error) {
    throw new LandingRefused(describeFileError(error, change.path));
  }
}

/** Other file systems have no links that we could follow. */
function onThisDisk(paths: CanonicalPaths): CanonicalPaths {
  const isOurs = (path: string) => uriOf(path).scheme === 'file';
  return {
    of: (path) => (isOurs(path) ? paths.of(path) : Promise.resolve(path)),
    throughLinks: (path) => (isOurs(path) ? paths.throughLinks(path) : Promise.resolve(path)),
  };
}
