/** State that only the view has: open and focused elements, announcements. It is lost on a reload. */
import { computed, signal } from '@preact/signals';
import { waiting, wantsList } from './store.ts';

/** The index of the pending request that is shown, unless the user is in the card of another one. */
const decisionPlace = signal(0);
const usedDecision = signal<string | null>(null);
export const decisionIndex = computed(() => {
  const used = waiting.value.findIndex(({ id }) => id === usedDecision.value);
  return used >= 0 ? used : Math.min(decisionPlace.value, Math.max(0, waiting.value.length - 1));
});
export const decision = computed(() => waiting.value[decisionIndex.value] ?? null);

/** The act of the user that has changed the shown card; `null` if the card changed without one. */
type CardChange = 'next' | 'previous' | 'list' | null;
let cardChange: CardChange = null;

/** Shows the next or the previous card; after the last one comes the first. */
export function showDecision(step: 1 | -1): void {
  const count = waiting.value.length;
  cardChange = step === 1 ? 'next' : 'previous';
  decisionPlace.value = (decisionIndex.value + step + count) % count;
  usedDecision.value = waiting.value[decisionPlace.value]?.id ?? null;
}

/**
 * Call when the user works in the card of a request: the card then stays, with what the user has written in it, when
 * other requests come before it.
 */
export function keepDecision(id: string): void {
  decisionPlace.value = decisionIndex.value;
  usedDecision.value = id;
}

/** Shows all approvals as one list, or one after the other. */
export function showTogether(isTogether: boolean): void {
  cardChange = 'list';
  wantsList.value = isTogether;
}

/** Returns the act that caused the last change of the shown card, and forgets it. */
export function takeCardChange(): CardChange {
  const change = cardChange;
  cardChange = null;
  return change;
}

/** The request for which the message of a denial is being written. */
export const denying = signal<string | null>(null);

/** The approval for which a rule is being edited. */
export const makingRule = signal<string | null>(null);

/** `answers …`: the menu of the card with this id. */
export const openPopup = signal<'meter' | 'menu' | 'mode' | 'model' | 'sandbox' | `answers ${string}` | null>(null);
/** Opens a popup and closes the one that is open; if this popup is open, closes it. */
export function togglePopup(popup: NonNullable<typeof openPopup.value>): void {
  openPopup.value = openPopup.value === popup ? null : popup;
}
/**
 * A callback for the next model that the user selects in the model menu. It is called once, and dropped when the menu
 * closes.
 */
export const afterModelChoice: { current: (() => void) | null } = { current: null };
/**
 * True after the user has selected a command as the draft: the composer opens the list of its values when it gets the
 * focus next.
 */
export const offersCommand = { current: false };
/** True while the context meter has the keyboard focus: it then shows the same as when it is clicked. */
export const peeksAtMeter = signal(false);

/**
 * Milliseconds after a key or a click in the composer during which the next key may still be meant for the composer.
 */
const TYPING_MS = 1_500;
let lastKeyAt = Number.NEGATIVE_INFINITY;

/** Call for every key and click in the composer. */
export function noteTyping(): void {
  lastKeyAt = performance.now();
}

/** Returns the milliseconds until the user counts as not typing, rounded up; 0 if the user is not typing. */
export function quietIn(): number {
  return Math.max(0, Math.ceil(lastKeyAt + TYPING_MS - performance.now()));
}

/** True while the transcript scrolls with its end. */
export const followsEnd = signal(true);

/** The text that screen readers read out, with politeness `polite`. */
export const announcement = signal('');

/** The current time in milliseconds since 1970, updated by `main.tsx` while something runs. */
export const now = signal(Date.now());

/** Counts the requests to search in the transcript; 0 while the field is closed. */
export const finding = signal(0);

/** Opens the search in the transcript, or focuses its field again. */
export function openFind(): void {
  finding.value++;
}

/**
 * Returns the text field of the composer, for code that moves the focus by itself. To move it there on behalf of the
 * user, increment `composerFocus`.
 */
export function composerField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('[data-testid="composer-input"]');
}

/** Returns true if no element of the page has the focus, even while the page itself has it. */
export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
