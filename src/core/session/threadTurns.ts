import type { EventMsg } from '../../protocol/event.ts';
import type { TurnItem } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { withOutputs } from '../history/history.ts';
import type { ReplayedThread } from '../rollout/replay.ts';

interface Turn {
  readonly id: string;
  /** The message that began the turn; null until it is known, and for a turn that continues an earlier one. */
  messageId: string | null;
  /** Items of the history when it began; null where the history was replaced since. */
  readonly start: number | null;
  /** The sub-agents that its calls have started and left open. */
  agentIds: readonly string[];
  /** `start` counts items that were read from the rollout. */
  readonly isReplayed: boolean;
}

export interface TurnsFrom {
  readonly turnIds: readonly string[];
  /** The sub-agents that their calls have started and left open. */
  readonly agentIds: readonly string[];
  /** The history before the first of them; null where a compaction, or the undo of one, has replaced it since. */
  readonly history: readonly ResponseItem[] | null;
}

/** The start of each turn of a thread, so that the thread can go back to it. */
export class ThreadTurns {
  #replayed: readonly ResponseItem[];
  #turns: readonly Turn[];

  constructor(replayed: ReplayedThread | null) {
    this.#replayed = replayed?.history ?? [];
    this.#turns = (replayed?.state.turns ?? []).map(({ id, items }) => ({
      id,
      messageId: items.find(({ type }) => type === 'user_message')?.id ?? null,
      start: replayed?.turnStarts.get(id) ?? null,
      agentIds: items.flatMap(spawnedBy),
      isReplayed: true,
    }));
  }

  /** Call with each event of a turn. `seen`: the number of items of the history that the model has read so far. */
  note(turnId: string, msg: EventMsg, seen: number): void {
    if (msg.type === 'turn_started') {
      this.#turns = [...this.#turns, { id: turnId, messageId: null, start: seen, agentIds: [], isReplayed: false }];
    }
    if (msg.type !== 'item_started' && msg.type !== 'item_completed') return;
    const turn = this.#turns.findLast(({ id }) => id === turnId);
    if (turn === undefined) return;
    if (msg.type === 'item_completed') turn.agentIds = [...turn.agentIds, ...spawnedBy(msg.item)];
    else if (msg.item.type === 'user_message') turn.messageId ??= msg.item.id;
  }

  /** The turn that this message began and all after it; `undefined` when it began none. `seen`: the whole history. */
  turnsFrom(messageId: string, seen: readonly ResponseItem[]): TurnsFrom | undefined {
    const index = this.#turns.findIndex((turn) => turn.messageId === messageId);
    const turn = this.#turns[index];
    if (turn === undefined) return undefined;
    const { start, isReplayed } = turn;
    const history = start === null ? null : (isReplayed ? this.#replayed : seen).slice(0, start);
    const turns = this.#turns.slice(index);
    return { turnIds: turns.map(({ id }) => id), agentIds: turns.flatMap(({ agentIds }) => agentIds), history };
  }

  /** Call when items were removed from the end of the history, which has this length now. */
  shortened(length: number): void {
    this.#turns = this.#turns.map((turn) =>
      turn.start === null || turn.isReplayed ? turn : { ...turn, start: Math.min(turn.start, length) },
    );
  }

  /** Call when a compaction, or the undo of one, has replaced the history: no turn so far began in the new one. */
  forgetStarts(): void {
    this.#turns = this.#turns.map((turn) => ({ ...turn, start: null }));
    this.#replayed = [];
  }

  /** An output that the user has removed does not come back with a rollback. */
  replaceOutputs(callIds: ReadonlySet<string>, output: string): void {
    this.#replayed = withOutputs(this.#replayed, callIds, output);
  }

  drop(turnIds: readonly string[]): void {
    this.#turns = this.#turns.filter(({ id }) => !turnIds.includes(id));
  }
}

function spawnedBy(item: TurnItem): readonly string[] {
  return item.type === 'sub_agent' && item.action === 'spawn' && item.agentId !== '' ? [item.agentId] : [];
}
