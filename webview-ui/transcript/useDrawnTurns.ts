/** Determines which turns of a thread are drawn: a long thread is drawn in several frames, beginning at its end. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TurnState } from '../../src/protocol/thread.ts';
import { drawLater, usePartial } from '../components/drawLater.ts';
import { threadId, visibleTurns } from '../store.ts';
import { drawnStart, nextStart } from '../text/slices.ts';
import { savedPlace } from './place.ts';

/**
 * Returns the shown turns that are to be drawn now: at first the last ones, and in each of the next frames more of
 * those before them. If a place is to be restored, returns all of them at once. A turn that was drawn stays drawn while
 * it is shown, even when earlier turns leave the window.
 */
export function useDrawnTurns(): readonly TurnState[] {
  const { value: turns } = visibleTurns;
  const { value: id } = threadId;
  const drawn = useRef<{ readonly threadId: string | null; readonly turns: readonly TurnState[] }>(null);
  /** The id of the first turn to draw next. */
  const next = useRef<string | undefined>(undefined);
  const [, redraw] = useState(0);
  const start = startOf(turns, id, next.current, drawn.current);
  const shown = useMemo(() => turns.slice(start), [turns, start]);
  drawn.current = { threadId: id, turns: shown };
  next.current = undefined;
  usePartial(start > 0);
  useEffect(() => {
    if (start === 0) return undefined;
    return drawLater(() => {
      next.current = turns[nextStart(turns, start)]?.id;
      redraw((count) => count + 1);
    });
  }, [id, turns[start]?.id, turns[0]?.id]);
  return shown;
}

function startOf(
  turns: readonly TurnState[],
  id: string | null,
  next: string | undefined,
  drawn: { readonly threadId: string | null; readonly turns: readonly TurnState[] } | null,
): number {
  if (drawn?.threadId === id) {
    const asked = next === undefined ? -1 : turns.findIndex((turn) => turn.id === next);
    const start = asked === -1 ? drawnStart(turns, drawn.turns) : asked;
    if (start !== -1) return start;
  } else if (savedPlace(id) !== null) return 0;
  return nextStart(turns, turns.length);
}
