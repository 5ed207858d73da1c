import type { TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Ports } from '../ports.ts';
import { showUnsent } from './addInput.ts';
import type { EventSink } from './events.ts';

interface BegunMessages {
  /** `null` while the turn is being prepared. */
  readonly turnId: string | null;
  readonly submissionId: string | null;
  readonly settings: TurnSettings;
  readonly inputs: readonly (readonly UserInput[])[];
}

/** The messages of a turn that is about to start or has just started, until the thread shows them. */
export class UnshownMessages {
  #messages: BegunMessages | null = null;

  /** Call when a turn with these messages is being prepared; `settings` are those of the thread. */
  begin(messages: Omit<BegunMessages, 'turnId'>): void {
    this.#messages = { ...messages, turnId: null };
  }

  /** Call when the settings of the turn are known. */
  useSettings(settings: TurnSettings): void {
    if (this.#messages !== null) this.#messages = { ...this.#messages, settings };
  }

  /** Call when the turn has an id and starts. */
  useTurn(turnId: string): void {
    if (this.#messages !== null) this.#messages = { ...this.#messages, turnId };
  }

  /** Call when the turn does not start. */
  clear(): void {
    this.#messages = null;
  }

  /** Call for each message that the turn shows, in their order. */
  shown(turnId: string): void {
    if (this.#messages?.turnId !== turnId) return;
    this.#messages = { ...this.#messages, inputs: this.#messages.inputs.slice(1) };
  }

  /** Shows the messages that are left as unsent, in an unfinished turn. Returns false if there are none. */
  showAsUnsent(sink: Pick<EventSink, 'emit'>, { ids }: Pick<Ports, 'ids'>): boolean {
    if (this.#messages === null || this.#messages.inputs.length === 0) return false;
    const { submissionId, settings, inputs } = this.#messages;
    const turnId = this.#messages.turnId ?? ids.next('turn');
    const emit = (msg: Parameters<EventSink['emit']>[2]) => sink.emit(turnId, submissionId, msg);
    if (this.#messages.turnId === null) emit({ type: 'turn_started', settings, contextWindow: null });
    for (const input of inputs) showUnsent({ emit, ports: { ids } }, input);
    return true;
  }
}
