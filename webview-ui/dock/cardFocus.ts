/** Moves the keyboard focus to a new card, and back to the composer when the card is gone. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { composerFocus, draft } from '../store.ts';
import { composerField, isFocusLost, quietIn, takeCardChange } from '../view.ts';
import { holdKeys } from './holdKeys.ts';

/**
 * Moves the focus when the shown card changes. `card`: its id; `null` if none is shown. `form`: changes when the card
 * shows other controls.
 */
export function useCardFocus(
  dock: RefObject<HTMLElement | null>,
  card: string | null,
  ...form: readonly unknown[]
): void {
  /** The id of the card before this one; `undefined` before the first effect. */
  const before = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    const isFirst = before.current === undefined;
    const isOther = !isFirst && before.current !== card;
    const change = takeCardChange();
    before.current = card;
    if (dock.current === null) return undefined;
    if (card !== null) return offerFocus(dock.current, change, isOther && change === null);
    // The focused button was removed together with its card.
    if (!isFirst && isFocusLost() && document.hasFocus()) composerField()?.focus();
    return undefined;
  }, [card, ...form]);
}

/**
 * Gives the focus to the card when no element of the page has it, or when the empty composer has it and the user is not
 * typing. While another part of VS Code has the focus, the card waits until the page has it again. The wait ends when
 * the card has taken the focus, and when the user points at the page or requests the composer: then the user has put
 * the focus where it is.
 *
 * When the user has gone to this card with the button for the next or previous request, that button gets the focus: the
 * next Enter must not answer a request on the way. With `holdsKeys`, keys that follow at once are no answers
 * (`holdKeys`).
 *
 * @returns a function that ends the wait
 */
function offerFocus(dock: HTMLElement, change: ReturnType<typeof takeCardChange>, holdsKeys: boolean): () => void {
  const requests = composerFocus.peek();
  let isOpen = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let release: (() => void) | undefined;
  const close = () => {
    isOpen = false;
    clearTimeout(timer);
  };
  const offer = () => {
    clearTimeout(timer);
    if (!isOpen || composerFocus.peek() !== requests || !document.hasFocus()) return;
    const isInComposer = document.activeElement === composerField();
    if (!isFocusLost() && !(isInComposer && draft.peek() === '')) return;
    // `quietIn` is called once: a second call could return 0, and nothing would call `offer` again.
    const wait = isInComposer ? quietIn() : 0;
    if (wait > 0) {
      timer = setTimeout(offer, wait);
      return;
    }
    const step = dock.querySelector<HTMLElement>(`[data-testid="decision-${change}"]`);
    const control = step ?? firstControl(dock);
    if (control === null) return;
    close();
    control.focus();
    if (holdsKeys && control instanceof HTMLButtonElement) release = holdKeys(dock, isInComposer);
  };
  window.addEventListener('focus', offer);
  window.addEventListener('pointerdown', close, { capture: true });
  // Called at once, and again at each change of the draft: it becomes empty when the message is sent that the user was
  // writing when the card arrived.
  const stopWatching = draft.subscribe(offer);
  return () => {
    close();
    release?.();
    stopWatching();
    window.removeEventListener('focus', offer);
    window.removeEventListener('pointerdown', close, { capture: true });
  };
}

/**
 * Returns the control to focus: the first answer that has a shortcut, because an answer that discards something must
 * not get the next Enter; else the text field, if the request can only be answered by writing.
 */
function firstControl(dock: HTMLElement): HTMLElement | null {
  return (
    dock.querySelector<HTMLElement>('.decide .btn[aria-keyshortcuts]:not(:disabled)') ??
    dock.querySelector<HTMLElement>('.decide input.input')
  );
}
