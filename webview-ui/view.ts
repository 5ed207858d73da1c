/** State of the view only: open and focused elements, announcements. Not kept over a reload. */
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

/** The user's act that has changed the shown card; `null` where it has changed by itself. */
type CardChange = 'next' | 'previous' | 'list' | null;
let cardChange: CardChange = null;

/** Shows the next or the previous card, around the ends. */
export function showDecision(step: 1 | -1): void {
  const count = waiting.value.length;
  cardChange = step === 1 ? 'next' : 'previous';
  decisionPlace.value = (decisionIndex.value + step + count) % count;
  usedDecision.value = waiting.value[decisionPlace.value]?.id ?? null;
}

/** Call when the user is in the card of a request: it stays when others come before it, with what is written in it. */
export function keepDecision(id: string): void {
  decisionPlace.value = decisionIndex.value;
  usedDecision.value = id;
}

/** Shows all approvals as one list, or one by one. */
export function showTogether(isTogether: boolean): void {
  cardChange = 'list';
  wantsList.value = isTogether;
}

/** Returns the reason of the last change of the shown card. Each change is returned once. */
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
/** Opens a popup in place of the one that is open, or closes it. */
export function togglePopup(popup: NonNullable<typeof openPopup.value>): void {
  openPopup.value = openPopup.value === popup ? null : popup;
}
/** Called once when the user selects a model in the model menu; dropped when the menu closes without one. */
export const afterModelChoice: { current: (() => void) | null } = { current: null };
/** The user has selected a command as the draft: the composer opens the list of its values at its next focus. */
export const offersCommand = { current: false };
/** The meter has the keyboard focus and shows the same as when it is clicked. */
export const peeksAtMeter = signal(false);

/** Milliseconds after a key or a click in the composer for which the next key may still be meant for it. */
const TYPING_MS = 1_500;
let lastKeyAt = Number.NEGATIVE_INFINITY;

/** Call for every key and click in the composer. */
export function noteTyping(): void {
  lastKeyAt = performance.now();
}

/** Whole milliseconds until the user counts as not typing; 0 when not typing. */
export function quietIn(): number {
  return Math.max(0, Math.ceil(lastKeyAt + TYPING_MS - performance.now()));
}

/** True while the transcript scrolls with its end. */
export const followsEnd = signal(true);

/** Read by screen readers, with politeness `polite`. */
export const announcement = signal('');

/** The current time, updated by `main.tsx` while something runs. */
export const now = signal(Date.now());

/** Counts the requests to search in the transcript; 0 while the field is closed. */
export const finding = signal(0);

/** Opens the search in the transcript, or focuses its field again. */
export function openFind(): void {
  finding.value++;
}

/** The text field of the composer, for code that moves the focus by itself: a request of the user counts `composerFocus`. */
export function composerField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('[data-testid="composer-input"]');
}

/** True if no element of the page has the focus, whether the page has it or not. */
export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
