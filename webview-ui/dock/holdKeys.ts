/** Prevents that keys meant for another element answer a card that has just taken the focus. */
import { composerField, noteTyping } from '../view.ts';

/**
 * The milliseconds during which keys are held: a user who sees that the focus has moved needs this time to stop typing.
 * Chromium's own prompts wait as long.
 */
const HELD_MS = 500;

/**
 * Call when a card has taken the focus without an act of the user. For half a second, Enter and Space answer nothing,
 * and a character goes to the composer if the composer had the focus (`wasInComposer`), otherwise it is dropped. Tab,
 * Escape and key combinations work. It ends early when the user points at the dock or another control gets the focus.
 * Until it ends, the dock has the attribute `data-holds-keys`.
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
      // The browser delivers the key to the element that has the focus now.
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
