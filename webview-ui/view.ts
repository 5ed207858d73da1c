/** State of the view alone: what is unfolded, focused, said aloud. Nothing of it is missed after a reload. */
import { computed, signal } from '@preact/signals';
import { waiting } from './store.ts';

/** Which of the waiting decisions is shown. */
const decisionPlace = signal(0);
export const decisionIndex = computed(() => Math.min(decisionPlace.value, Math.max(0, waiting.value.length - 1)));
export const decision = computed(() => waiting.value[decisionIndex.value] ?? null);

export function showDecision(step: 1 | -1): void {
  const count = waiting.value.length;
  decisionPlace.value = (decisionIndex.value + step + count) % count;
}

/** The decision whose word of denial is being written. */
export const denying = signal<string | null>(null);

/** The approval whose "always allow …" is being made. */
export const makingRule = signal<string | null>(null);

export const openPopup = signal<'meter' | 'menu' | null>(null);
/** The meter has the keyboard focus and shows what it shows when it is clicked. */
export const peeksAtMeter = signal(false);

/** So long the next key may still be meant for the composer. */
const TYPING_MS = 1_500;
let lastKeyAt = Number.NEGATIVE_INFINITY;

/** To be told of every key in the composer. */
export function noteTyping(): void {
  lastKeyAt = performance.now();
}

/** Milliseconds until nobody is typing any more; 0 when nobody is. */
export function quietIn(): number {
  return Math.max(0, lastKeyAt + TYPING_MS - performance.now());
}

/** Whether the transcript follows its end. */
export const followsEnd = signal(true);

/** Read by screen readers, politely. */
export const announcement = signal('');

/** The wall clock, moved on by `main.tsx` while something runs. */
export const now = signal(Date.now());
