/** How much of a long text or a long thread is drawn in one frame. */
import type { TurnState } from '../../src/protocol/thread.ts';

/** Characters of prose: drawing them takes about 8 µs each. */
export const SLICE = 3_000;
/** What turns may cost in one frame, and what an item costs beside its text; in characters of prose. */
const TURNS = 4 * SLICE;
const ITEM = 100;

/** The length to draw next of a text of which `drawn` characters are drawn: all, or one slice more. */
export function nextLength(text: string, drawn: number): number {
  return Math.min(text.length, drawn + SLICE);
}

/** The index of the first turn to draw next, where those from `end` on are drawn: at least one turn more. */
export function nextStart(turns: readonly TurnState[], end: number): number {
  let start = end;
  for (let room = TURNS; start > 0 && room > 0; start--) {
    for (const item of turns[start - 1]?.items ?? []) {
      room -= ITEM + (item.type === 'agent_message' ? Math.min(item.text.length, SLICE) : 0);
    }
  }
  return start;
}
