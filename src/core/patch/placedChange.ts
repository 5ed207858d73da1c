/** Where the changes of a landing stand, said once for the editor's port and for Node's. */
import type { Disposable } from '../util/disposable.ts';
import {
  type ChangePlaces,
  type DecidedChange,
  type FileChange,
  type FilePlace,
  type FilePlaces,
  type Workspace,
  WorkspaceError,
} from '../ports.ts';

/** One name for every way to the same place, as the links are now. */
export interface CanonicalPaths {
  /** Folders on the way are followed through links; the last name is taken as it is. */
  of(path: string): Promise<string>;
  place(path: string): Promise<FilePlace>;
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

/**
 * Folders held open by their places: what is done by the names that `at` returns cannot be led elsewhere by a link that
 * takes the place of one of them. The owner disposes.
 */
export interface HeldFolders extends Disposable {
  /**
   * The name for the system of what stands at a place; the last part is never followed here, so open it with O_NOFOLLOW.
   * Valid until it is disposed of. @throws PlaceMoved, or the error of the system when a folder on the way is missing
   */
  at(place: string): string;
}

/** A link has taken the place of a folder, or of a file, since its place was decided about. */
export class PlaceMoved extends Error {
  readonly place: string;
  constructor(place: string) {
    super(`${place} is a link now, or is reached by one.`);
    this.name = 'PlaceMoved';
    this.place = place;
  }
}

/** Why a landing cannot be. The message is a sentence for the model. */
export class ApplyRefused extends Error {}

/** @throws Error for a path whose place is not among them: it was never decided about. */
export function decidedChanges<Change extends FileChange>(
  changes: readonly Change[],
  places: FilePlaces,
): readonly (Change & { readonly places: ChangePlaces })[] {
  const placeOf = (path: string): FilePlace => {
    const place = places.get(path);
    if (place === undefined) throw new Error(`The place of ${path} was never decided about.`);
    return place;
  };
  return changes.map((change) => {
    const movedTo = targetOf(change);
    return { ...change, places: { path: placeOf(change.path), movedTo: movedTo === null ? null : placeOf(movedTo) } };
  });
}

/** The paths that lead to other places now than when the changes were decided about. */
export async function movedPaths(changes: readonly DecidedChange[], paths: CanonicalPaths): Promise<readonly string[]> {
  const decided = new Map(changes.flatMap(placesByPath));
  const moved = await Promise.all(
    [...decided].map(async ([path, place]) => {
      const now = await paths.place(path).catch(() => undefined);
      return now !== undefined && isSamePlace(now, place) ? [] : [path];
    }),
  );
  return moved.flat();
}

/** Whether every path still leads where it was decided about. */
export async function leadThere(workspace: Pick<Workspace, 'places'>, decided: FilePlaces): Promise<boolean> {
  const now = await workspace.places([...decided.keys()]);
  return [...decided].every(([path, place]) => {
    const found = now.get(path);
    return found !== undefined && !(found instanceof WorkspaceError) && isSamePlace(found, place);
  });
}

export function isSamePlace(one: FilePlace, other: FilePlace): boolean {
  return one.name === other.name && one.target === other.target;
}

function placesByPath(change: DecidedChange): readonly (readonly [path: string, place: FilePlace])[] {
  const { path, movedTo } = change.places;
  const target = targetOf(change);
  return [[change.path, path], ...(target === null || movedTo === null ? [] : [[target, movedTo] as const])];
}

function targetOf(change: FileChange): string | null {
  return change.kind === 'update' ? change.movedTo : null;
}

export function placeChange<Change extends DecidedChange>(change: Change): PlacedChange<Change> {
  const decided: DecidedChange = change;
  const { path, movedTo } = decided.places;
  const source = path.target;
  switch (decided.kind) {
    case 'add':
      return { change, source, writes: source, removes: undefined };
    case 'delete':
      return { change, source, writes: undefined, removes: path.name };
    case 'update': {
      const writes = movedTo?.target ?? source;
      // Moved onto itself it stays, with its updates (design decision 4, difference (b)).
      return { change, source, writes, removes: writes === source ? undefined : path.name };
    }
  }
}

/** What nobody else may change meanwhile. */
export function placesOf({ source, writes, removes }: PlacedChange): readonly string[] {
  return [source, writes ?? source, removes ?? source];
}

/** @throws ApplyRefused when two of them write to one place */
export function writtenPlaces(placed: readonly PlacedChange[]): ReadonlySet<string> {
  const written = new Set<string>();
  for (const { writes } of placed) {
    if (writes === undefined) continue;
    if (written.has(writes)) throw new ApplyRefused(`Two of the changes write to ${writes}.`);
    written.add(writes);
  }
  return written;
}

/**
 * Hard links: what is written to one name shows under the other, so two texts for them contradict each other.
 * `identityOf`: the same for all names of one file, `undefined` where there is none.
 * @throws ApplyRefused that names the first two
 */
export function refuseTwins<One extends { readonly path: string }>(
  files: readonly One[],
  identityOf: (file: One) => string | undefined,
): void {
  const names = new Map<string, string>();
  for (const file of files) {
    const identity = identityOf(file);
    if (identity === undefined) continue;
    const twin = names.get(identity);
    if (twin !== undefined && twin !== file.path) {
      throw new ApplyRefused(`${twin} and ${file.path} are two names of one file; change it under one of them.`);
    }
    names.set(identity, file.path);
  }
}

/** Two spellings that are one name where a disk ignores case. */
export function isRespelled(path: string, other: string): boolean {
  return path !== other && path.toLowerCase() === other.toLowerCase();
}
