import { type CanonicalPaths, movedPaths } from '../../core/patch/placedChange.ts';
import { type FilePlace, toWorkspaceError, type WorkspaceError } from '../../core/ports.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import type { ApplyChange } from './model.ts';

/** The paths that no longer lead to the approved places. */
export function movedInEditor(changes: readonly ApplyChange[], paths: CanonicalPaths): Promise<readonly string[]> {
  return movedPaths(changes, onThisDisk(paths));
}

/** The present place of each path, existing or not; the error where it cannot be resolved. */
export async function placesInEditor(
  wanted: readonly string[],
  paths: CanonicalPaths,
): Promise<ReadonlyMap<string, FilePlace | WorkspaceError>> {
  const here = onThisDisk(paths);
  const places = wanted.map(async (path) => {
    const place = await here.place(path).catch((error: unknown) => toWorkspaceError(error, path));
    return [path, place] as const;
  });
  return new Map(await Promise.all(places));
}

/** Other file systems have no links that could be followed; an untitled document has only its name. */
function onThisDisk(paths: CanonicalPaths): CanonicalPaths {
  const elsewhere = (path: string) => {
    const uri = uriOf(path);
    if (uri.scheme === 'file') return undefined;
    return uri.scheme === 'untitled' ? path : pathOf(uri);
  };
  return {
    of: async (path) => elsewhere(path) ?? paths.of(path),
    async place(path) {
      const name = elsewhere(path);
      return name === undefined ? paths.place(path) : { name, target: name };
    },
  };
}
