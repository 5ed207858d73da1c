/**
 * Keeps the keyboard focus in the panel: when the focused element is removed, the composer or the search field of the
 * open list of threads gets the focus.
 */
import { isListOpen } from '../threads/store.ts';
import { composerField, isFocusLost } from '../view.ts';

/** Milliseconds in which a component may still focus another element, in an effect after the next frame. */
const EFFECTS_MS = 100;

/** The control that has the focus, or that had it when the page lost the focus. */
let last: HTMLElement | null = null;

/** Starts to watch the focus. Call once. */
export function keepFocus(): void {
  let focused: Element | null = null;
  document.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null;
    if (target instanceof HTMLElement && target !== document.body) last = target;
  });
  document.addEventListener('focusout', ({ target }) => {
    // If the element was removed, the observer has already handled that. Otherwise the user has moved the focus.
    setTimeout(() => {
      if (focused === target) focused = null;
    });
  });
  const observer = new MutationObserver(() => {
    if (focused === null || focused.isConnected) return;
    focused = null;
    setTimeout(restoreFocus, EFFECTS_MS);
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

/**
 * Moves the focus back into the page. While another part of VS Code has the focus, waits until the page has it again.
 */
function restoreFocus(): void {
  if (!isFocusLost()) return;
  if (!document.hasFocus()) window.addEventListener('focus', () => setTimeout(restoreFocus), { once: true });
  else focusDefault();
}

/** Returns the focus to the control that had it last. Call for the message `focus_back`. */
export function focusBack(): void {
  last?.focus();
  if (isFocusLost()) focusDefault();
}

function focusDefault(): void {
  // The open list of threads covers the composer.
  if (isListOpen.value) document.querySelector<HTMLElement>('[data-testid="threads-search"]')?.focus();
  else composerField()?.focus();
}
