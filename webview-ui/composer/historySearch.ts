/** Looking for an earlier message. The draft is not touched until one is taken. */
import { computed, signal } from '@preact/signals';
import { said } from '../store.ts';
import { searchTexts } from '../text/searchTexts.ts';

const LIMIT = 100;

export const isSearching = signal(false);
export const query = signal('');
/** How many messages back among those that are found. */
const place = signal(0);
/** Newest first. */
export const found = computed(() => (isSearching.value ? searchTexts(said.value, query.value, LIMIT) : []));
export const activeIndex = computed(() => Math.max(0, Math.min(place.value, found.value.length - 1)));
/** What Enter takes. */
export const active = computed(() => found.value[activeIndex.value] ?? null);

export function openSearch(): void {
  search('');
  isSearching.value = true;
}

export function closeSearch(): void {
  isSearching.value = false;
}

export function search(text: string): void {
  query.value = text;
  place.value = 0;
}

/** Back in time, or forth again; not beyond the ends. */
export function stepBack(step: 1 | -1): void {
  place.value = Math.max(0, Math.min(activeIndex.value + step, found.value.length - 1));
}
