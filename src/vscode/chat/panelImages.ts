/**
 * The panel gets thumbnails in place of images of messages: a message to it should stay below 256 kB (docs/design.md §5).
 * What it sends back for a thumbnail is the image again.
 */
import { createHash } from 'node:crypto';
import type { Attachment } from '../../protocol/draft.ts';
import type { TurnItem, UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import type { ThreadState, TurnState } from '../../protocol/thread.ts';
import type { PanelEvent } from '../../protocol/threadReducer.ts';

export class PanelImages {
  /**
   * The data URLs of images by their ids, of the last thread that the panel got. Two images may have one thumbnail. The id
   * is always computed: an imported thread could give one to two images.
   */
  #images = new Map<string, string>();
  /** Images of the thread that was shown before: a draft with them may still arrive. */
  #earlier = new Map<string, string>();

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

  /** Drops the images of threads before the last one. */
  ofThread(state: ThreadState): ThreadState {
    this.#earlier = this.#images;
    this.#images = new Map();
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

  /** Returns the attachments of a draft of the page with whole images, likewise. */
  wholeAttachments(attachments: readonly Attachment[]): readonly Attachment[] {
    return attachments.map((attachment) =>
      attachment.part.type === 'image' ? { ...attachment, part: this.#whole(attachment.part) } : attachment,
    );
  }

  #ofItem(item: TurnItem): TurnItem {
    return item.type === 'user_message' ? { ...item, content: [...this.#shrink(item.content)] } : item;
  }

  #shrink(input: readonly UserInput[]): readonly UserInput[] {
    return input.map((part) => {
      if (part.type !== 'image' || part.thumbnail === undefined || part.thumbnail === part.imageUrl) return part;
      const id = createHash('sha256').update(part.imageUrl).digest('hex');
      this.#images.set(id, part.imageUrl);
      return { ...part, id, imageUrl: part.thumbnail };
    });
  }

  #whole<Part extends UserInput>(part: Part): Part {
    if (part.type !== 'image' || part.id === undefined || part.imageUrl !== part.thumbnail) return part;
    return { ...part, imageUrl: this.#images.get(part.id) ?? this.#earlier.get(part.id) ?? part.imageUrl };
  }
}
