import {
  type CanonicalPaths,
  decidedChanges,
  isSamePlace,
  LandingRefused,
  placeChange,
  type PlacedChange,
} from '../../core/patch/placedChange.ts';
import {
  type ChangePlaces,
  type FilePlace,
  type FilePlaces,
  toWorkspaceError,
  WorkspaceError,
} from '../../core/ports.ts';
import { describeFileError } from '../../core/util/fileErrors.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import { FilesMoved, type LandingChange } from './model.ts';

/** @throws FilesMoved when a path leads elsewhere than decided, LandingRefused */
export async function placeInEditor(
  change: LandingChange,
  paths: CanonicalPaths,
): Promise<PlacedChange<LandingChange & { readonly places: ChangePlaces }>> {
  const movedTo = change.kind === 'update' && change.movedTo !== null ? [change.movedTo] : [];
  const now = new Map<string, FilePlace>();
  for (const [path, place] of await placesInEditor([change.path, ...movedTo], paths)) {
    if (place instanceof WorkspaceError) throw new LandingRefused(describeFileError(place, path));
    now.set(path, place);
  }
  if (change.places !== undefined) mustLeadThere(change, change.places, now);
  const [decided] = decidedChanges([change], now);
  if (decided === undefined) throw new LandingRefused(`${change.path} has no place.`);
  return placeChange(decided);
}

function mustLeadThere(change: LandingChange, decided: ChangePlaces, now: FilePlaces): void {
  const movedTo = change.kind === 'update' ? change.movedTo : null;
  const leads = (path: string | null, place: FilePlace | null) => {
    const found = path === null ? undefined : now.get(path);
    return found === undefined || place === null || isSamePlace(found, place);
  };
  if (!leads(change.path, decided.path)) throw new FilesMoved([change.path]);
  if (movedTo !== null && !leads(movedTo, decided.movedTo)) throw new FilesMoved([movedTo]);
}

/** Other file systems have no links that we could follow; what was never saved goes by its name alone. */
export async function placesInEditor(
  wanted: readonly string[],
  paths: CanonicalPaths,
): Promise<ReadonlyMap<string, FilePlace | WorkspaceError>> {
  const placeOf = async (path: string) => {
    const uri = uriOf(path);
    if (uri.scheme === 'file') return paths.place(path);
    const place = uri.scheme === 'untitled' ? path : pathOf(uri);
    return { name: place, target: place };
  };
  const places = wanted.map(async (path) => {
    const place = await placeOf(path).catch((error: unknown) => toWorkspaceError(error, path));
    return [path, place] as const;
  });
  return new Map(await Promise.all(places));
}
