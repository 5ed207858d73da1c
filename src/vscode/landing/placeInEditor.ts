import { type CanonicalPaths, placeChange, type PlacedChange } from '../../core/patch/placedChange.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import type { LandingChange } from './model.ts';

/** @throws LandingRefused */
export function placeInEditor(change: LandingChange, paths: CanonicalPaths): Promise<PlacedChange<LandingChange>> {
  return placeChange(change, onThisDisk(paths));
}

/** Other file systems have no links that we could follow. */
function onThisDisk(paths: CanonicalPaths): CanonicalPaths {
  const isOurs = (path: string) => uriOf(path).scheme === 'file';
  return {
    of: async (path) => (isOurs(path) ? paths.of(path) : pathOf(uriOf(path))),
    throughLinks: async (path) => (isOurs(path) ? paths.throughLinks(path) : pathOf(uriOf(path))),
  };
}
