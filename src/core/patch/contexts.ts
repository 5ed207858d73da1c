/** Where the `@@` lines above a chunk stand in the file. */
import { areLineNumbers } from './markers.ts';
import type { Mismatch } from './mismatch.ts';
import type { PatchChunk } from './operation.ts';
import type { Seeker } from './seek.ts';
import { trim } from './whitespace.ts';

/**
 * A chunk that quotes lines is found by them, so line numbers above it count as a plain `@@` (difference (d)). Without a
 * quote the numbers are all that says where, and adding at the end is not what they say: they are searched as text, and
 * not found.
 */
export function searchedContexts({ contexts }: PatchChunk, old: readonly string[]): readonly string[] {
  const quotes = old.some((line) => trim(line) !== '');
  return quotes ? contexts.filter((context) => !areLineNumbers(context)) : contexts;
}

type ContextsFound = { readonly type: 'found'; readonly below: number } | Extract<Mismatch, { type: 'not_found' }>;

/**
 * Several contexts are searched one below the other. Where that fails below the chunk before, they are searched from the
 * top: the next method of a class is written with the class above it again (difference (d)).
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
    const found = seeker.find([context], below, false);
    if (found === undefined) {
      return { type: 'not_found', what: 'context', wanted: [context], from: below, atEnd: false, seeker };
    }
    below = found + 1;
  }
  return { type: 'found', below };
}
