/**
 * Facts from events that are not part of the thread's state: when an item started and ended. They are only known for
 * events that this page has seen, and are lost on a reload.
 */
import type { Event } from '../src/protocol/event.ts';

interface ItemFacts {
  startedAt?: number;
  endedAt?: number;
}

const facts = new Map<string, ItemFacts>();

function factsOf(itemId: string): ItemFacts {
  const known = facts.get(itemId) ?? {};
  facts.set(itemId, known);
  return known;
}

/** Keeps the times of an item. Call for each event. */
export function observe({ at, msg }: Event): void {
  if (msg.type === 'item_started') factsOf(msg.item.id).startedAt = Date.parse(at);
  if (msg.type === 'item_completed') factsOf(msg.item.id).endedAt = Date.parse(at);
}

/** Returns the start of an item in milliseconds since 1970; `null` if the page has not seen it begin. */
export function startOf(itemId: string): number | null {
  return facts.get(itemId)?.startedAt ?? null;
}

/** Returns the milliseconds from the start of an item to its end. */
export function durationOf(itemId: string): number | null {
  const { startedAt, endedAt } = facts.get(itemId) ?? {};
  return startedAt === undefined || endedAt === undefined ? null : endedAt - startedAt;
}
