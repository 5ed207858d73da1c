/**
 * The panel gets thumbnails in place of images of messages: a message to it should stay below 256 kB (docs/design.md §5).
 * What it sends back for a thumbnail is the image again.
 */
import type { TurnItem, UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import type { PanelEvent, ThreadState, TurnState } from '../../protocol/thread.ts';

export class PanelImages {
  /** The data URLs of images by those of their thumbnails. */
  readonly #images = new Map<string, string>();

  ofEvent(event: PanelEvent): PanelEvent {
    const { msg } = event;
    switch (msg.type) {
      case 'item_started':
      case 'item_completed':
        return { ...event, msg: { ...msg, item: this.#ofItem(msg.item) } } as PanelEvent;
      case 'input_queued':
        return { ...event, msg: { ...msg, input: [...this.#shrink(msg.input)] } } as PanelEvent;
      default:
        return event;
    }
  }

  ofTurns(turns: readonly TurnState[]): readonly TurnState[] {
    return turns.map((turn) => ({ ...turn, items: turn.items.map((item) => this.#ofItem(item)) }));
  }

  ofThread(state: ThreadState): ThreadState {
    const queuedInputs = state.queuedInputs.map((queued) => ({ ...queued, input: this.#shrink(queued.input) }));
    return { ...state, turns: this.ofTurns(state.turns), queuedInputs };
  }

  /** An op of the page, with the images that it has only thumbnails of. */
  restored(op: Op): Op {
    switch (op.type) {
      case 'user_turn':
      case 'steer':
        return { ...op, input: this.whole(op.input) };
      case 'edit_queued':
        return op.input === null ? op : { ...op, input: this.whole(op.input) };
      default:
        return op;
    }
  }

  /** A message of the page, with the images that it has only thumbnails of. */
  whole(input: readonly UserInput[]): UserInput[] {
    return input.map((part) => this.#whole(part));
  }

  #ofItem(item: TurnItem): TurnItem {
    return item.type === 'user_message' ? { ...item, content: [...this.#shrink(item.content)] } : item;
  }

  #shrink(input: readonly UserInput[]): readonly UserInput[] {
    return input.map((part) => {
      if (part.type !== 'image' || part.thumbnail === undefined) return part;
      if (part.imageUrl !== part.thumbnail) this.#images.set(part.thumbnail, part.imageUrl);
      return { ...part, imageUrl: part.thumbnail };
    });
  }

  #whole(part: UserInput): UserInput {
    if (part.type !== 'image' || part.imageUrl !== part.thumbnail) return part;
    return { ...part, imageUrl: this.#images.get(part.thumbnail) ?? part.imageUrl };
  }
}
