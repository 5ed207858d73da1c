import type { EventMsg } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ReplayedThread } from '../rollout/replay.ts';

interface Turn {
  readonly id: string;
  /** The message that began it; null as long as it has none, and for a turn that took an earlier one up. */
  messageId: string | null;
  /** How much the model had seen when it began; null where a compaction has replaced it. */
  readonly start: number | null;
  /** `start` counts what was read from the rollout. */
  readonly isReplayed: boolean;
}

export interface TurnsFrom {
  readonly turnIds: readonly string[];
  /** What the model had seen before the first of them; null where a compaction has replaced it. */
  readonly history: readonly ResponseItem[] | null;
}

/** Where each turn of a thread began, so that the thread can go back there. */
export class ThreadTurns {
  readonly #replayed: readonly ResponseItem[];
  #turns: readonly Turn[];

  constructor(replayed: ReplayedThread | null) {
    this.#replayed = replayed?.history ?? [];
    this.#turns = (replayed?.state.turns ?? []).map(({ id, items }) => ({
      id,
      messageId: items.find(({ type }) => type === 'user_message')?.id ?? null,
      start: replayed?.turnStarts.get(id) ?? null,
      isReplayed: true,
    }));
  }

  /** Call with everything that a turn emits. `seen`: how many items of the history the model has seen so far. */
  note(turnId: string, msg: EventMsg, seen: number): void {
    if (msg.type === 'turn_started') {
      this.#turns = [...this.#turns, { id: turnId, messageId: null, start: seen, isReplayed: false }];
    }
    if (msg.type !== 'item_started' || msg.item.type !== 'user_message') return;
    const turn = this.#turns.find(({ id }) => id === turnId);
    if (turn?.messageId === null) turn.messageId = msg.item.id;
  }

  /** The turn that this message began and all after it; `undefined` when it began none. `seen`: the whole history. */
  from(messageId: string, seen: readonly ResponseItem[]): TurnsFrom | undefined {
    const index = this.#turns.findIndex((turn) => turn.messageId === messageId);
    const turn = this.#turns[index];
    if (turn === undefined) return undefined;
    const { start, isReplayed } = turn;
    const history = start === null ? null : (isReplayed ? this.#replayed : seen).slice(0, start);
    return { turnIds: this.#turns.slice(index).map(({ id }) => id), history };
  }

  drop(turnIds: readonly string[]): void {
    this.#turns = this.#turns.filter(({ id }) => !turnIds.includes(id));
  }
}
