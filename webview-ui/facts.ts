/**
 * What events say beside the state: when an item began and ended, and the word given with a denial.
 * Soft facts: they are shown while known and missed by nobody after a reload.
 */
import type { Event } from '../src/protocol/event.ts';
import type { ThreadState } from '../src/protocol/thread.ts';

export interface Denial {
  readonly byPerson: boolean;
  readonly word: string;
}

interface ItemFacts {
  startedAt?: number;
  endedAt?: number;
  denial?: Denial;
}

const facts = new Map<string, ItemFacts>();

function factsOf(itemId: string): ItemFacts {
  const known = facts.get(itemId) ?? {};
  facts.set(itemId, known);
  return known;
}

/** To be called before the event is folded. */
export function observe(event: Event, state: ThreadState): void {
  const { msg } = event;
  if (msg.type === 'item_started') factsOf(msg.item.id).startedAt = Date.parse(event.at);
  if (msg.type === 'item_completed') factsOf(msg.item.id).endedAt = Date.parse(event.at);
  if (msg.type === 'approval_resolved') {
    const request = state.approvals.find(({ approvalId }) => approvalId === msg.approvalId);
    if (request === undefined) return;
    const { decision } = msg;
    if (typeof decision === 'string' || !('denied' in decision)) return;
    factsOf(request.itemId).denial = { byPerson: msg.by === 'user', word: decision.denied.message ?? '' };
  }
}

export function startOf(itemId: string): number | null {
  return facts.get(itemId)?.startedAt ?? null;
}

/** Milliseconds from start to end. */
export function durationOf(itemId: string): number | null {
  const { startedAt, endedAt } = facts.get(itemId) ?? {};
  return startedAt === undefined || endedAt === undefined ? null : endedAt - startedAt;
}

export function denialOf(itemId: string): Denial | null {
  return facts.get(itemId)?.denial ?? null;
}
