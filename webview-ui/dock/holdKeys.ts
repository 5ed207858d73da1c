/** Keeps keys that were meant for another place from answering a card that has just taken the focus. */
import { composerField, noteTyping } from '../view.ts';

/** A user who sees that the focus has moved needs this long to stop. Chromium's own prompts wait as long. */
const HELD_MS = 500;

/**
 * Call when a card has taken the focus by itself. For half a second Enter and Space answer nothing, and a character goes
 * to the composer if the focus was there (`wasInComposer`), else nowhere. Tab, Escape and chords work. A pointer, or
 * another control that gets the focus, ends it. `data-holds-keys` marks the dock for as long.
 *
 * @returns a function that ends it
 */
export function holdKeys(dock: HTMLElement, wasInComposer: boolean): () => void {
  const end = () => {
    clearTimeout(timer);
    dock.removeAttribute('data-holds-keys');
    dock.removeEventListener('keydown', onKeyDown, { capture: true });
    dock.removeEventListener('focusin', end);
    dock.removeEventListener('pointerdown', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isCharacter = event.key.length === 1 || event.key === 'Process';
    if (event.ctrlKey || event.metaKey || event.altKey || !(isCharacter || event.key === 'Enter')) return;
    event.stopPropagation();
    if (wasInComposer && isCharacter && event.key !== ' ') {
      noteTyping();
      // The key goes on to the element that has the focus now.
      composerField()?.focus();
    } else event.preventDefault();
  };
  dock.setAttribute('data-holds-keys', '');
  dock.addEventListener('keydown', onKeyDown, { capture: true });
  dock.addEventListener('focusin', end);
  dock.addEventListener('pointerdown', end);
  const timer = setTimeout(end, HELD_MS);
  return end;
}
