/** Where the changes of a landing stand on the disk, said once for the editor's hands and for Node's. */
import type { FileChange } from '../ports.ts';
import { describeFileError } from '../util/fileErrors.ts';

/** One name for every way to the same place. */
export interface CanonicalPaths {
  /** Folders on the way are followed through links; the last name is taken as it is. */
  of(path: string): Promise<string>;
  throughLinks(path: string): Promise<string>;
}

/** A change with its places, links followed: a link and its target are two documents (workspace-edits.md §6). */
export interface PlacedChange<Change extends FileChange = FileChange> {
  readonly change: Change;
  /** Where the changed file itself is. */
  readonly source: string;
  /** Where its text goes. */
  readonly writes: string | undefined;
  /** The name that disappears; of a link only the link. */
  readonly removes: string | undefined;
}

/** Why a landing cannot be. The message is a sentence for the model. */
export class LandingRefused extends Error {}

/** @throws LandingRefused */
export async function placeChange<Change extends FileChange>(
  change: Change,
  paths: CanonicalPaths,
): Promise<PlacedChange<Change>> {
  const named: FileChange = change;
  const { path } = named;
  try {
    const source = await paths.throughLinks(path);
    switch (named.kind) {
      case 'add':
        return { change, source, writes: source, removes: undefined };
      case 'delete':
        return { change, source, writes: undefined, removes: await paths.of(path) };
      case 'update': {
        const writes = named.movedTo === null ? source : await paths.throughLinks(named.movedTo);
        // Moved onto itself it stays, with its updates (design decision 4, difference (b)).
        return { change, source, writes, removes: writes === source ? undefined : await paths.of(path) };
      }
    }
  } catch (error) {
    throw new LandingRefused(describeFileError(error, path));
  }
}

/** What nobody else may change meanwhile. */
export function placesOf({ source, writes, removes }: PlacedChange): readonly string[] {
  return [source, writes ?? source, removes ?? source];
}

/** @throws LandingRefused when two of them write to one place */
export function writtenPlaces(placed: readonly PlacedChange[]): ReadonlySet<string> {
  const written = new Set<string>();
  for (const { writes } of placed) {
    if (writes === undefined) continue;
    if (written.has(writes)) throw new LandingRefused(`Two of the changes write to ${writes}.`);
    written.add(writes);
  }
  return written;
}

/** Hard links: what is written to one name shows under the other, so two texts for them contradict each other. */
export function twinsRefused(one: string, other: string): LandingRefused {
  return new LandingRefused(`${one} and ${other} are two names of one file; change it under one of them.`);
}

/** Two spellings that are one name where a disk ignores case. */
export function isRespelled(path: string, other: string): boolean {
  return path !== other && path.toLowerCase() === other.toLowerCase();
}
