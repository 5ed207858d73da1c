import type { EventMsg } from '../../protocol/event.ts';
import type { TurnItemOf, UserInput } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { isUsersOwn } from '../prompt/notices.ts';
import type { ReplayedThread } from '../rollout/replay.ts';

type UserMessage = TurnItemOf<'user_message'>;

interface Unsent {
  readonly turnId: string;
  readonly input: readonly UserInput[];
}

/**
 * Messages of the user that the thread shows and the model has not got: their turn ended while their mentions were read
 * or their hooks ran. The next turn that takes a message or is tried again begins with them.
 */
export class UnsentMessages {
  #messages: readonly Unsent[] = [];

  constructor(replayed: ReplayedThread | null) {
    for (const { id: turnId, items } of replayed?.state.turns ?? []) {
      const messages = items.filter((item) => item.type === 'user_message');
      if (messages.length === 0) continue;
      // Only the turn in which the process ended has a message in progress; comparing the others would take long.
      const isCutOff = messages.some(({ status }) => status === 'in_progress');
      const isSent = isCutOff && replayed !== null && isRecorded(messages, replayed, turnId);
      const unsent = messages.filter(({ status }) => status === 'aborted' || (status === 'in_progress' && !isSent));
      this.#messages = unsent.map(({ content }) => ({ turnId, input: content }));
    }
  }

  /** Oldest first. */
  get inputs(): readonly (readonly UserInput[])[] {
    return this.#messages.map(({ input }) => input);
  }

  /** Call with each event of a turn. */
  note(turnId: string, msg: EventMsg): void {
    if (msg.type !== 'item_started' && msg.type !== 'item_completed') return;
    const { item } = msg;
    if (item.type !== 'user_message') return;
    // A turn begins with the messages that earlier turns left unsent.
    this.#messages = this.#messages.filter((unsent) => unsent.turnId === turnId);
    if (msg.type === 'item_completed' && item.status === 'aborted') {
      this.#messages = [...this.#messages, { turnId, input: item.content }];
    }
  }

  /** Call when these turns are removed from the thread. */
  drop(turnIds: readonly string[]): void {
    this.#messages = this.#messages.filter(({ turnId }) => !turnIds.includes(turnId));
  }
}

/** Returns true if the process ended between recording the last message of a turn and showing it. */
function isRecorded(
  messages: readonly UserMessage[],
  { history, turnStarts }: Pick<ReplayedThread, 'history' | 'turnStarts'>,
  turnId: string,
): boolean {
  const start = turnStarts.get(turnId);
  if (start === undefined) return false;
  const recorded = history.slice(start).filter((item: ResponseItem) => item.type === 'message' && isUsersOwn(item));
  return recorded.length > messages.filter(({ status }) => status === 'completed').length;
}
