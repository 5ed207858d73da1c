/** Keeps the keyboard in the panel: an element that is removed while it has the focus leaves it to the composer. */
import { isListOpen } from '../threads/store.ts';
import { composerField, isFocusLost } from '../view.ts';

/** A component may give the focus to another element first, in an effect after the next frame. */
const EFFECTS_MS = 100;

/** The control that has the focus, or had it when the page lost it. */
let last: HTMLElement | null = null;

/** Call once. When the focused element is removed, the focus moves to a place near it instead of being lost. */
export function keepFocus(): void {
  let focused: Element | null = null;
  document.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null;
    if (target instanceof HTMLElement && target !== document.body) last = target;
  });
  document.addEventListener('focusout', ({ target }) => {
    // The observer has already handled an element that was removed; in all other cases the user has moved the focus.
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

/** Moves the focus back into the page; while another part of VS Code has it, as soon as the page has it again. */
function restoreFocus(): void {
  if (!isFocusLost()) return;
  if (!document.hasFocus()) window.addEventListener('focus', () => setTimeout(restoreFocus), { once: true });
  else focusDefault();
}

/** Call at `focus_back`. */
export function focusBack(): void {
  last?.focus();
  if (isFocusLost()) focusDefault();
}

function focusDefault(): void {
  // The composer is behind the list of threads.
  if (isListOpen.value) document.querySelector<HTMLElement>('[data-testid="threads-search"]')?.focus();
  else composerField()?.focus();
}
