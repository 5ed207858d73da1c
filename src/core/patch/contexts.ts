/** Finds the `@@` lines above a chunk in the file. */
import { areLineNumbers } from './markers.ts';
import type { Mismatch } from './mismatch.ts';
import type { PatchChunk } from './operation.ts';
import type { Seeker } from './seek.ts';
import { trim } from './whitespace.ts';

/**
 * Returns the contexts to search for. A chunk that quotes lines is found by them, so line numbers above it count as a
 * plain `@@` (difference (d)). Without a quote only the numbers say where the chunk belongs, and appending would be
 * wrong: they are searched as text, and not found.
 */
export function searchedContexts({ contexts }: PatchChunk, old: readonly string[]): readonly string[] {
  if (contexts.length === 0) return contexts;
  const quotes = old.some((line) => trim(line) !== '');
  return quotes ? contexts.filter((context) => !areLineNumbers(context)) : contexts;
}

type ContextsFound = { readonly type: 'found'; readonly below: number } | Extract<Mismatch, { type: 'not_found' }>;

/**
 * Searches several contexts one below the other. If that fails below the chunk before, searches from the top: a patch
 * repeats the class line above the next method of the class (difference (d)).
 */
export function findContexts(contexts: readonly string[], seeker: Seeker, cursor: number): ContextsFound {
  const below = walkContexts(contexts, seeker, cursor);
  if (below.type === 'found' || contexts.length < 2) return below;
  const again = walkContexts(contexts, seeker, 0);
  return again.type === 'found' ? again : below;
}

function walkContexts(contexts: readonly string[], seeker: Seeker, from: number): ContextsFound {
  let below = from;
  for (const context of contexts) {
    const found = seeker.find([context], below);
    if (found === undefined) {
      return { type: 'not_found', what: 'context', wanted: [context], from: below, atEnd: false, seeker };
    }
    below = found + 1;
  }
  return { type: 'found', below };
}
