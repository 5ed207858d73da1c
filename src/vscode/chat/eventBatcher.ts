import type { Event } from '../../protocol/event.ts';
import type { PanelEvent, TextGrowth } from '../../protocol/threadReducer.ts';

/** One batch per frame: at most 63 messages a second however fast a model streams (docs/design.md §5). */
const INTERVAL_MS = 16;
/** Characters of one batch. */
const MAX_CHARACTERS = 200_000;
/** Characters of joined prose, which the panel cannot split: it draws at most as many in a frame (webview-ui/bridge.ts). */
const MAX_PROSE = 3000;

/** An event that appends to a text. */
type DeltaEvent = TextGrowth | (Event & Pick<TextGrowth, 'msg'>);

/** Batches events and posts them once per frame; consecutive deltas of the same text are joined. */
export class EventBatcher {
  readonly #send: (events: readonly PanelEvent[]) => void;
  #batch: PanelEvent[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (events: readonly PanelEvent[]) => void) {
    this.#send = send;
  }

  push(event: PanelEvent): void {
    const size = sizeOf(event);
    if (this.#characters + size > MAX_CHARACTERS) this.flush();
    this.#characters += size;
    const last = this.#batch.at(-1);
    const joined = last && isDelta(last) && isDelta(event) ? joinDeltas(last, event) : undefined;
    if (joined) this.#batch[this.#batch.length - 1] = joined;
    else this.#batch.push(event);
    this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = [];
    this.#characters = 0;
    if (batch.length > 0) this.#send(batch);
  }

  /** Drops events that were not sent: call it before a snapshot is sent. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#batch = [];
    this.#characters = 0;
  }
}

function isDelta(event: PanelEvent): event is DeltaEvent {
  return event.msg.type === 'item_delta' || event.msg.type === 'process_output';
}

/** The later event with both texts; `undefined` when they belong to different texts. */
function joinDeltas(first: DeltaEvent, second: DeltaEvent): DeltaEvent | undefined {
  const [left, right] = [first.msg, second.msg];
  if (left.type === 'process_output' || right.type === 'process_output') {
    if (left.type !== 'process_output' || right.type !== 'process_output') return undefined;
    if (left.processId !== right.processId || left.stream !== right.stream) return undefined;
    return { ...second, msg: { ...right, text: left.text + right.text } };
  }
  if (left.itemId !== right.itemId || left.kind !== right.kind || left.stream !== right.stream) return undefined;
  if (left.kind === 'section_break') return undefined;
  if (left.kind !== 'output' && left.text.length + right.text.length > MAX_PROSE) return undefined;
  return { ...second, msg: { ...right, text: left.text + right.text } };
}

function sizeOf(event: PanelEvent): number {
  return isDelta(event) ? event.msg.text.length + 200 : JSON.stringify(event).length;
}
