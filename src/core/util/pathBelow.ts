import path from 'node:path';

/** The way from a folder down to a place, '' for the folder itself; `undefined` where it lies elsewhere. Both absolute. */
export function pathBelow(folder: string, place: string): string | undefined {
  const way = path.relative(folder, place);
  // `..cfg` is a name like any other.
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way) ? undefined : way;
}

/** Whether a place is the folder or lies in it; both absolute. */
export function isBelow(place: string, folder: string): boolean {
  return pathBelow(folder, place) !== undefined;
}
