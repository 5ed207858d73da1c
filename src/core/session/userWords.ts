import type { Event } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ThreadState } from '../../protocol/thread.ts';

/** The texts that the user has written in a thread, without what was attached to them. */
export class UserWords {
  #texts: readonly { readonly turnId: string; readonly text: string }[];

  /** `before`: the thread before this process. */
  constructor(before: Pick<ThreadState, 'turns'>) {
    this.#texts = before.turns.flatMap(({ id, items }) =>
      items.flatMap((item) => (item.type === 'user_message' ? wordsOf(id, item.content) : [])),
    );
  }

  /** Oldest first. */
  get all(): readonly string[] {
    return this.#texts.map(({ text }) => text);
  }

  /** Call for each event of the thread. */
  take({ msg, turnId }: Pick<Event, 'msg' | 'turnId'>): void {
    if (msg.type === 'item_completed' && msg.item.type === 'user_message' && turnId !== null) {
      this.#texts = [...this.#texts, ...wordsOf(turnId, msg.item.content)];
    } else if (msg.type === 'turns_rolled_back' && msg.conversation) {
      this.#texts = this.#texts.filter((word) => !msg.turnIds.includes(word.turnId));
    }
  }
}

function wordsOf(turnId: string, content: readonly UserInput[]): { readonly turnId: string; readonly text: string }[] {
  const text = content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
  return text === '' ? [] : [{ turnId, text }];
}
