/** The share of a long text or a long thread that is drawn in one frame. */
import type { TurnState } from '../../src/protocol/thread.ts';

/** Number of characters of model output that are drawn in one frame: each takes about 8 µs. */
export const SLICE = 3_000;
/**
 * The maximum cost of the turns that are drawn in one frame, and the cost of an item besides its text. The unit is one
 * character of model output.
 */
const TURNS = 4 * SLICE;
const ITEM = 100;

/**
 * Returns the length to draw next of a text of which `drawn` characters are drawn: one slice more, at most the whole
 * text.
 */
export function nextLength(text: string, drawn: number): number {
  return Math.min(text.length, drawn + SLICE);
}

/**
 * Returns the length to draw of a text that replaces `before`, of which `drawn` characters were drawn: as many
 * characters as before, so that the content below does not move, but at most one slice of text that differs.
 */
export function keptLength(text: string, before: string, drawn: number): number {
  let shared = 0;
  while (shared < Math.min(text.length, drawn) && text[shared] === before[shared]) shared++;
  return Math.min(text.length, Math.max(drawn, SLICE), shared + SLICE);
}

/**
 * Returns the index of the first turn to draw next, if the turns from `end` on are drawn. Draws at least one more turn.
 */
export function nextStart(turns: readonly TurnState[], end: number): number {
  let start = end;
  for (let room = TURNS; start > 0 && room > 0; start--) {
    for (const item of turns[start - 1]?.items ?? []) {
      room -= ITEM + (item.type === 'agent_message' ? Math.min(item.text.length, SLICE) : 0);
    }
  }
  return start;
}

/** Returns the index of the first of these turns that is also in `drawn`; -1 if there is none. */
export function drawnStart(turns: readonly TurnState[], drawn: readonly TurnState[]): number {
  const first = turns.findIndex(({ id }) => id === drawn[0]?.id);
  if (first !== -1) return first;
  const ids = new Set(drawn.map(({ id }) => id));
  return turns.findIndex(({ id }) => ids.has(id));
}
