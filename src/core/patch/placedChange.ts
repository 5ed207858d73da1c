/** The places of changes, shared by the ports that apply patches in the editor and in Node. */
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

/** Maps all paths to the same place to one name, with the links as they are now. */
export interface CanonicalPaths {
  /** Resolves links in the folders of the path, but not in its last name. */
  of(path: string): Promise<string>;
  place(path: string): Promise<FilePlace>;
}

/** A change with its resolved places: a link and its target are two documents (workspace-edits.md §6). */
export interface PlacedChange<Change extends FileChange = FileChange> {
  readonly change: Change;
  /** The place of the changed file. */
  readonly source: string;
  /** The place that its text is written to. */
  readonly writes: string | undefined;
  /** The name that is removed; for a link only the link. */
  readonly removes: string | undefined;
}

/**
 * Folders held open by their places: operations on the names that `at` returns cannot be redirected by a link that
 * replaces one of the folders. The owner disposes.
 */
export interface HeldFolders extends Disposable {
  /**
   * The system's name for a place. The last part is never followed here, so open it with O_NOFOLLOW. Valid until
   * disposal.
   * @throws PlaceMoved, or the system error when a folder of the path is missing
   */
  at(place: string): string;
}

/** A link has replaced a folder or a file since its place was decided. */
export class PlaceMoved extends Error {
  readonly place: string;
  constructor(place: string) {
    super(`${place} is a link now, or is reached by one.`);
    this.name = 'PlaceMoved';
    this.place = place;
  }
}

/** Thrown when a patch cannot be applied. The message is for the model. */
export class ApplyRefused extends Error {}

/** Adds the decided places to changes. @throws Error for a path without a decided place. */
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

/** The paths that lead to other places now than when the changes were decided. */
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

/** True when every path still leads to its decided place. */
export async function leadThere(workspace: Pick<Workspace, 'places'>, decided: FilePlaces): Promise<boolean> {
  const now = await workspace.places([...decided.keys()]);
  return [...decided].every(([path, place]) => {
    const found = now.get(path);
    return found !== undefined && !(found instanceof WorkspaceError) && isSamePlace(found, place);
  });
}

/** Returns true if both lead to the same file by the same name. */
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

/**
 * Names the places that a change reads, writes and removes, each by its target except what is removed: a link goes, not
 * its target.
 */
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
      // A file that is moved onto itself stays, with its updates (design decision 4, difference (b)).
      return { change, source, writes, removes: writes === source ? undefined : path.name };
    }
  }
}

/** The places that no other writer may change meanwhile. */
export function placesOf({ source, writes, removes }: PlacedChange): readonly string[] {
  return [source, writes ?? source, removes ?? source];
}

/** @throws ApplyRefused when two of the changes write to one place */
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
 * Refuses two changes of one file under two names (hard links): text written to one name also appears under the other.
 * `identityOf`: equal for all names of one file, `undefined` for a file that does not exist.
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

/** True for two spellings that are the same name where a disk ignores case. */
export function isRespelled(path: string, other: string): boolean {
  return path !== other && path.toLowerCase() === other.toLowerCase();
}
