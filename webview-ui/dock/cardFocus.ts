/** Moves the keyboard focus to a new card, and back to the composer when it is gone. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { composerFocus, draft } from '../store.ts';
import { composerField, isFocusLost, quietIn, takeCardChange } from '../view.ts';
import { holdKeys } from './holdKeys.ts';

/** `card`: the id of the shown card, `null` without one. `form`: changes when the card shows other controls. */
export function useCardFocus(
  dock: RefObject<HTMLElement | null>,
  card: string | null,
  ...form: readonly unknown[]
): void {
  /** `undefined` before the first effect. */
  const before = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    const isFirst = before.current === undefined;
    const isOther = !isFirst && before.current !== card;
    const change = takeCardChange();
    before.current = card;
    if (dock.current === null) return undefined;
    if (card !== null) return offerFocus(dock.current, change, isOther && change === null);
    // The removed card has taken its focused button along.
    if (!isFirst && isFocusLost() && document.hasFocus()) composerField()?.focus();
    return undefined;
  }, [card, ...form]);
}

/**
 * Gives the focus to the card once it is free: no element of the page has it, or the empty composer has it and the user
 * is not typing. While another part of VS Code has the focus, the card waits until the page has it again. The offer ends
 * when the card has taken the focus, and when the user points at the page or asks for the composer: then the focus is
 * where the user wants it.
 *
 * A user who goes through the requests keeps the focus on the button of that step: the next Enter must not answer a
 * request on the way. With `holdsKeys` the keys that follow at once are no answers (`holdKeys`).
 *
 * @returns a function that ends the offer
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
    // Asked once: at a second look the time may be over, and no other offer would follow.
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
  // At once, and when a message is sent that was being written as the card came.
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
 * The first answer with a key of its own: an answer that discards something must not get the next Enter. The field,
 * where nothing can be answered before something is written.
 */
function firstControl(dock: HTMLElement): HTMLElement | null {
  return (
    dock.querySelector<HTMLElement>('.decide .btn[aria-keyshortcuts]:not(:disabled)') ??
    dock.querySelector<HTMLElement>('.decide input.input')
  );
}
