import type { SecretRedactor } from '../../core/util/secretRedactor.ts';
import type { Event, EventMsgOf } from '../../protocol/event.ts';
import type { DeltaKind, TurnItem, TurnItemOf } from '../../protocol/item.ts';
import { DELTA_REDACTION, traitsOf } from '../../protocol/itemTraits.ts';
import type { ProcessState, ThreadState } from '../../protocol/thread.ts';
import { mayBeCut, type PanelEvent, type TextGrowth } from '../../protocol/threadReducer.ts';

/**
 * Redacts the keys that Tiller holds from the texts of one thread for the panel, also where a key arrives in pieces.
 * The end of a text that may be the beginning of a key is held until the next piece decides; other text is never
 * delayed. In place of a piece a `TextGrowth` is sent, not an event.
 */
export class RedactingStream {
  readonly #keys: SecretRedactor;
  /** Held ends by text id. */
  readonly #held = new Map<string, TextGrowth>();

  constructor(keys: SecretRedactor) {
    this.#keys = keys;
  }

  /** The state for a page that gets all events from here on. The ends of unfinished texts are held, too. */
  begin(state: ThreadState): ThreadState {
    this.#held.clear();
    if (this.#keys.isEmpty) return state;
    const running = new Set(state.processes.filter(isRunning).map(({ processId }) => processId));
    const turns = state.turns.map((turn) => ({
      ...turn,
      items: turn.items.map((item) => this.#beginItem(item, turn.id, running)),
    }));
    return { ...state, turns, processes: state.processes.map((process) => this.#beginProcess(process)) };
  }

  /** Returns the updates that may be sent to the page now. */
  take(event: Event): readonly PanelEvent[] {
    if (this.#keys.isEmpty) return [event];
    const { msg, turnId } = event;
    if (msg.type === 'process_output' || (msg.type === 'item_delta' && DELTA_REDACTION[msg.kind] !== 'none')) {
      return this.#grow({ turnId, msg });
    }
    const ended = [...this.#held].filter(([, growth]) => endsText(event, growth));
    for (const [textId] of ended) this.#held.delete(textId);
    if (msg.type === 'item_completed') {
      // The item contains its complete texts.
      return goesOn(msg.item) ? [{ ...event, msg: { ...msg, item: this.#handOver(msg.item) } }] : [event];
    }
    // A held text may be a complete key that is also the beginning of a longer one.
    return [...ended.map(([, growth]) => withText(growth, this.#keys.hide(growth.msg.text))), event];
  }

  #grow(growth: TextGrowth): readonly TextGrowth[] {
    const textId = textIdOf(growth.msg);
    const before = this.#held.get(textId)?.msg.text ?? '';
    const { shown, held } = this.#keys.hideBeginning(before + growth.msg.text);
    this.#hold(withText(growth, held));
    return shown === '' && held !== '' ? [] : [withText(growth, shown)];
  }

  #hold(growth: TextGrowth): void {
    const textId = textIdOf(growth.msg);
    if (growth.msg.text === '') this.#held.delete(textId);
    else this.#held.set(textId, growth);
  }

  #beginItem(item: TurnItem, turnId: string, running: ReadonlySet<string>): TurnItem {
    if (item.status !== 'in_progress') return goesOn(item) && running.has(item.processId) ? this.#handOver(item) : item;
    // The other texts arrive complete; every message to the panel is redacted of complete keys.
    return traitsOf(item).grows.reduce((started, { kind, read, write }) => {
      const text = read(started);
      return text === undefined ? started : write(started, this.#beginText(item.id, kind, turnId, text));
    }, item);
  }

  #beginText(itemId: string, kind: DeltaKind, turnId: string, text: string): string {
    const whole = kind === 'output' ? this.#withoutHalfKey(text) : text;
    return this.#begin({ turnId, msg: { type: 'item_delta', itemId, kind, text: whole } });
  }

  #beginProcess(process: ProcessState): ProcessState {
    // Redacted before the snapshot cuts the output, which may cut through a key.
    if (!isRunning(process)) return { ...process, output: this.#keys.hide(process.output) };
    const { processId } = process;
    const before = this.#held.get(textIdOf({ type: 'process_output', processId }))?.msg.text ?? '';
    const text = before + this.#withoutHalfKey(process.output);
    return {
      ...process,
      output: this.#begin({ turnId: null, msg: { type: 'process_output', processId, stream: 'stdout', text } }),
    };
  }

  #begin(growth: TextGrowth): string {
    const { shown, held } = this.#keys.hideBeginning(growth.msg.text);
    this.#hold(withText(growth, held));
    return shown;
  }

  /** The reducer may have cut a key in two; the rest of it is removed. */
  #withoutHalfKey(output: string): string {
    return mayBeCut(output) ? this.#keys.withoutCutKey(output) : output;
  }

  /**
   * The panel shows a process's output directly after that of its item: a key may begin in one and end in the other.
   */
  #handOver(item: BackgroundCommand): TurnItem {
    const { shown, held } = this.#keys.hideBeginning(item.output);
    const msg = { type: 'process_output', processId: item.processId, stream: 'stdout' } as const;
    const after = this.#held.get(textIdOf(msg))?.msg.text ?? '';
    this.#hold({ turnId: null, msg: { ...msg, text: held + after } });
    return { ...item, output: shown };
  }
}

/** A command whose process continues after its call. */
type BackgroundCommand = TurnItemOf<'command_execution'> & { readonly processId: string };

function goesOn(item: TurnItem): item is BackgroundCommand {
  return item.type === 'command_execution' && item.processId !== undefined;
}

function isRunning({ status }: ProcessState): boolean {
  return status.type === 'running';
}

function withText({ turnId, msg }: TextGrowth, text: string): TextGrowth {
  return { turnId, msg: { ...msg, text } };
}

type TextName =
  | Pick<EventMsgOf<'process_output'>, 'type' | 'processId'>
  | Pick<EventMsgOf<'item_delta'>, 'type' | 'itemId' | 'kind'>;

/** Both pipes of a process form one text in the panel. */
function textIdOf(msg: TextName): string {
  return msg.type === 'process_output' ? `process ${msg.processId}` : `${msg.kind} ${msg.itemId}`;
}

/** Returns true if this event is the last about the text: the held end is then not the beginning of a key. */
function endsText({ msg, turnId }: Event, growth: TextGrowth): boolean {
  switch (msg.type) {
    case 'item_completed':
      return growth.msg.type === 'item_delta' && growth.msg.itemId === msg.item.id;
    case 'item_delta':
      return growth.msg.type === 'item_delta' && growth.msg.itemId === msg.itemId && growth.msg.kind === 'summary';
    case 'process_exited':
      return growth.msg.type === 'process_output' && growth.msg.processId === msg.processId;
    case 'turn_completed':
    case 'turn_aborted':
      return growth.msg.type === 'item_delta' && growth.turnId === turnId;
    default:
      return false;
  }
}
