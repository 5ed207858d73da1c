/** Moves the keyboard focus to a new card, and back to the composer when it is gone. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { composerFocus } from '../store.ts';
import { quietIn } from '../view.ts';

/** A window that is loading, an editor that opens, or a notification takes the focus from the panel for a moment. */
const AWAY_MS = 300;
const TRIES_WHILE_AWAY = 10;

/**
 * `card`: the id of the shown card, `null` without one. `form`: changes when the card shows other controls.
 *
 * A card that comes while another part of VS Code has the focus gets it when the panel has it again, within three seconds:
 * later, or once the user has pointed at the panel or asked for the composer, the focus is where the user wants it.
 */
export function useCardFocus(
  dock: RefObject<HTMLElement | null>,
  card: string | null,
  ...form: readonly unknown[]
): void {
  const isFirst = useRef(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tries = TRIES_WHILE_AWAY;
    const requests = composerFocus.peek();
    const giveUp = () => (tries = 0);
    const move = (isRetry = false) => {
      if (isRetry && (tries === 0 || composerFocus.peek() !== requests)) return;
      const isAway = !document.hasFocus();
      moveFocus(dock.current, card !== null, isFirst.current);
      isFirst.current = false;
      if (card === null) return;
      // After sending a message the user gets the card, too, debounced.
      const wait = quietIn();
      if (wait > 0) timer = setTimeout(move, wait);
      else if (isAway && tries-- > 0) timer = setTimeout(move, AWAY_MS, true);
    };
    move();
    window.addEventListener('pointerdown', giveUp, { capture: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pointerdown', giveUp, { capture: true });
    };
  }, [card, ...form]);
}

/**
 * A new card takes the focus only when no element has it, not from a user who types, reads or works in another window.
 * A removed card loses its focused button; then the composer gets the focus.
 */
function moveFocus(dock: HTMLElement | null, hasCard: boolean, isFirst: boolean): void {
  if (dock === null || !document.hasFocus()) return;
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body;
  const isIdle = activeElement instanceof HTMLTextAreaElement && activeElement.value === '' && quietIn() === 0;
  // Only an answer with a shortcut of its own: an answer that discards something must not get the next Enter.
  if (hasCard && (isLost || isIdle)) dock.querySelector<HTMLElement>('.decide .btn[aria-keyshortcuts]')?.focus();
  else if (!hasCard && isLost && !isFirst) dock.querySelector('textarea')?.focus();
}
