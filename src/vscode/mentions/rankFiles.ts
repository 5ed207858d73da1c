/** Which files and folders a query means. Uses no VS Code. */
import { fuzzyMatch } from '../../protocol/text/fuzzyMatch.ts';
import { inSlices } from './inSlices.ts';

export interface Named {
  readonly name: string;
  readonly path: string;
}

export interface Ranked<Item> {
  readonly item: Item;
  /** Indices of the matched characters of its name. */
  readonly positions: readonly number[];
}

/** Added to the score of an open or recent file; less than the difference between two kinds of match. */
const RECENT_BONUS = 400;

/**
 * The best matches, the best first. `recent` are paths, the last used first: without a query they come first, with one
 * they win over others that match as well. Rejects with the signal's reason.
 */
export async function rankFiles<Item extends Named>(
  query: string,
  files: readonly Item[],
  { recent, most, signal }: { readonly recent: readonly string[]; readonly most: number; readonly signal: AbortSignal },
): Promise<readonly Ranked<Item>[]> {
  const places = new Map(recent.map((path, index) => [path, index]));
  const found: { readonly item: Item; readonly score: number; readonly positions: readonly number[] }[] = [];
  await inSlices(
    files,
    (item) => {
      const match = fuzzyMatch(query, item.name);
      if (match === undefined) return;
      const place = places.get(item.path);
      const bonus = place === undefined ? 0 : query === '' ? 1_000_000 - place : RECENT_BONUS - Math.min(place, 100);
      found.push({ item, score: match.score + bonus, positions: match.positions });
    },
    signal,
  );
  found.sort((one, other) => other.score - one.score || compare(one.item.name, other.item.name));
  return found.slice(0, most).map(({ item, positions }) => ({ item, positions }));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
