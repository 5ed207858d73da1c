import type { EventMsg, EventMsgOf } from '../../protocol/event.ts';
import { DELTA_REDACTION } from '../../protocol/itemTraits.ts';
import { RedactedText, type SecretRedactor } from '../util/secretRedactor.ts';
import { mapTexts } from '../util/mapTexts.ts';

type Delta = EventMsgOf<'item_delta'>;

export interface TurnMsg {
  readonly turnId: string | null;
  readonly msg: EventMsg;
}

interface GrowingText {
  readonly turnId: string | null;
  /** The last delta of the text. Later deltas copy its fields. */
  delta: Delta;
  readonly text: RedactedText;
}

/**
 * Redacts the keys that Tiller holds in every event of a thread, also a key that comes in pieces: the end of a text
 * that may be the beginning of a key is held back until the next piece. Deltas add up to the redacted text of the whole
 * item.
 */
export class RedactingEvents {
  readonly #keys: SecretRedactor;
  readonly #growing = new Map<string, GrowingText>();

  constructor(keys: SecretRedactor) {
    this.#keys = keys;
  }

  /** The messages that can be emitted now, in order. */
  take(turnId: string | null, msg: EventMsg): readonly TurnMsg[] {
    if (this.#keys.isEmpty) return [{ turnId, msg }];
    // The output of commands is redacted in core/exec/liveProcess.ts.
    if (msg.type === 'process_output') return [{ turnId, msg }];
    if (msg.type === 'item_delta') {
      const redaction = DELTA_REDACTION[msg.kind];
      if (redaction === 'at_source') return [{ turnId, msg }];
      if (redaction === 'in_pieces') return this.#grow(turnId, msg);
    }
    const hidden = mapTexts(msg, (text) => this.#keys.hide(text)) as EventMsg;
    return [...this.#endsBefore(turnId, msg), { turnId, msg: hidden }];
  }

  #grow(turnId: string | null, delta: Delta): readonly TurnMsg[] {
    const id = `${delta.kind} ${delta.itemId}`;
    const growing = this.#growing.get(id) ?? { turnId, delta, text: new RedactedText(this.#keys) };
    growing.delta = delta;
    this.#growing.set(id, growing);
    const text = growing.text.push(delta.text);
    return text === '' ? [] : [{ turnId, msg: { ...delta, text } }];
  }

  /** The held ends of the texts that this message ends. */
  #endsBefore(turnId: string | null, msg: EventMsg): readonly TurnMsg[] {
    const ended = [...this.#growing].filter(([, growing]) => endsWith(turnId, msg, growing));
    return ended.flatMap(([id, growing]) => {
      this.#growing.delete(id);
      const text = growing.text.end();
      return text === '' ? [] : [{ turnId: growing.turnId, msg: { ...growing.delta, text } }];
    });
  }
}

/** The text is complete: its held end is not the beginning of a key. */
function endsWith(turnId: string | null, msg: EventMsg, growing: GrowingText): boolean {
  switch (msg.type) {
    case 'item_completed':
      return growing.delta.itemId === msg.item.id;
    case 'item_delta':
      return growing.delta.itemId === msg.itemId && growing.delta.kind === 'summary';
    case 'turn_completed':
    case 'turn_aborted':
      return growing.turnId === turnId;
    default:
      return false;
  }
}
