import path from 'node:path';

/**
 * The relative path from a folder to a place, '' for the folder itself; `undefined` where it lies elsewhere. Both
 * absolute.
 */
export function pathBelow(folder: string, place: string): string | undefined {
  const way = path.relative(folder, place);
  // `..cfg` is an ordinary name.
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way) ? undefined : way;
}

/** True when a place is the folder or inside it; both absolute. */
export function isBelow(place: string, folder: string): boolean {
  return pathBelow(folder, place) !== undefined;
}
