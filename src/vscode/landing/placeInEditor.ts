import { type CanonicalPaths, placeChange, type PlacedChange } from '../../core/patch/placedChange.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import type { LandingChange } from './model.ts';

/** @throws LandingRefused */
export function placeInEditor(change: LandingChange, paths: CanonicalPaths): Promise<PlacedChange<LandingChange>> {
  return placeChange(change, onThisDisk(paths));
}

/** Other file systems have no links that we could follow; what was never saved goes by its name alone. */
function onThisDisk(paths: CanonicalPaths): CanonicalPaths {
  const elsewhere = (path: string) => {
    const uri = uriOf(path);
    if (uri.scheme === 'file') return undefined;
    return uri.scheme === 'untitled' ? path : pathOf(uri);
  };
  return {
    of: async (path) => elsewhere(path) ?? paths.of(path),
    throughLinks: async (path) => elsewhere(path) ?? paths.throughLinks(path),
  };
}
