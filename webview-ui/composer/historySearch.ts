/** Search in earlier messages. The draft is not changed until one is selected. */
import { computed, signal } from '@preact/signals';
import { userMessages } from '../store.ts';
import { searchTexts } from '../text/searchTexts.ts';

const LIMIT = 100;

export const isSearching = signal(false);
export const query = signal('');
/** The index of the active message among those found, newest first. */
const chosenIndex = signal(0);
/** The messages found, newest first. */
export const found = computed(() => (isSearching.value ? searchTexts(userMessages.value, query.value, LIMIT) : []));
export const activeIndex = computed(() => Math.max(0, Math.min(chosenIndex.value, found.value.length - 1)));
/** The message that Enter selects. */
export const active = computed(() => found.value[activeIndex.value] ?? null);

/** Opens the search over earlier messages, with an empty query. */
export function openSearch(): void {
  search('');
  isSearching.value = true;
}

/** Closes the search; the draft stays as it is. */
export function closeSearch(): void {
  isSearching.value = false;
}

/** Sets the query and chooses the first result. */
export function search(text: string): void {
  query.value = text;
  chosenIndex.value = 0;
}

/** Moves to older or newer messages, within the list. */
export function stepBack(step: 1 | -1): void {
  chosenIndex.value = Math.max(0, Math.min(activeIndex.value + step, found.value.length - 1));
}
