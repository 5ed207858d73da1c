import type { KeyHider } from '../core/util/keyHider.ts';
import type { Event, EventMsgOf } from '../protocol/event.ts';
import type { TurnItem } from '../protocol/item.ts';
import type { ProcessState, ThreadState } from '../protocol/thread.ts';

type Delta = EventMsgOf<'item_delta' | 'process_output'>;

/** The end of a text that grows: it may be the beginning of a key. */
interface HeldEnd {
  readonly turnId: string | null;
  readonly msg: Delta;
}

/**
 * What the panel is told of texts that grow, without the keys that Tiller holds, also where one comes in pieces: an end
 * in which a key may have begun waits for what follows. A text in which none can begin is never held up.
 */
export class HiddenStream {
  readonly #keys: KeyHider;
  readonly #held = new Map<string, HeldEnd>();

  constructor(keys: KeyHider) {
    this.#keys = keys;
  }

  /** From now on the page hears what follows upon this state; its texts that still grow wait with their ends, too. */
  begin(state: ThreadState): ThreadState {
    this.#held.clear();
    if (this.#keys.isEmpty) return state;
    const turns = state.turns.map((turn) =>
      turn.id === state.activeTurnId
        ? { ...turn, items: turn.items.map((item) => this.#beginItem(item, turn.id)) }
        : turn,
    );
    return { ...state, turns, processes: state.processes.map((process) => this.#beginProcess(process)) };
  }

  /** What can be told now. */
  take(event: Event): readonly Event[] {
    const { msg } = event;
    if (msg.type === 'process_output' || (msg.type === 'item_delta' && msg.kind !== 'section_break')) {
      return this.#grow(event, msg);
    }
    const ended = [...this.#held].filter(([, end]) => endsWith(event, end));
    for (const [text] of ended) this.#held.delete(text);
    // The page takes each number once, and none that is behind the last one: these stand between two.
    const between = (index: number) => event.seq - (ended.length - index) / (ended.length + 1);
    const ends = ended.map(([, { turnId, msg: end }], index) => {
      // A key may stand there whole that could have become a longer one.
      return { ...event, seq: between(index), turnId, msg: { ...end, text: this.#keys.hide(end.text) } };
    });
    return [...ends, event];
  }

  #grow(event: Event, msg: Delta): readonly Event[] {
    if (this.#keys.isEmpty) return [event];
    const text = textIdOf(msg);
    const before = this.#held.get(text)?.msg.text ?? '';
    const { shown, held } = this.#keys.hideBeginning(before + msg.text);
    if (held === '') this.#held.delete(text);
    else this.#held.set(text, { turnId: event.turnId, msg: { ...msg, text: held } });
    return shown === '' && held !== '' ? [] : [{ ...event, msg: { ...msg, text: shown } }];
  }

  #beginItem(item: TurnItem, turnId: string): TurnItem {
    if (item.status !== 'in_progress') return item;
    const begin = (kind: EventMsgOf<'item_delta'>['kind'], text: string) =>
      this.#begin({ turnId, msg: { type: 'item_delta', itemId: item.id, kind, text } });
    switch (item.type) {
      case 'agent_message':
        return { ...item, text: begin('text', item.text) };
      case 'reasoning': {
        const last = item.summary.at(-1);
        const summary =
          last === undefined ? item.summary : item.summary.with(item.summary.length - 1, begin('summary', last));
        return { ...item, summary, ...(item.raw === undefined ? {} : { raw: begin('raw', item.raw) }) };
      }
      case 'command_execution':
        return { ...item, output: begin('output', item.output) };
      case 'file_change':
        return item.patch === undefined ? item : { ...item, patch: begin('patch', item.patch) };
      default:
        return item;
    }
  }

  #beginProcess(process: ProcessState): ProcessState {
    if (process.status.type === 'exited') return process;
    const { processId, output: text } = process;
    const output = this.#begin({ turnId: null, msg: { type: 'process_output', processId, stream: 'stdout', text } });
    return { ...process, output };
  }

  #begin({ turnId, msg }: HeldEnd): string {
    const { shown, held } = this.#keys.hideBeginning(msg.text);
    if (held !== '') this.#held.set(textIdOf(msg), { turnId, msg: { ...msg, text: held } });
    return shown;
  }
}

/** Both pipes of a process are one text to the eye. */
function textIdOf(msg: Delta): string {
  return msg.type === 'process_output' ? `process ${msg.processId}` : `${msg.kind} ${msg.itemId}`;
}

/** Nothing will follow upon the text: what was held of it is no beginning of a key. */
function endsWith({ msg, turnId }: Event, end: HeldEnd): boolean {
  switch (msg.type) {
    case 'item_completed':
      return end.msg.type === 'item_delta' && end.msg.itemId === msg.item.id;
    case 'item_delta':
      return end.msg.type === 'item_delta' && end.msg.itemId === msg.itemId && end.msg.kind === 'summary';
    case 'process_exited':
      return end.msg.type === 'process_output' && end.msg.processId === msg.processId;
    case 'turn_completed':
    case 'turn_aborted':
      return end.msg.type === 'item_delta' && end.turnId === turnId;
    default:
      return false;
  }
}
