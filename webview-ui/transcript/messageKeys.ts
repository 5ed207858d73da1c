/** Keys that move the focus from one message of the user to another: there may be screens of steps between them. */
import { useEffect } from 'preact/hooks';
import { loadEarlier } from '../actions.ts';
import { composerFocus, hiddenTurns } from '../store.ts';
import { openPopup } from '../view.ts';
import { toEnd } from './place.ts';

const MESSAGE = '[data-testid=user-message]';
/** Pixels to leave above the message: its buttons extend over its edge. */
const SPACE_ABOVE = 16;

/**
 * Handles Alt+Up and Alt+Down anywhere in the panel, except in a field with text, where they may move the caret. The
 * message gets the focus, so that Tab leads to its buttons.
 */
export function useMessageKeys(frame: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isBack = event.key === 'ArrowUp';
      const isPlain = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      if (!isPlain || !(isBack || event.key === 'ArrowDown') || hasText(event.target)) return;
      if (frame.current === null || isCovered(frame.current) || openPopup.value !== null) return;
      event.preventDefault();
      if (isBack) toPrevious(frame.current);
      else toNext(frame.current);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function hasText(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  return isField && target.value !== '';
}

/** Returns true while the list of threads covers the transcript. */
function isCovered(frame: HTMLElement): boolean {
  return frame.closest('[data-list=true]') !== null;
}

/**
 * Returns the messages before or after the focused element, in their order. If the focus is outside of the transcript,
 * it counts as the transcript's end.
 */
function messagesFrom(frame: HTMLElement, direction: number): readonly HTMLElement[] {
  const messages = [...frame.querySelectorAll<HTMLElement>(MESSAGE)];
  const focused = document.activeElement;
  if (focused === null || focused === frame || !frame.contains(focused)) {
    return direction === Node.DOCUMENT_POSITION_PRECEDING ? messages : [];
  }
  const own = focused.closest(MESSAGE) ?? focused;
  return messages.filter((message) => (own.compareDocumentPosition(message) & direction) !== 0);
}

/** Focuses the previous message. At the first loaded message, loads earlier ones; the next key reaches them. */
function toPrevious(frame: HTMLElement): void {
  const previous = messagesFrom(frame, Node.DOCUMENT_POSITION_PRECEDING).at(-1);
  if (previous !== undefined) show(frame, previous);
  else if (hiddenTurns.value > 0) loadEarlier();
}

/** Focuses the next message; after the last one, the composer. */
function toNext(frame: HTMLElement): void {
  const [next] = messagesFrom(frame, Node.DOCUMENT_POSITION_FOLLOWING);
  if (next !== undefined) return show(frame, next);
  toEnd(frame);
  composerFocus.value++;
}

/** Scrolls only the frame to a message and focuses it: `scrollIntoView` would scroll the panel, too. */
function show(frame: HTMLElement, message: HTMLElement): void {
  message.focus({ preventScroll: true });
  frame.scrollTop += message.getBoundingClientRect().top - frame.getBoundingClientRect().top - SPACE_ABOVE;
}
